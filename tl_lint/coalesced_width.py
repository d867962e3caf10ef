"""What the rules about coalesced_width share: which calls read one, and what is wrong with what they read."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from tl_lint.calls import Annotated
from tl_lint.int_imm import Arm, Verdict, arms_of, wrap
from tl_lint.kernels import File
from tl_lint.rule import FixPlan
from tl_lint.spelling import spell

__all__ = ["LOOPS", "TAKERS", "Judged", "is_bad", "judged", "width_of"]

LOOPS = frozenset({"Parallel", "parallel"})
"""The loops of the language that read a coalesced_width; `T.parallel` has no keyword for it (0.1.13, 0.1.15)."""
TAKERS = LOOPS | {"copy", "async_copy", "copy_cluster"}
"""All functions of the language that read one."""


@dataclass(frozen=True, eq=False)
class Judged:
    """A loop's width that is not what it should be: the first arm at fault, the fix, and what to write instead."""

    function: str
    arm: Arm
    fix: FixPlan | None
    instead: str


def width_of(file: File, call: cst.CSTNode) -> Annotated | None:
    """Return what a call of the language reads as its coalesced_width; None if it reads none, or never reads it.

    With `loop_layout` the loop is dictated and the width not read: measured for Parallel from 0.1.8 to 0.1.15, for
    copy in 0.1.13 and 0.1.15.
    """
    return file.annotated(call, "coalesced_width", TAKERS, "loop_layout") if isinstance(call, cst.Call) else None


def is_bad(number: int) -> bool:
    """Return whether no loop can be coalesced by `number`: it is not a positive power of two."""
    return number <= 0 or number & (number - 1) != 0


def judged(file: File, call: cst.CSTNode, verdict: Verdict) -> Judged | None:
    """Return what `verdict` holds for in the width that a loop of the language reads, or None if nothing."""
    width = width_of(file, call)
    if width is None or width.function not in LOOPS:
        return None
    found = [arm for arm in arms_of(file, width) if arm.verdict is verdict]
    if not found:
        return None
    fix = wrap(file, width, found, TAKERS, is_bad)
    if fix is not None:
        instead = file.code(fix.replacements[0].new[0])
    else:
        expression = found[0].expression
        wanted, arguments = "IntImm", '"int32", 4'
        if verdict is Verdict.MAY_BE_INT:
            wanted, arguments = "int32", file.code(expression)
        spelling = spell(file.names, wanted, width.callee, expression)
        instead = f"{spelling.text if spelling is not None else f'T.{wanted}'}({arguments})"
    return Judged(width.function, found[0], fix, instead)
