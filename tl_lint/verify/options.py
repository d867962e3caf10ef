"""What a verification is asked to do. Data only, made by the front end; the standard library is all it imports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tl_lint.verify.model import Level

if TYPE_CHECKING:
    from tl_lint.config import Settings
    from tl_lint.source import Source

__all__ = ["DEFAULT_TIMEOUT", "ConfiguredKernel", "VerifyFile", "VerifyOptions"]

DEFAULT_TIMEOUT = 120.0
"""Seconds that one version of a kernel may take on all its levels."""


@dataclass(frozen=True)
class ConfiguredKernel:
    """One entry of [[tool.tl-lint.verify.kernels]] whose `path` matches the file it is handed out with.

    `name` is a kernel's, dotted for a method, `arguments` the text of a call's arguments ("M=1024, N=1024") or None
    where the entry has none, `reference` "module:function" or None.
    """

    name: str
    arguments: str | None = None
    reference: str | None = None


@dataclass(frozen=True)
class VerifyFile:
    """A file that may hold kernels. `path` is absolute, `shown` what people are to read.

    `source` is the file as it was read once, which is what gets verified and what a fix expects to find. `kernels`
    are the patterns behind PATH::KERNEL (fnmatch on the dotted name), () for all. `settings` decide which fixes count.
    """

    path: str
    shown: str
    source: Source
    settings: Settings
    kernels: tuple[str, ...] = ()
    configured: tuple[ConfiguredKernel, ...] = ()


@dataclass(frozen=True)
class VerifyOptions:
    """Everything that one run of the verifier depends on.

    `files` are in the order to report in. `level` is None for as far as the machine allows. `target` is "cuda"
    (for the GPU found, or a default architecture) or, with an architecture, such as "cuda -arch=sm_90". `calls` are the
    texts of --call ("matmul(M=1024)"). `fix` says that fixes are to be written afterwards (by verify.applying, not by
    the verifier); whether unsafe ones count is in every file's settings. `timeout` is in seconds a version of a kernel,
    `memory` in bytes a child, None for no limit. `jobs` is None for as many as pay. `shard` is (I, N) with
    1 <= I <= N, over all kernels of `files` in their order. `driver` is a command, split as a shell would, or (); `ray`
    is None for the local pool, "" or an address for a Ray cluster. `keep` is a folder for everything a kernel left,
    written by the front end from the rows. `reference` is "module:function" for every kernel that has none of its own
    in `configured`.
    """

    files: tuple[VerifyFile, ...] = ()
    level: Level | None = None
    target: str = "cuda"
    calls: tuple[str, ...] = ()
    fix: bool = False
    timeout: float = DEFAULT_TIMEOUT
    memory: int | None = None
    jobs: int | None = None
    shard: tuple[int, int] | None = None
    driver: tuple[str, ...] = ()
    ray: str | None = None
    keep: str | None = None
    cache: bool = True
    seed: int = 0
    reference: str | None = None
