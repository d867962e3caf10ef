"""What a finding is made of. Data only: no logic, and no import of ours."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["CANNOT_ANALYSE", "CANNOT_ANALYSE_NAME", "Applicability", "Diagnostic", "Edit", "Fix", "Position", "Span"]

CANNOT_ANALYSE = "TLC000"
"""The code of the finding that stands for a file which could not be read or parsed."""
CANNOT_ANALYSE_NAME = "cannot-analyse"


class Applicability(str, Enum):
    """How far a fix may be trusted, in ruff's words."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"


@dataclass(frozen=True, order=True)
class Position:
    """A place for people: `line` from 1, `column` in code points from 0."""

    line: int
    column: int


@dataclass(frozen=True, order=True)
class Span:
    """A half-open range of code points in the decoded text of a file (without its byte order mark)."""

    start: int
    end: int


@dataclass(frozen=True, order=True)
class Edit:
    """Replace the code points from `start` up to `end` by `text`; `start == end` inserts."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Fix:
    """A repair: the sentence that offers it, edits that neither overlap nor touch, and how far to trust it."""

    title: str
    edits: tuple[Edit, ...]
    applicability: Applicability


@dataclass(frozen=True)
class Diagnostic:
    """One finding in one file: `code` such as "TLC001", `name` such as "coalesced-width-not-intimm"."""

    code: str
    name: str
    message: str
    span: Span
    fix: Fix | None = None
