"""Checks of child.cases, child.referring, child.executing and child.running; run by test_running.

Kernels that run here are functions on torch's tensors; tests/gpu runs TileLang's own where there is a GPU.
"""

import dataclasses
import json
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import tilelang.language as T
import torch

from tl_lint.verify.child import tir
from tl_lint.verify.child.cases import compare_case, summary
from tl_lint.verify.child.executing import executable
from tl_lint.verify.child.inputs import Argument
from tl_lint.verify.child.lowering import target_object
from tl_lint.verify.child.referring import BadReference, against_reference, loaded
from tl_lint.verify.child.running import run_step


def inputs() -> list[Argument]:
    generator = torch.Generator().manual_seed(0)
    memory = [torch.rand(16, generator=generator) for _ in range(2)]
    return [Argument(name, "float32", None, one, (8,), (1,)) for name, one in zip("AB", memory, strict=True)]


def memory_of(argument: Argument) -> Any:
    return argument.memory


def doubles(arguments: Sequence[Argument]) -> None:
    arguments[1].value.copy_(arguments[0].value * 2)


def doubles_but_one(arguments: Sequence[Argument]) -> None:
    doubles(arguments)
    arguments[1].value[3] += 1e-6


def writes_its_input(arguments: Sequence[Argument]) -> None:
    doubles(arguments)
    arguments[0].value[0] = 0


def writes_past_the_end(arguments: Sequence[Argument]) -> None:
    doubles(arguments)
    memory_of(arguments[1])[9] = 5


def does_nothing(_arguments: Sequence[Argument]) -> None:
    pass


def fails(_arguments: Sequence[Argument]) -> None:
    raise RuntimeError("an illegal memory access\nwas encountered")


def check_equal_kernels_are_equal() -> None:
    case = compare_case(doubles, doubles, inputs(), {"n": 8})
    assert (case.equal, case.written, case.message, case.sizes) == (True, ("B",), "", {"n": 8})
    assert [(buffer.name, buffer.how) for buffer in case.buffers] == [("A", "bit for bit"), ("B", "bit for bit")]


def check_what_differs_is_named() -> None:
    wrong = {
        doubles_but_one: "B: 1 of",
        writes_its_input: "A: 1 of",
        writes_past_the_end: "B: 1 of",
        does_nothing: "B: 8 of",
    }
    for kernel, message in wrong.items():
        for one, other in ((kernel, doubles), (doubles, kernel)):
            case = compare_case(one, other, inputs())
            assert case.equal is False and case.message.startswith(message), (kernel, case.message)


def check_the_inputs_stay_as_they_are() -> None:
    given = inputs()
    before = [memory_of(argument).clone() for argument in given]
    compare_case(writes_its_input, writes_its_input, given)
    assert all(torch.equal(one, memory_of(argument)) for one, argument in zip(before, given, strict=True))


def check_a_control_that_fails_decides_nothing() -> None:
    case = compare_case(doubles, fails, inputs())
    assert case.equal is None
    assert case.message == "the control does not run: RuntimeError: an illegal memory access"
    assert compare_case(fails, None, inputs()).message.startswith("the kernel does not run: RuntimeError")


def check_a_kernel_that_fails_alone_is_wrong() -> None:
    case = compare_case(fails, doubles, inputs())
    assert case.equal is False
    assert case.message == "the control runs, the kernel does not: RuntimeError: an illegal memory access"


def check_a_kernel_that_does_not_repeat_itself_is_told_apart() -> None:
    turns: list[int] = []

    def first_time_right(arguments: Sequence[Argument]) -> None:
        turns.append(1)
        (doubles if len(turns) % 2 else doubles_but_one)(arguments)

    assert compare_case(first_time_right, doubles, inputs()).equal is False
    assert compare_case(doubles, first_time_right, inputs()).buffers[1].how.startswith("within")


def check_without_a_control_it_is_compared_with_itself() -> None:
    case = compare_case(doubles, None, inputs())
    assert case.equal and case.written == ("B",)
    assert summary([case], "itself").against == "itself"


def check_the_summary_names_what_is_wrong() -> None:
    right = compare_case(doubles, doubles, inputs(), {"n": 8})
    wrong = compare_case(doubles_but_one, doubles, inputs(), {"n": 7})
    skipped = compare_case(doubles, fails, inputs(), {"n": 5})
    assert summary([right], "control").equal
    found = summary([right, wrong, skipped], "control")
    assert (found.equal, found.differing, found.written, found.how) == (False, ("B",), ("B",), "bit for bit")
    assert found.message.startswith("at n=7: B: 1 of 16 differ, first at 3")
    assert found.message.endswith("at n=5: the control does not run: RuntimeError: an illegal memory access")
    assert summary([right, skipped], "control").equal
    assert not summary([skipped], "control").equal
    assert json.loads(json.dumps(dataclasses.asdict(found)))["cases"][1]["sizes"] == {"n": 7}


def check_references_may_return_or_write() -> None:
    def writes(A: Any, B: Any) -> None:
        B.copy_(2 * A)

    rights: list[Callable[..., Any]] = [lambda A, B: 2 * A, lambda A, B: [2 * A], lambda A, B: (2 * A).double(), writes]
    for right in rights:
        case = against_reference(doubles, right, inputs())
        assert case.equal and case.written == ("B",), case
    wrongs: list[Callable[..., Any]] = [lambda A, B: 2 * A + 0.1, lambda A, B: None, lambda A, B: A.zero_()]
    for wrong in wrongs:
        assert not against_reference(doubles, wrong, inputs()).equal


def check_a_reference_of_another_form_is_refused() -> None:
    refused: dict[str, Callable[..., Any]] = {
        "the reference returns 2 tensors, the kernel writes B": lambda A, B: [A, B],
        "B is (8,), the reference's (4,)": lambda A, B: A[:4],
        "the reference raises ZeroDivisionError: division by zero": lambda A, B: 1 / 0,
    }
    for message, reference in refused.items():
        try:
            against_reference(doubles, reference, inputs())
        except BadReference as error:
            assert str(error) == message
        else:
            raise AssertionError(message)


def check_references_are_found() -> None:
    module: Any = types.ModuleType("some_references")
    module.right = doubles
    sys.modules["some_references"] = module
    assert loaded("some_references:right") is doubles
    for name in ("some_references", "some_references:none", "no_such_module:right", "/no/such/file.py:right"):
        try:
            loaded(name)
        except BadReference as error:
            assert name in str(error)
        else:
            raise AssertionError(name)


def kernel() -> Any:
    @T.prim_func  # type: ignore[untyped-decorator]
    def main(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):  # type: ignore[no-untyped-def, valid-type]
        with T.Kernel(4, threads=64) as bx:
            for i in T.Parallel(256, coalesced_width=T.IntImm("int32", 4)):
                B[bx * 256 + i] = A[bx * 256 + i]

    return main


def check_without_a_gpu_it_says_so() -> None:
    if not torch.cuda.is_available():
        assert run_step(kernel(), None, target_object("cuda", "sm_90"), {}) == {"not_reached": "torch sees no GPU"}


def check_kernels_are_built_to_take_all_their_buffers() -> None:
    # TileLang's jit refuses a wrong number of arguments before it launches anything.
    returning = kernel().with_attr("tilelang_out_idx", [1])
    assert not tir.without_widths(returning).attrs.get("tilelang_pass_configs")
    for prim_func in (kernel(), returning):
        launch = executable(prim_func, target_object("cuda", "sm_90"), {"tl.enable_fast_math": True})
        try:
            launch(inputs()[:1])
        except ValueError as error:
            assert "expected 2 inputs, but 1 are provided" in str(error), error
        else:
            raise AssertionError("it took one argument of two")
