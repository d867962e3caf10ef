"""What a verification is made of. Data only; it imports the standard library alone, so that children can use it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Any

__all__ = [
    "GPU_LOCK",
    "SURE_SOURCES",
    "Attempt",
    "Check",
    "FoundKernel",
    "Level",
    "Outcome",
    "Parameter",
    "Row",
    "Verdict",
    "Version",
]

GPU_LOCK = "TL_LINT_GPU_LOCK"
"""The environment variable that names the file which processes lock that take turns on a GPU."""
SURE_SOURCES = frozenset({"call", "pyproject", "comment", "defaults"})
"""Sources of arguments that somebody wrote down for the kernel: if it does not trace with them, it fails."""


class Level(IntEnum):
    """How far a kernel is taken; each level implies those before it."""

    NONE = 0
    TRACE = 1
    """The prim_func is built and its TIR walked."""
    LOWER = 2
    """CUDA source is emitted."""
    COMPILE = 3
    """nvcc or NVRTC makes a cubin of it."""
    RUN = 4
    """It runs on a GPU, and its outputs are compared."""

    @classmethod
    def named(cls, name: str) -> Level:
        """Return the level called `name`, such as "lower". Raises KeyError if there is none."""
        return cls[name.upper()]

    def __str__(self) -> str:
        return self.name.lower()


class Version(str, Enum):
    """Which form of a kernel is built."""

    ORIGINAL = "original"
    FIXED = "fixed"
    CONTROL = "control"
    """The fixed TIR without its coalesced_width annotations: a hint to the optimiser cannot change results."""


class Verdict(str, Enum):
    """What is said of a kernel in the end."""

    FIX_CONFIRMED = "fix-confirmed"
    """The original fails, the fixed kernel passes."""
    FIX_HARMLESS = "fix-harmless"
    """Both pass."""
    FIX_REJECTED = "fix-rejected"
    """The fixed kernel fails, or the fix did something else than it says: the file is not touched."""
    OK = "ok"
    """There is nothing to fix, and it passes."""
    FAILS = "fails"
    """There is nothing to fix, and it fails."""
    NOT_INSTANTIATED = "not-instantiated"
    """No arguments were found that build it; that says nothing about the kernel."""
    NOT_REACHED = "not-reached"
    """The level asked for could not be reached on this machine, or something outside the kernel stood in the way."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel's function. `default` and `annotation` are source text, None where there is none."""

    name: str
    annotation: str | None = None
    default: str | None = None
    keyword_only: bool = False


@dataclass(frozen=True)
class FoundKernel:
    """A function of a file that is a kernel or makes one, as read from its source; nothing was run.

    `name` is dotted for a method ("Class.method"). `form` says how it becomes a prim_func: "prim_func" (it is one),
    "jit" (a tilelang.jit function, lazy or eager), "factory" (a plain function that returns one). `line` and
    `end_line` count from 1 and include the decorators.
    """

    name: str
    form: str
    parameters: tuple[Parameter, ...]
    line: int
    end_line: int


@dataclass(frozen=True)
class Attempt:
    """Arguments to try, as in a call: "M=1024, dtype='float16'"; `source` says where they come from.

    Sources: "call", "pyproject", "comment", "defaults", "file" (the file's own call), "autotune", "guess".
    """

    arguments: str
    source: str


@dataclass(frozen=True)
class Check:
    """Something looked at beside whether a kernel builds. `verdict` is "ok", "warns" or "fails"."""

    name: str
    verdict: str
    message: str = ""
    line: int | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of one version of a kernel.

    `level` is the last one it passed. `outcome` is "passes", "fails", "crashes SIGFPE" (or another signal), "timeout",
    "out of memory", "exits" (the code ended its process), "not-instantiated" or "not-reached"; `message` is the last
    line of what the compiler said, "" if it said nothing; `log` all of it. `facts` is what the child told beside.
    """

    level: Level
    outcome: str
    message: str = ""
    log: str = ""
    checks: tuple[Check, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def passes(self) -> bool:
        """Whether it came as far as it was asked to."""
        return self.outcome == "passes"


@dataclass(frozen=True)
class Row:
    """What verification says of one kernel with one set of arguments. See README for the JSON of it.

    `requested_width` and `effective_width` count elements: an int, a list of them where several loops differ, or None
    where no width was asked for, or none is read.
    """

    path: str
    kernel: str
    verdict: Verdict
    args: str = ""
    args_source: str = ""
    tilelang: str | None = None
    target: str | None = None
    level: Level = Level.NONE
    original: Outcome | None = None
    fixed: Outcome | None = None
    control: Outcome | None = None
    requested_width: int | list[int | None] | None = None
    effective_width: int | list[int | None] | None = None
    message: str = ""
    """One line: why the verdict is what it is, where that is not plain; why a level was not reached."""
    checks: tuple[Check, ...] = ()
    seconds: float = 0.0
    line: int = 0
    """Where the kernel starts, from 1."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Further results: "oracle", "comparison", "timing", "findings" (TLC002 that became facts or were cleared)."""
