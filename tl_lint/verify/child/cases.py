"""Compares a kernel with its control on one set of inputs, and sums up several such comparisons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tl_lint.verify.child.comparing import BufferResult, compared, same_bits
from tl_lint.verify.child.inputs import Argument

__all__ = ["Case", "Comparison", "Launch", "compare_case", "left_by", "summary", "written_by"]

Launch = Callable[[Sequence[Argument]], None]

_MORE_RUNS = 3
"""Further runs of a control that does not repeat itself, to see how far apart they come out."""


class _Failed(Exception):
    """A kernel raised, or the GPU did."""


@dataclass(frozen=True)
class Case:
    """One comparison: the values of the symbols, each buffer's result, and the names of those that were written.

    `equal` is None if the control does not run on these inputs, so that there is nothing to compare with; `message`
    then says why.
    """

    sizes: dict[str, int]
    equal: bool | None
    buffers: tuple[BufferResult, ...] = ()
    written: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True)
class Comparison:
    """All comparisons of a kernel with its control. `against` is "control", or "itself" where there is none.

    `how` names the measures that were needed, `differing` the buffers that differ, `message` what is wrong, or which
    sizes the control refuses. JSON by dataclasses.asdict.
    """

    equal: bool
    how: str
    against: str
    differing: tuple[str, ...]
    written: tuple[str, ...]
    cases: tuple[Case, ...]
    message: str = ""


def compare_case(
    fixed: Launch, control: Launch | None, inputs: Sequence[Argument], sizes: Mapping[str, int] | None = None
) -> Case:
    """Run the control twice, or more often if it does not repeat itself, then the fixed kernel twice, and compare.

    Each run gets a copy of `inputs`. Without a control the fixed kernel is compared with its own first runs.
    """
    sizes = dict(sizes or {})
    try:
        expected = [left_by(control or fixed, inputs) for _ in range(2)]
        if not _same(*expected):
            expected += [left_by(control or fixed, inputs) for _ in range(_MORE_RUNS)]
    except _Failed as error:
        return Case(sizes, None, message=f"the {'control' if control else 'kernel'} does not run: {error}")
    try:
        found = [left_by(fixed, inputs) for _ in range(2)]
    except _Failed as error:
        return Case(sizes, False, message=f"the control runs, the kernel does not: {error}")
    results = tuple(_worse(*(_compared(index, expected, run) for run in found)) for index in _tensors(inputs))
    written = tuple(dict.fromkeys([*written_by(inputs, expected[0]), *written_by(inputs, found[0])]))
    message = next((f"{result.name}: {result.message}" for result in results if not result.equal), "")
    return Case(sizes, not message, results, written, message)


def left_by(launch: Launch, inputs: Sequence[Argument]) -> list[Argument]:
    """Return copies of `inputs` as a kernel left them, after it was done."""
    copies = [argument.copy() for argument in inputs]
    try:
        launch(copies)
        _wait(copies)
    except Exception as error:
        said = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise _Failed(f"{type(error).__name__}: {said[0] if said else ''}") from error
    return copies


def written_by(inputs: Sequence[Argument], left: Sequence[Argument]) -> list[str]:
    """Return the names of the buffers that are no longer as they were."""
    return [inputs[index].name for index in _tensors(inputs) if not _all_same(inputs[index], left[index])]


def summary(cases: Sequence[Case], against: str) -> Comparison:
    """Return what all cases say together; one that could not be compared counts for neither side."""
    done = [case for case in cases if case.equal is not None]
    buffers = [buffer for case in done for buffer in case.buffers]
    messages = [f"{_shown(case.sizes)}{case.message}" for case in cases if case.message]
    return Comparison(
        equal=bool(done) and all(case.equal for case in done),
        how="; ".join(dict.fromkeys(buffer.how for buffer in buffers)),
        against=against,
        differing=tuple(dict.fromkeys(buffer.name for buffer in buffers if not buffer.equal)),
        written=tuple(dict.fromkeys(name for case in done for name in case.written)),
        cases=tuple(cases),
        message="; ".join(messages),
    )


def _shown(sizes: Mapping[str, int]) -> str:
    return f"at {', '.join(f'{name}={value}' for name, value in sizes.items())}: " if sizes else ""


def _tensors(inputs: Sequence[Argument]) -> list[int]:
    return [index for index, argument in enumerate(inputs) if argument.memory is not None]


def _same(one: Sequence[Argument], other: Sequence[Argument]) -> bool:
    return all(_all_same(one[index], other[index]) for index in _tensors(one))


def _all_same(one: Argument, other: Argument) -> bool:
    return bool(same_bits(_memory(one), _memory(other)).all())


def _compared(index: int, expected: Sequence[Sequence[Argument]], found: Sequence[Argument]) -> BufferResult:
    argument = found[index]
    control = [_memory(run[index]) for run in expected]
    return compared(argument.name, argument.dtype, argument.shape, control, _memory(argument))


def _worse(one: BufferResult, other: BufferResult) -> BufferResult:
    return max(one, other, key=lambda result: result.differing)


def _memory(argument: Argument) -> Any:
    assert argument.memory is not None
    return argument.memory


def _wait(arguments: Sequence[Argument]) -> None:
    if any(argument.memory is not None and argument.memory.is_cuda for argument in arguments):
        import torch

        torch.cuda.synchronize()
