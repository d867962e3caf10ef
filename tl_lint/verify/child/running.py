"""Runs a kernel and its control on the GPU on the same inputs, and compares every buffer afterwards."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tl_lint.verify.child.cases import Case, Comparison, Launch, compare_case, summary
from tl_lint.verify.child.inputs import Argument, Unsupported, arguments, number_of_bytes, sizes_to_try
from tl_lint.verify.child.referring import BadReference, against_reference, loaded
from tl_lint.verify.lines import first_line, last_line
from tl_lint.verify.model import GPU_LOCK, Check

__all__ = ["run_step"]

_COPIES = 12
"""How many times the memory of its inputs a comparison may need: the runs that are kept, and their work space."""

_TIMED_SIZE = 4096
"""What the symbols of a kernel are when it is timed, where its buffers then fit."""


def run_step(fixed: Any, control: Any, target: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Run `fixed` and `control`, two prim_funcs, on the current GPU, and return facts that are JSON.

    `control` is None if there is nothing to compare with: the kernel is then compared with itself. Of `settings`, all
    optional: `seed`; `pass_configs` of the kernel; `sizes`, values for symbols by name; `reference`, a name as in
    `referring`; `timing`, False to leave it out. Facts: "gpu", its name; "comparison", a Comparison; "reference", a
    Case; "timing" (see `timing.timed`) with the "sizes" timed, or "no_timing", one line that says why not; "checks";
    "control", one line, if the control does not compile; "not_reached", one line, if the kernel could not be run on
    what was made for it. Raises what the compiler raises on `fixed`.
    """
    import torch

    from tl_lint.verify.child.executing import executable

    if not torch.cuda.is_available():
        return {"not_reached": "torch sees no GPU"}
    configs = settings.get("pass_configs") or {}
    facts: dict[str, Any] = {"gpu": torch.cuda.get_device_name()}
    launch = executable(fixed, target, configs)
    other = None
    if control is not None:
        try:
            other = executable(control, target, configs)
        except Exception as error:  # some types compile with a width only, such as bool in vectors of 16
            facts["control"] = f"the control does not compile: {last_line(str(error)) or type(error).__name__}"
    with _turn(os.environ.get(GPU_LOCK)):
        return facts | _ran(fixed, launch, other, settings)


def _ran(fixed: Any, launch: Launch, other: Launch | None, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return what comparing and timing came to; everything is compiled."""
    facts: dict[str, Any] = {}
    sizes = sizes_to_try(fixed, settings.get("sizes"))
    cases = [_case(fixed, launch, other, sizes[0], settings)]
    if cases[0].equal is None:
        return facts | {"not_reached": cases[0].message}
    referred = None
    if settings.get("reference"):
        try:
            referred = _reference(fixed, launch, sizes[0], settings)
        except BadReference as error:
            return facts | {"not_reached": str(error)}
        facts["reference"] = dataclasses.asdict(referred)
    if cases[0].equal:
        if settings.get("timing", True):
            facts |= _timing(fixed, launch, other, sizes[0], settings)
        # Sizes that fill no block come last: a kernel that cannot take them may leave the GPU unusable.
        for further in sizes[1:]:
            cases.append(_case(fixed, launch, other, further, settings))
    comparison = summary(cases, "itself" if other is None else "control")
    return facts | {"comparison": dataclasses.asdict(comparison), "checks": _checks(comparison, referred)}


@contextlib.contextmanager
def _turn(lock: str | None) -> Iterator[None]:
    """Have the GPU to oneself, as timings want, where several processes take turns by locking a file."""
    with contextlib.ExitStack() as stack:
        if lock is not None:
            import fcntl

            file = stack.enter_context(open(lock, "a", encoding="utf-8"))  # noqa: PTH123
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _case(
    fixed: Any, launch: Launch, control: Launch | None, sizes: dict[str, int], settings: Mapping[str, Any]
) -> Case:
    try:
        return compare_case(launch, control, _inputs(fixed, sizes, settings), sizes)
    except Unsupported as error:
        return Case(sizes, None, message=str(error))
    except RuntimeError as error:  # an earlier kernel left the GPU unusable, or its memory is full
        return Case(sizes, None, message=first_line(str(error)) or type(error).__name__)


def _inputs(prim_func: Any, sizes: Mapping[str, int], settings: Mapping[str, Any]) -> list[Argument]:
    """Return the inputs of a case. Raises Unsupported if the GPU has no room for the copies of them."""
    import torch

    made = arguments(prim_func, sizes, int(settings.get("seed") or 0), "cuda")
    torch.cuda.empty_cache()  # what torch keeps of earlier copies is free
    wanted, free = number_of_bytes(made) * _COPIES, torch.cuda.mem_get_info()[0]
    if wanted > free:
        raise Unsupported(f"comparing takes {wanted >> 20} MiB, the GPU has {free >> 20} MiB free")
    return made


def _reference(fixed: Any, launch: Launch, sizes: dict[str, int], settings: Mapping[str, Any]) -> Case:
    return against_reference(launch, loaded(settings["reference"]), _inputs(fixed, sizes, settings), sizes)


def _timing(
    fixed: Any, launch: Launch, control: Launch | None, sizes: dict[str, int], settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Time the kernels at larger sizes than they were compared at, if they have symbols and there is room."""
    from tl_lint.verify.child.timing import timed, timed_somewhere

    def time(sizes: dict[str, int]) -> dict[str, Any]:
        inputs = _inputs(fixed, sizes, settings)
        launches = {"fixed": _bound(launch, inputs)}
        if control is not None:
            launches["control"] = _bound(control, inputs)
        return {"bytes": number_of_bytes(inputs)} | timed(launches)

    given = settings.get("sizes") or {}
    larger = {name: int(given.get(name, _TIMED_SIZE)) for name in sizes}
    return timed_somewhere([larger, sizes] if larger != sizes else [sizes], time)


def _bound(launch: Launch, inputs: Sequence[Argument]) -> Any:
    copies = [argument.copy() for argument in inputs]
    return lambda: launch(copies)


def _checks(comparison: Comparison, referred: Case | None) -> list[dict[str, Any]]:
    checks = []
    if not comparison.written:
        # What it was given is made up, and may be what it has nothing to do for, such as sequences of no length.
        checks.append(Check("writes", "warns", "the kernel ran and changed none of its buffers"))
    if referred is not None and not referred.equal:
        checks.append(Check("reference", "fails", f"differs from the reference: {referred.message}"))
    return [dataclasses.asdict(check) for check in checks]
