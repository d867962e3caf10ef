"""Checks of child.checks; run by test_checks."""

from pathlib import Path

import tilelang
import torch

from tests.verify.kernels import checked
from tl_lint.verify.child import checks, identifiers, tir
from tl_lint.verify.child.captured import captured
from tl_lint.verify.child.lowering import lower, target_object

RELEASE = tuple(int(part) for part in tilelang.__version__.split("+")[0].split(".")[:3])


def found(prim_func):
    """Return (check, verdict, message, line) of all that the checks say of a kernel, and its Lowered."""
    target = target_object("cuda", "sm_90")
    with captured():
        lowered = lower(prim_func, target)
    said = checks.at_trace(prim_func) + checks.after_lowering(prim_func, lowered)
    return [(item.name, item.verdict, item.message, item.line) for item in said], lowered


def names(prim_func):
    return sorted((name, verdict) for name, verdict, _, _ in found(prim_func)[0])


def line(text, start=0):
    """Return the number of the first line of the kernels' file, after `start`, that holds a text."""
    lines = Path(checked.__file__).read_text(encoding="utf-8").splitlines()
    return next(number for number, item in enumerate(lines, 1) if text in item and number > start)


def check_good_kernels_have_no_finding():
    made = [value for name, value in vars(checked).items() if name.startswith("good_")]
    assert len(made) >= 20
    for kernel in made:
        assert names(kernel()) == [], (kernel.__name__, found(kernel())[0])


def check_an_emptied_kernel_fails():
    said, lowered = found(checked.bad_condition_of_python())
    assert ("no store", "fails", "the lowered kernel is empty: it stores nothing", None) in said
    body = lowered.source.rpartition("{")[2]
    assert ";" not in body, body  # it is empty indeed


def check_an_output_that_is_gone_fails():
    for made in (checked.bad_condition_of_python, checked.bad_tensor_rebound, checked.bad_one_output_of_two):
        assert ("parameter dropped", "fails") in names(made()), made
    said, _ = found(checked.bad_one_output_of_two())
    start = line("def bad_one_output_of_two")
    message = "B is written in the kernel's text, and the lowered kernel has no B"
    assert said == [("parameter dropped", "fails", message, line("B[bx] = A[bx]", start))], said


def check_an_input_that_is_gone_warns():
    said, _ = found(checked.bad_input_dropped())
    message = "X is read in the kernel's text, and the lowered kernel has no X"
    assert said == [("parameter dropped", "warns", message, line("+= X[bx]"))], said


def check_an_eager_kernel_is_looked_at_too():
    kernel = checked.bad_eager.get_tir(torch.empty(64), torch.empty(64))
    assert ("no store", "fails") in names(kernel)


def check_jumps_out_of_no_loop_fail():
    assert names(checked.bad_break()) == [("break outside a loop", "fails")]
    assert names(checked.bad_continue()) == [("continue outside a loop", "fails")]


def check_races_are_warned_of():
    said, _ = found(checked.bad_race())
    text = "B[i] may be written by several iterations of the parallel loop over j"
    where = line("# the race") if RELEASE >= (0, 1, 13) else None
    assert said == [("data race", "warns", text, where)], said
    assert names(checked.bad_race_in_shared_memory()) == [("data race", "warns")]
    assert checks.at_trace(checked.bad_race(), {"tl.disable_data_race_check": True}) == []


def check_unknown_functions_fail():
    for made, name in (
        (checked.bad_root_of_an_int, "__sqrt"),
        (checked.bad_no_such_function, "no_such_function_at_all"),
    ):
        said, lowered = found(made())
        if identifiers._Headers().complete or name == "__sqrt":
            assert said == [
                ("unknown identifier", "fails", f"the CUDA source calls {name}, which no compiler knows", None)
            ], said
        assert name in identifiers.called_in(lowered.source)


def check_what_a_source_declares_is_no_unknown():
    source = """
    #include <tl_templates/cuda/common.h>
    #define OF_A_MACRO(x) (x)
    template <typename Kind> struct Holder { __device__ Holder(int a); };
    __device__ __forceinline__ float* pointer_to(float* x) { return x; }
    extern "C" __global__ void __launch_bounds__(64, 1) main_kernel(float* A) {
      Holder<int> holder(4); // not_called(1)
      auto lambda = [&](int i) { return i; };
      const char* text = "not_called(2)"; /* not_called(3) */
      A[0] = pointer_to(A)[OF_A_MACRO(1)] + really_called (2) + tl::of_no_template<4>(1) + A[0].method(1) + float(2);
    }"""
    assert identifiers.called_in(source) == {"really_called", "of_no_template"}


def check_source_with_foreign_includes_is_not_judged():
    source = '#include "of_the_user.h"\nvoid f() { no_such_function_at_all(1); }'
    assert identifiers.check(source) == []


def widths(prim_func):
    """Return requested and effective widths, and what the check says."""
    target = target_object("cuda", "sm_90")
    with captured() as log:
        lowered = lower(prim_func, target)
    requested = tir.requested_widths(prim_func)
    effective = checks.effective_widths(prim_func, log[0], lambda other: lower(other, target))
    said = [item for item in checks.after_lowering(prim_func, lowered, effective) if item.name == "coalesced_width"]
    return requested, effective, [item.message for item in said]


def check_a_width_that_fits_is_used():
    for width in (1, 2, 4):
        assert widths(checked.loop(width)) == ([width], [width], []), width
        assert widths(checked.copy(width)) == ([width], [width], []), width
        assert widths(checked.plain_fragment(width)) == ([width], [width], []), width


def check_a_width_that_does_not_fit_fails_or_is_another():
    if RELEASE <= (0, 1, 14):
        for made in (checked.loop(8), checked.copy(8), checked.two_types(8)):
            try:
                widths(made)
            except Exception as error:
                assert "is not divisible by coalesced width 8" in str(error)
            else:
                raise AssertionError(made)
        return
    message = "a width of 8 was asked for, and 4 is used"
    assert widths(checked.loop(8)) == ([8], [4], [message])
    assert widths(checked.copy(8)) == ([8], [4], [message])
    assert widths(checked.loop(3)) == ([3], [2], ["a width of 3 was asked for, and 2 is used"])
    assert widths(checked.two_types(8)) == ([8, 8], [4, 8], [message])


def check_a_width_that_nobody_reads_is_none():
    for made in (checked.laid_out, checked.laid_out_by_a_gemm, checked.bulk_copy):
        assert widths(made(2)) == ([2], [None], []), made
        assert widths(made(3)) == ([3], [None], []), made
