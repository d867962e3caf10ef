"""Rows of a verification, made by hand: data for the tests of what is written about them."""

from __future__ import annotations

from typing import Any

from tl_lint.verify.model import Check, Level, Outcome, Row, Verdict

ABORT = "coalesced_width should be an IntImmNode."

OK = Row(
    "/p/a.py", "gemm", Verdict.OK, "M=64, N=64", "guess", "0.1.15", "cuda:sm_90", Level.COMPILE, seconds=1.5, line=3
)


def passing(level: Level = Level.COMPILE, **facts: Any) -> Outcome:
    """Return the outcome of a version that came as far as it was asked to."""
    return Outcome(level, "passes", facts=facts)


def failing(message: str = ABORT, outcome: str = "fails", level: Level = Level.TRACE, log: str = "") -> Outcome:
    """Return the outcome of a version that went wrong."""
    return Outcome(level, outcome, message, log, facts={"stage": "lower"})


def row(verdict: Verdict, kernel: str = "scale", path: str = "/p/a.py", **changes: Any) -> Row:
    """Return a row with what a verdict brings: outcomes of the versions, a message."""
    versions: dict[str, Any] = {
        Verdict.OK: {"original": passing(), "level": Level.COMPILE},
        Verdict.FAILS: {"original": failing(), "level": Level.TRACE, "message": f"fails: {ABORT}"},
        Verdict.FIX_CONFIRMED: {
            "original": failing(), "fixed": passing(), "control": passing(), "level": Level.COMPILE,
        },
        Verdict.FIX_HARMLESS: {
            "original": passing(), "fixed": passing(), "control": passing(), "level": Level.COMPILE,
        },
        Verdict.FIX_REJECTED: {
            "original": failing(), "fixed": failing("not divisible"), "control": passing(), "level": Level.TRACE,
            "message": "fails: not divisible",
        },
        Verdict.NOT_INSTANTIATED: {"original": failing("no M", "not-instantiated", Level.NONE), "message": "no M"},
        Verdict.NOT_REACHED: {"original": passing(), "level": Level.COMPILE, "message": "run was not reached: no GPU"},
    }[verdict]  # fmt: skip
    return Row(path, kernel, verdict, **{"args_source": "defaults", **versions, **changes})


WARNS = Check("width", "warns", "8 was asked for, 4 used", 7)
