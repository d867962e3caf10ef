"""What a run found, file by file, with places that people and other tools can use. Data only."""

from __future__ import annotations

from dataclasses import dataclass, field

from tl_lint.model import Applicability, Position

__all__ = ["FileReport", "Finding", "FoundFix", "Replacement"]


@dataclass(frozen=True)
class Replacement:
    """Put `text` where the text from `start` up to `end` stands."""

    start: Position
    end: Position
    text: str


@dataclass(frozen=True)
class FoundFix:
    """A repair; `applies` says whether --fix would make it as things are configured."""

    title: str
    edits: tuple[Replacement, ...]
    applicability: Applicability
    applies: bool


@dataclass(frozen=True)
class Finding:
    """One finding. `noqa_row` is the line to put a noqa comment on, None where none would help."""

    code: str
    name: str
    message: str
    start: Position
    end: Position
    noqa_row: int | None
    fix: FoundFix | None = None


@dataclass(frozen=True)
class FileReport:
    """What is to be said about one file; `text` is what the findings' positions count in, None if it has none.

    `applied` counts the fixes by code, `before` and `after` are the file's bytes where fixes changed them, `refused`
    holds the codes whose fixes were given up and `reason` why.
    """

    path: str
    shown: str
    findings: tuple[Finding, ...] = ()
    text: str | None = None
    applied: dict[str, int] = field(default_factory=dict)
    before: bytes | None = None
    after: bytes | None = None
    refused: tuple[str, ...] = ()
    reason: str | None = None
