"""From the outcomes of a kernel's versions to what is said of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tl_lint.verify.model import Check, Level, Outcome, Verdict
from tl_lint.verify.outcomes import NOT_INSTANTIATED, NOT_REACHED
from tl_lint.verify.requests import KernelRequest

__all__ = ["Judged", "judged"]

_INCONCLUSIVE = ("timeout", "out of memory", NOT_REACHED, NOT_INSTANTIATED)
"""Of a kernel and its fix: these say something of the machine or the limits, not which of both is wrong."""


@dataclass(frozen=True)
class Judged:
    """A verdict and, in one line, why, where that is not plain."""

    verdict: Verdict
    message: str = ""


def judged(request: KernelRequest, original: Outcome | None, fixed: Outcome | None, control: Outcome | None) -> Judged:
    """Return what is said of a kernel. `fixed` and `control` are None where there is nothing to fix.

    What a GPU said stands among the facts of `fixed`, or of `original` where there is no fix.
    """
    if fixed is None:
        assert original is not None
        return _plain(request, original)
    if fixed.outcome == NOT_INSTANTIATED:
        return Judged(Verdict.NOT_INSTANTIATED, fixed.message)
    if fixed.outcome == NOT_REACHED:
        return Judged(Verdict.NOT_REACHED, fixed.message)
    oracle = fixed.facts.get("oracle")
    if oracle is not None and oracle["equal"] is False:
        return Judged(Verdict.FIX_REJECTED, f"the fix did more than making the value an IntImm: {oracle['message']}")
    if fixed.outcome in _INCONCLUSIVE:
        return Judged(Verdict.NOT_REACHED, f"the fixed kernel ended in {fixed.outcome}: {fixed.message}")
    wrong = _wrong(fixed)
    if wrong and original is not None and _fails_before_the_fix(original, fixed):
        return Judged(Verdict.FAILS, wrong)
    if wrong:
        return Judged(Verdict.FIX_REJECTED, _with_control(wrong, control))
    if original is None or original.outcome in _INCONCLUSIVE:
        why = "was not built" if original is None else f"ended in {original.outcome}: {original.message}"
        return Judged(Verdict.NOT_REACHED, f"the fixed kernel passes; the original {why}")
    short = _short_of(request, fixed)
    if short:
        return Judged(Verdict.NOT_REACHED, short)
    if fixed.facts.get("same"):
        return Judged(Verdict.OK, "no fix touches what is built with these arguments")
    harmless = original.passes and not _wrong(original)
    return Judged(Verdict.FIX_HARMLESS if harmless else Verdict.FIX_CONFIRMED)


def _plain(request: KernelRequest, original: Outcome) -> Judged:
    if original.outcome == NOT_INSTANTIATED:
        return Judged(Verdict.NOT_INSTANTIATED, original.message)
    if original.outcome == NOT_REACHED:
        return Judged(Verdict.NOT_REACHED, original.message)
    wrong = _wrong(original)
    if wrong:
        return Judged(Verdict.FAILS, wrong)
    short = _short_of(request, original)
    return Judged(Verdict.NOT_REACHED, short) if short else Judged(Verdict.OK)


def _wrong(outcome: Outcome) -> str:
    """Return what is wrong with a version, "" if nothing is."""
    if not outcome.passes:
        return f"{outcome.outcome}: {outcome.message}" if outcome.message else outcome.outcome
    failed: list[Check] = [check for check in outcome.checks if check.verdict == "fails"]
    if failed:
        return failed[0].message or failed[0].name
    comparison: dict[str, Any] | None = outcome.facts.get("comparison")
    if comparison is not None and not comparison["equal"]:
        return str(comparison.get("message") or "the outputs differ from those of the control")
    return ""


def _fails_before_the_fix(original: Outcome, fixed: Outcome) -> bool:
    """Whether neither version comes as far as a prim_func, for the same reason: the fix has no part in it."""
    if original.level is not Level.NONE or fixed.level is not Level.NONE:
        return False
    return (original.outcome, original.message) == (fixed.outcome, fixed.message)


def _with_control(wrong: str, control: Outcome | None) -> str:
    if control is not None and not control.passes and control.outcome != NOT_REACHED:
        return f"{wrong} (so does the kernel without its width: {control.outcome})"
    return wrong


def _short_of(request: KernelRequest, outcome: Outcome) -> str:
    """Return why the level that was asked for by name was not reached, "" if it was."""
    if not request.wanted or outcome.level >= request.level:
        return ""
    limits = request.machine.limits
    reasons = [limits[level] for level in Level if level > outcome.level and level in limits]
    return f"level {request.level} was not reached: {reasons[0] if reasons else 'the machine does not allow it'}"
