"""Checks of child.checks; run by test_checks."""

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import tilelang
import torch

from tests.verify.kernels import called, jumps, outputs, races, widths
from tl_lint.verify.child import checks, identifiers, tir
from tl_lint.verify.child.lowering import Lowered, lower, target_object
from tl_lint.verify.child.streams import captured

RELEASE = tuple(int(part) for part in tilelang.__version__.split("+")[0].split(".")[:3])


def found(prim_func: Any) -> tuple[list[tuple[str, str, str, int | None]], Lowered]:
    """Return (check, verdict, message, line) of all that the checks say of a kernel, and its Lowered."""
    target = target_object("cuda", "sm_90")
    with captured():
        lowered = lower(prim_func, target)
    said = checks.at_trace(prim_func) + checks.after_lowering(prim_func, lowered)
    return [(item.name, item.verdict, item.message, item.line) for item in said], lowered


def names(prim_func: Any) -> list[tuple[str, str]]:
    return sorted((name, verdict) for name, verdict, _, _ in found(prim_func)[0])


def line(module: ModuleType, text: str, start: int = 0) -> int:
    """Return the number of the first line of the module's file, after `start`, that holds a text."""
    assert module.__file__ is not None
    lines = Path(module.__file__).read_text(encoding="utf-8").splitlines()
    return next(number for number, item in enumerate(lines, 1) if text in item and number > start)


def check_good_kernels_have_no_finding() -> None:
    modules = (outputs, jumps, races, called)
    made = [value for module in modules for name, value in vars(module).items() if name.startswith("good_")]
    assert len(made) >= 20
    for kernel in made:
        assert names(kernel()) == [], (kernel.__name__, found(kernel())[0])


def check_an_emptied_kernel_fails() -> None:
    said, lowered = found(outputs.bad_condition_of_python())
    assert ("no store", "fails", "the lowered kernel stores nothing to global memory", None) in said
    body = lowered.source.rpartition("{")[2]
    assert ";" not in body, body  # it is empty indeed


def check_an_output_that_is_gone_fails() -> None:
    for made in (outputs.bad_condition_of_python, outputs.bad_tensor_rebound, outputs.bad_one_output_of_two):
        assert ("parameter dropped", "fails") in names(made()), made
    said, _ = found(outputs.bad_one_output_of_two())
    start = line(outputs, "def bad_one_output_of_two")
    message = "B is written in the kernel's text, and the lowered kernel has no B"
    assert said == [("parameter dropped", "fails", message, line(outputs, "B[bx] = A[bx]", start))], said


def check_an_input_that_is_gone_warns() -> None:
    said, _ = found(outputs.bad_input_dropped())
    message = "X is read in the kernel's text, and the lowered kernel has no X"
    assert said == [("parameter dropped", "warns", message, line(outputs, "+= X[bx]"))], said


def check_an_eager_kernel_is_looked_at_too() -> None:
    kernel = outputs.bad_eager.get_tir(torch.empty(64), torch.empty(64))
    assert ("no store", "fails") in names(kernel)


def check_jumps_out_of_no_loop_fail() -> None:
    assert names(jumps.bad_break()) == [("break outside a loop", "fails")]
    assert names(jumps.bad_continue()) == [("continue outside a loop", "fails")]


def check_races_are_warned_of() -> None:
    said, _ = found(races.bad_race())
    text = "B[i] may be written by several iterations of the parallel loop over j"
    where = line(races, "# the race") if RELEASE >= (0, 1, 13) else None
    assert said == [("data race", "warns", text, where)], said
    assert names(races.bad_race_in_shared_memory()) == [("data race", "warns")]
    assert checks.at_trace(races.bad_race(), {"tl.disable_data_race_check": True}) == []


def check_unknown_functions_fail() -> None:
    for made, name in (
        (called.bad_root_of_an_int, "__sqrt"),
        (called.bad_no_such_function, "no_such_function_at_all"),
    ):
        said, lowered = found(made())
        if identifiers._Headers().complete or name == "__sqrt":
            assert said == [
                ("unknown identifier", "fails", f"the CUDA source calls {name}, which no compiler knows", None)
            ], said
        assert name in identifiers.called_in(lowered.source)


def check_what_a_source_declares_is_no_unknown() -> None:
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


def check_source_with_foreign_includes_is_not_judged() -> None:
    source = '#include "of_the_user.h"\nvoid f() { no_such_function_at_all(1); }'
    assert identifiers.check(source) == []


def used(prim_func: Any) -> tuple[list[int], list[int | None], list[str]]:
    """Return requested and effective widths, and what the check says."""
    target = target_object("cuda", "sm_90")
    with captured() as log:
        lowered = lower(prim_func, target)
    requested = tir.requested_widths(prim_func)
    effective = checks.effective_widths(prim_func, log[0], lambda other: lower(other, target))
    said = [item for item in checks.after_lowering(prim_func, lowered, effective) if item.name == "coalesced_width"]
    return requested, effective, [item.message for item in said]


def check_a_width_that_fits_is_used() -> None:
    for width in (1, 2, 4):
        assert used(widths.loop(width)) == ([width], [width], []), width
        assert used(widths.copy(width)) == ([width], [width], []), width
        assert used(widths.plain_fragment(width)) == ([width], [width], []), width
        for made in (widths.loop, widths.copy, widths.copy_to_a_fragment):
            emitted = set(re.findall(r"\bfloat[24]\b", found(made(width))[1].source))
            assert emitted == ({f"float{width}"} if width > 1 else set()), (made, width)


def check_a_width_that_does_not_fit_fails_or_is_another() -> None:
    if RELEASE <= (0, 1, 14):
        for made in (widths.loop(8), widths.copy(8), widths.two_types(8)):
            try:
                used(made)
            except Exception as error:
                assert "is not divisible by coalesced width 8" in str(error)
            else:
                raise AssertionError(made)
        return
    message = "a width of 8 was asked for, and 4 is used"
    assert used(widths.loop(8)) == ([8], [4], [message])
    assert used(widths.copy(8)) == ([8], [4], [message])
    assert used(widths.loop(3)) == ([3], [2], ["a width of 3 was asked for, and 2 is used"])
    assert used(widths.two_types(8)) == ([8, 8], [4, 8], [message])


def check_a_width_that_nobody_reads_is_none() -> None:
    for made in (widths.laid_out, widths.laid_out_by_a_gemm, widths.bulk_copy):
        assert used(made(2)) == ([2], [None], []), made
        assert used(made(3)) == ([3], [None], []), made


def check_a_negative_width_is_not_what_comes_out() -> None:
    if RELEASE <= (0, 1, 14):
        negative = tir.namespace().IntImm("int32", -2)
        message = "a width of -2 was asked for, and 4 is used"
        assert used(widths.copy_to_a_fragment(negative)) == ([-2], [4], [message])
