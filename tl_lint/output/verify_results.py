"""What the boundary oracle, a run on a GPU and the traced kernel said, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["results"]

_SETTLED = {
    "fact": "is a fact here: the value is no IntImm",
    "cleared": "is cleared here: the value is an IntImm",
}


def results(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each of the `facts` of a row that is there."""
    if oracle := facts.get("oracle"):
        yield _boundary(oracle)
    if control := facts.get("control"):
        yield str(control)
    if comparison := facts.get("comparison"):
        yield _compared(comparison, facts.get("gpu"))
    if reference := facts.get("reference"):
        yield _against_reference(reference)
    if timing := facts.get("timing"):
        yield from _timed(timing)
    if no_timing := facts.get("no_timing"):
        yield f"was not timed: {no_timing}"
    for finding in facts.get("findings") or ():
        said = _SETTLED.get(finding["outcome"], "stays open: not seen here")
        fix = "; --unsafe-fixes has a fix for it" if finding.get("fixable") and finding["outcome"] == "fact" else ""
        yield f"{finding['code']} of line {finding['line']} {said}{fix}"


def _boundary(oracle: Mapping[str, Any]) -> str:
    if oracle.get("equal") is None:
        return f"the original cannot be traced with its ints made IntImm by T.Parallel: {oracle.get('message')}"
    if oracle.get("equal"):
        return "same TIR as the original's with its ints made IntImm by T.Parallel"
    return f"other TIR than the original's with its ints made IntImm by T.Parallel: {oracle.get('message')}"


def _compared(comparison: Mapping[str, Any], gpu: object) -> str:
    where = f" on {gpu}" if gpu else ""
    other = "those of its control" if comparison.get("against") == "control" else "its own of a second run"
    how = f", {comparison['how']}" if comparison.get("how") else ""
    message = comparison.get("message")
    if comparison.get("equal"):
        written = ", ".join(comparison.get("written") or ()) or "none"
        return f"outputs equal {other}{where}{how} (written: {written}){f'; {message}' if message else ''}"
    return f"outputs differ from {other}{where}: {message or ', '.join(comparison.get('differing') or ())}"


def _against_reference(case: Mapping[str, Any]) -> str:
    if case.get("equal"):
        return "outputs equal those of the reference"
    verb = "were not compared with" if case.get("equal") is None else "differ from"
    return f"outputs {verb} those of the reference: {case.get('message')}"


def _timed(timing: Mapping[str, Any]) -> Iterator[str]:
    fixed, control = timing.get("fixed"), timing.get("control")
    if not fixed:
        return
    if not control:
        yield f"takes {_spread(fixed)}"
        return
    yield f"takes {_spread(fixed)}, without the width {_spread(control)}: {_ratio(fixed, control)}"


def _spread(time: Mapping[str, Any]) -> str:
    return f"{time['median_us']} µs ({time['lower_quartile_us']} to {time['upper_quartile_us']})"


def _ratio(fixed: Mapping[str, Any], control: Mapping[str, Any]) -> str:
    """Say how much faster the width makes the kernel, unless the middle halves of the times overlap."""
    apart = (
        fixed["upper_quartile_us"] < control["lower_quartile_us"]
        or control["upper_quartile_us"] < fixed["lower_quartile_us"]
    )
    if not apart or not fixed["median_us"]:
        return "no difference beyond the spread"
    return f"{control['median_us'] / fixed['median_us']:.2f} times as fast"
