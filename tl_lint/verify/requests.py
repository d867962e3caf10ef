"""What has to be known to verify one kernel, wherever that is done: data that can be pickled and sent."""

from __future__ import annotations

from dataclasses import dataclass, field

from tl_lint.verify.model import Attempt, Level

__all__ = ["KernelRequest", "Machine", "Suspicion"]


@dataclass(frozen=True)
class Machine:
    """What the machine that builds the kernels has.

    `architecture` is such as "sm_90", that of the GPU or of the target. `compiler` is None and `gpus` 0 where there is
    none; `limits` says in one line why a level cannot be reached.
    """

    tilelang: str
    architecture: str
    compiler: str | None = None
    gpu: str | None = None
    gpus: int = 0
    limits: dict[Level, str] = field(default_factory=dict)

    @property
    def highest(self) -> Level:
        """The last level that can be reached here."""
        return max(level for level in Level if not any(limit <= level for limit in self.limits))


@dataclass(frozen=True)
class Suspicion:
    """A finding that says "may": `line` to `end_line` (from 1) are those of the call that it is about.

    `fixable` is whether a fix is there that was not asked for.
    """

    code: str
    line: int
    end_line: int
    fixable: bool = False


@dataclass(frozen=True)
class KernelRequest:
    """One kernel with the arguments to try.

    `path` is absolute, `shown` what people are to read. `original` and `fixed` are the texts of the whole file, `fixed`
    None where no fix touches the kernel; `codes` are those whose fixes do. `tir`, `fixed_tir` and `coerced_tir` (the
    original with its ints coerced) are JSON of prim_funcs captured by a driver, in place of building them from the
    texts; `error` and `fixed_error` are what was raised in place of one. `level` is the one to reach, `wanted` whether
    it was asked for by name. `seconds` and `memory` (bytes) limit each child.
    """

    path: str
    shown: str
    kernel: str
    line: int
    end_line: int
    attempts: tuple[Attempt, ...]
    original: str
    machine: Machine
    level: Level
    wanted: bool = True
    fixed: str | None = None
    codes: tuple[str, ...] = ()
    tir: str | None = None
    error: str = ""
    fixed_tir: str | None = None
    fixed_error: str = ""
    coerced_tir: str | None = None
    suspicions: tuple[Suspicion, ...] = ()
    seconds: float = 120.0
    memory: int | None = None
    keep: bool = False
    seed: int = 0
    reference: str | None = None

    @property
    def has_fix(self) -> bool:
        """Whether a fix touches the kernel."""
        return self.fixed is not None or self.fixed_tir is not None or bool(self.fixed_error)
