"""What is to be done with which file. Data only; goes between processes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tl_lint.config import Options
from tl_lint.selection import NOTHING_SAID, Selection

__all__ = ["Action", "File", "Run"]


class Action(Enum):
    """What to do with the fixes: offer them, write them, or hand back the text with them made."""

    CHECK = "check"
    WRITE = "write"
    COMPUTE = "compute"


@dataclass(frozen=True)
class File:
    """A file to check: its absolute path, how to call it, and the options that hold for it.

    `trouble` says why it could not even be looked at.
    """

    path: str
    shown: str
    options: Options
    trouble: str | None = None


@dataclass(frozen=True)
class Run:
    """What is the same for every file of a run."""

    selection: Selection = NOTHING_SAID
    action: Action = Action.CHECK
