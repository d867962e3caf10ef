"""What this environment consists of: read from metadata, asked of child processes; nothing is imported here."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

from tl_lint.verify.cache import cache_folder
from tl_lint.verify.isolation import Ended, Isolation, Limits
from tl_lint.verify.lines import last_line
from tl_lint.verify.machine import unsupervised

__all__ = ["OWN_REQUIREMENTS", "Import", "Surroundings", "Unmet", "look_around"]

OWN_REQUIREMENTS = (
    "flake8>=6,<8",
    "libcst>=1.9,<2",
    "packaging>=22",
    "pathspec>=0.12",
    "rich>=13",
    'tomli>=2; python_version < "3.11"',
)
"""What pyproject.toml asks for; tl-lint may run from a checkout, which has no metadata."""

_IMPORTED = "tl_lint.verify.child.importing:imported"
_LIMITS = Limits(180.0)


@dataclass(frozen=True)
class Import:
    """What importing a module came to: `error` is "" or one line; `facts` is what child/importing.py tells of it."""

    error: str = ""
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Unmet:
    """A requirement of `owner` ("tilelang 0.1.15") that is not met; `installed` is None where nothing is."""

    owner: str
    requirement: str
    installed: str | None


@dataclass(frozen=True)
class Surroundings:
    """The environment of the running Python.

    `versions` are those of distributions, `unmet` the requirements of TileLang and tl-lint that are not met,
    `gpus` the names that nvidia-smi gives. `unsupervised` is why no task can be run here, "" if they can. `tilelang`
    and `torch` are None where they are not installed, or no task can be run.
    `after_tvm` is what importing TileLang comes to where another tvm was imported before, None if there is no other;
    `z3_missing` the folder where TileLang's libraries look for libz3 in vain, `cache` that where tl-lint keeps results.
    """

    python: str
    executable: str
    versions: dict[str, str]
    unmet: tuple[Unmet, ...] = ()
    gpus: tuple[str, ...] = ()
    unsupervised: str = ""
    torch: Import | None = None
    tilelang: Import | None = None
    after_tvm: Import | None = None
    z3_missing: str | None = None
    cache: str | None = None


def look_around() -> Surroundings:
    """Return what there is. A release that cannot be imported is a result, as all else is."""
    names = ("tilelang", "torch", "apache-tvm-ffi", "apache-tvm", "z3-solver", "numpy", "psutil", "flake8", "libcst")
    versions = {name: version for name in names if (version := _version(name)) is not None}
    reason = unsupervised()
    installed = [name for name in ("torch", "tilelang") if name in versions and not reason]
    tvm, found = _imports(installed)
    after_tvm = None
    if tvm is not None and "tilelang" in found and not found["tilelang"].error:
        after_tvm = _imports(["tvm", "tilelang"])[1]["tilelang"]
    return Surroundings(
        python=platform.python_version(),
        executable=sys.executable,
        versions=versions,
        unmet=_unmet(),
        gpus=_gpus(),
        unsupervised=reason,
        torch=found.get("torch"),
        tilelang=found.get("tilelang"),
        after_tvm=after_tvm,
        z3_missing=_z3_missing() if "tilelang" in versions else None,
        cache=None if (folder := cache_folder()) is None else str(folder),
    )


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except (metadata.PackageNotFoundError, KeyError, TypeError):  # metadata without a version
        return None


def _imports(modules: Sequence[str]) -> tuple[str | None, dict[str, Import]]:
    """Import in a new Python, one after the other; return the file of a tvm that it finds by itself, and each module's.

    If one fails, those after it are tried without it.
    """
    if not modules:
        return None, {}
    with Isolation(preload=(), method="spawn") as isolation:
        ended = isolation.call(_IMPORTED, {"modules": list(modules)}, _LIMITS)
    facts: dict[str, Any] = {}
    for told in ended.told:
        facts.update(told)
    found = {name: Import(facts=facts[name]) for name in modules if name in facts}
    failed = next((number for number, name in enumerate(modules) if name not in facts), None)
    if failed is not None:
        rest = modules[failed + 1 :]
        found |= {modules[failed]: Import(_reason(ended)), **(_imports(rest)[1] if rest else {})}
    return facts.get("tvm"), found


def _reason(ended: Ended) -> str:
    if ended.error:
        return last_line(ended.error)
    if ended.timed_out:
        return f"it is not done after {_LIMITS.seconds:.0f} s"
    said = last_line(ended.log)
    died = f"its process died of signal {ended.signal}" if ended.signal else "its process ended"
    return f"{died}: {said}" if said else died


def _unmet() -> tuple[Unmet, ...]:
    release = _version("tilelang")
    theirs = metadata.requires("tilelang") or [] if release is not None else []
    pairs = [*((f"tilelang {release}", text) for text in theirs), *(("tl-lint", text) for text in OWN_REQUIREMENTS)]
    return tuple(dict.fromkeys(found for owner, text in pairs if (found := _checked(owner, text)) is not None))


def _checked(owner: str, text: str) -> Unmet | None:
    """Return a requirement if it is not met; one of an extra, or that cannot be read, counts as met."""
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return None
    if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
        return None
    installed = _version(requirement.name)
    if installed is not None and requirement.specifier.contains(installed, prereleases=True):
        return None
    return Unmet(owner, f"{requirement.name}{requirement.specifier}", installed)


def _gpus() -> tuple[str, ...]:
    command = shutil.which("nvidia-smi")
    if command is None:
        return ()
    query = [command, "--query-gpu=name", "--format=csv,noheader"]
    result = subprocess.run(query, capture_output=True, text=True, check=False)
    return tuple(filter(None, map(str.strip, result.stdout.splitlines()))) if result.returncode == 0 else ()


def _z3_missing() -> str | None:
    """Return where libz3 is looked for and is not, None if it is there or TileLang's files cannot be told."""
    files = metadata.files("tilelang") or []
    libraries = [file for file in files if file.parts[:2] == ("tilelang", "lib")]
    if sys.platform != "linux" or not libraries:
        return None
    packages = Path(str(libraries[0].locate())).parent.parent.parent
    folder = packages / "z3" / "lib"
    return None if any(folder.glob("libz3.so*")) else str(folder)
