"""Reads what became of a child as the outcome of a kernel."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

from tl_lint.verify.isolation import Ended
from tl_lint.verify.model import Check, Level, Outcome

__all__ = ["NOT_INSTANTIATED", "NOT_REACHED", "PASSES", "last_line", "outcome_of"]

PASSES = "passes"
NOT_INSTANTIATED = "not-instantiated"
NOT_REACHED = "not-reached"


def outcome_of(ended: Ended, wanted: Level, scratch: Path | None = None) -> Outcome:
    """Return the outcome of a child that was to reach `wanted`; `scratch` is the folder it could write in.

    `facts` holds what it told, the last word on each; `facts["stage"]` is where it was at the end.
    """
    facts: dict[str, Any] = {}
    checks: list[Check] = []
    reached = Level.NONE
    for told in ended.told:
        checks += [Check(**check) for check in told.get("checks", ())]
        if "reached" in told:
            reached = Level.named(told["reached"])
        facts.update({key: value for key, value in told.items() if key not in ("checks", "reached")})
    log = _with_compiler_log(ended, scratch)
    word = _word(ended, facts, reached, wanted)
    message = _message(ended, word, facts, log)
    return Outcome(reached, word, message, log, tuple(checks), facts)


def _word(ended: Ended, facts: dict[str, Any], reached: Level, wanted: Level) -> str:
    if ended.timed_out:
        return "timeout"
    if ended.out_of_memory:
        return "out of memory"
    if ended.signal:
        return f"crashes {_signal_name(ended.signal)}"
    if ended.exit_status is not None:
        return "exits"
    if "not_reached" in facts:
        return NOT_REACHED
    if ended.error or reached < wanted:
        return "fails"
    return PASSES


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _with_compiler_log(ended: Ended, scratch: Path | None) -> str:
    """Return what was printed; what the compiler printed before it killed the process stands in a file only."""
    if scratch is None or not (ended.signal or ended.timed_out or ended.out_of_memory):
        return ended.log
    try:
        kept = (scratch / "compiler.log").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ended.log
    return ended.log if kept in ended.log else ended.log + kept


def _message(ended: Ended, word: str, facts: dict[str, Any], log: str) -> str:
    if word == PASSES:
        return ""
    if word == NOT_REACHED:
        return str(facts["not_reached"])
    if ended.error:
        return last_line(ended.error)
    if word == "exits":
        return f"the code ended its process with status {ended.exit_status}"
    if word == "timeout":
        return f"not done after {ended.seconds:.0f} s, at the stage {facts.get('stage', 'start')}"
    return last_line(log) if ended.signal else ""


def last_line(text: str) -> str:
    """Return the last line that says something, "" if none does."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""
