"""Reads what became of a child as the outcome of a kernel."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import Any

from tl_lint.verify.isolation import Ended
from tl_lint.verify.lines import last_line
from tl_lint.verify.model import Check, Level, Outcome

__all__ = ["NOT_INSTANTIATED", "NOT_REACHED", "PASSES", "outcome_of", "signal_name"]

PASSES = "passes"
NOT_INSTANTIATED = "not-instantiated"
NOT_REACHED = "not-reached"


_FRAME = re.compile(
    r'\s*(File "|#?\d+:? |!!!|\*\*\*|0x[0-9a-f]+|Stack trace|Segfault encountered|Current thread|Thread 0x)'
)


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
        return f"crashes {signal_name(ended.signal)}"
    if ended.exit_status is not None:
        return "exits"
    if "not_reached" in facts:
        return NOT_REACHED
    if ended.error or reached < wanted:
        return "fails"
    return PASSES


def signal_name(number: int) -> str:
    """Return the name of a signal, such as "SIGFPE", or "signal N" for one that this system has no name for."""
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
    return _said_before_death(log) if ended.signal else ""


def _said_before_death(log: str) -> str:
    """Return the last line that is not part of a list of frames, which say nothing to people."""
    lines = [line for line in log.splitlines() if not _FRAME.match(line)]
    return last_line("\n".join(lines))
