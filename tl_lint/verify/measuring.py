"""What the installed TileLang does with the example kernels of a rule, and where that contradicts the rule."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from packaging.version import Version

from tl_lint.releases import KNOWN, Target
from tl_lint.rule import Rule
from tl_lint.verify.examples import Example
from tl_lint.verify.isolation import Isolation
from tl_lint.verify.model import Attempt, Level, Row
from tl_lint.verify.outcomes import NOT_INSTANTIATED
from tl_lint.verify.proving import prove
from tl_lint.verify.requests import KernelRequest, Machine

__all__ = ["ARCHITECTURE", "Measured", "Width", "contradictions", "measure"]

ARCHITECTURE = "sm_90"
"""What the examples are lowered for; that needs no GPU."""

Width = int | list[int | None] | None
"""Of each loop and copy that has one, in elements; of all where they agree."""


@dataclass(frozen=True)
class Measured:
    """What became of a kernel at level lower: see `model.Outcome`.

    `message` is the same in every run: it names no folder and no address. `requested` and `effective` are None where
    there is no width; an effective one is where the compiler does not read the one that was asked for.
    """

    outcome: str
    level: str
    message: str = ""
    requested: Width = None
    effective: Width = None

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Measured:
        """Return what `json` was made of."""
        return cls(**data)

    @property
    def json(self) -> dict[str, Any]:
        """As a JSON object; what is empty is left out."""
        return {key: value for key, value in vars(self).items() if value not in (None, "")}

    @property
    def refused(self) -> bool:
        """Whether Python or TileLang's language raised before there was a prim_func."""
        return self.outcome in ("fails", NOT_INSTANTIATED) and self.level == str(Level.NONE)

    @property
    def other_width(self) -> bool:
        """Whether it lowers with another width than it asks for; one that is not positive cannot come out."""
        if self.outcome != "passes":
            return False
        asked, used = _widths(self.requested), _widths(self.effective)
        used = used * len(asked) if len(used) == 1 else used
        pairs = zip(asked * len(used) if len(asked) == 1 else asked, used, strict=True)
        return any(got is not None and (got != wanted or got <= 0) for wanted, got in pairs)

    @property
    def fails(self) -> bool:
        """Whether it does not lower with the width asked for."""
        return self.outcome != "passes" or self.other_width


def _widths(width: Width) -> list[int | None]:
    return width if isinstance(width, list) else [width]


def _agreed(widths: Sequence[int | None] | None) -> Width:
    """Return the width that all have, else all; None if there is none."""
    different = set(widths or ())
    return list(widths or ()) if len(different) > 1 else different.pop() if different else None


def measure(
    examples: Sequence[Example], release: str, isolation: Isolation, *, jobs: int | None = None, seconds: float = 120.0
) -> dict[str, Measured]:
    """Return what the installed TileLang, `release`, does with each of `examples`, by their keys.

    Each is lowered for sm_90 in a child of its own, `jobs` at a time (as many as there are processors if None), which
    has `seconds`. Raises RuntimeError if tl-lint itself fails in a child, which says nothing of the kernel.
    """
    machine = Machine(release, ARCHITECTURE)

    def measured(example: Example) -> Measured:
        return _measured(prove(_request(example, machine, seconds), isolation))

    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        return dict(zip([example.key for example in examples], pool.map(measured, examples), strict=True))


def contradictions(rule: Rule, release: str, examples: Sequence[Example], found: Mapping[str, Measured]) -> list[str]:
    """Return, a line each, where what was found is not what the rule says of `release`; [] if it says nothing of it.

    What the rule reports has to fail. What it does not report, and what a fix changed, has to lower as asked for; a
    release older than the newest may refuse it for want of something else, in other words than it has for what is
    reported.
    """
    if not Target.parse(release).holds(rule.releases):
        return []
    reported = [example for example in examples if example.file.name == "bad.py"]
    codes = {example.code for example in reported}
    faults = {_fault(found[example.key]) for example in reported if example.key in found} - {None}
    against = []
    for example in examples:
        result = found.get(example.key)
        if result is None:
            continue
        if example.file.name != "good.py" and example.code in codes:
            if not result.fails:
                against.append(f"{rule.code} {example.key} lowers in {release}, one of the rule's {rule.releases}")
        elif result.fails and (Version(release) >= KNOWN[-1] or _fault(result) in faults):
            against.append(f"{rule.code} {example.key} fails in {release}: {_described(result)}")
    return against


def _fault(result: Measured) -> tuple[str, str] | None:
    """Return what went wrong, None if the release has no such kernel at all."""
    return None if result.refused else (result.outcome, result.message)


def _described(result: Measured) -> str:
    if result.other_width:
        return f"width {result.requested} asked for, {result.effective} came out"
    return f"{result.outcome}: {result.message}" if result.message else result.outcome


def _request(example: Example, machine: Machine, seconds: float) -> KernelRequest:
    return KernelRequest(
        path=str(example.file),
        shown=example.file.name,
        kernel=example.name,
        line=example.line,
        end_line=example.end_line,
        attempts=(Attempt(example.arguments, "comment"),),
        original=example.text,
        machine=machine,
        level=Level.LOWER,
        seconds=seconds,
    )


def _measured(row: Row) -> Measured:
    outcome = row.original
    assert outcome is not None
    internal = [check.message for check in outcome.checks if check.name == "internal"]
    if internal:
        raise RuntimeError(f"{row.path}::{row.kernel}: {internal[0]}")
    message = _lasting(outcome.message.removeprefix("the file cannot be imported: "))
    requested, effective = (_agreed(outcome.facts.get(f"{name}_widths")) for name in ("requested", "effective"))
    return Measured(outcome.outcome, str(outcome.level), message, requested, effective)


def _lasting(message: str) -> str:
    """Return a message without the folders and addresses in it, which are others in the next run."""
    message = re.sub(r"(?<![\w.])(?:/[\w.+~-]+)+/(?=[\w.+~-])", "", message)
    return re.sub(r"\b0x[0-9a-fA-F]+", "0x...", message)
