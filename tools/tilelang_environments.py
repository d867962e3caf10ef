"""Finds or makes an environment with a Python, a given release of TileLang, and what tl-lint itself needs.

    python -m tools.tilelang_environments 0.1.15            prints the path of its interpreter
    python -m tools.tilelang_environments                   the same for every release that the rules know
    python -m tools.tilelang_environments --measure         and brings rules/*/evidence.json up to date with each
    python -m tools.tilelang_environments --check           and says where those files are not what each release does

An interpreter is, in this order: one of TL_LINT_TILELANG_PYTHON (paths, separated as in PATH); the running one; a
virtual environment in the user's cache folder, made on the first call and kept, about 1 GB each. pip's own settings
hold: PIP_EXTRA_INDEX_URL, for one, may name an index of torch's CPU builds, which are smaller.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tl_lint.verify.tvm_ffi import WORKING

__all__ = ["RELEASES", "cache_folder", "interpreter", "main"]

RELEASES = tuple(WORKING)
"""The releases that the rules were measured with, oldest first."""

_ROOT = Path(__file__).resolve().parent.parent
_VARIABLE = "TL_LINT_TILELANG_PYTHON"
_TILELANG = ("tilelang", "torch", "apache-tvm-ffi", "numpy")
_LINTER = ("flake8", "libcst", "packaging", "pathspec", "psutil", "pyyaml", "rich", 'tomli; python_version < "3.11"')
"""What tl_lint imports: with the checkout in PYTHONPATH it runs in these environments."""
_FURTHER = {RELEASES[-1]: ("ray",)}
"""What the tests want in one of them beside that; the name of a section of constraints.txt too."""


def interpreter(release: str) -> Path:
    """Return the Python that has TileLang `release`, after making it if need be.

    Raises subprocess.CalledProcessError if it cannot be installed.
    """
    for named in filter(None, os.environ.get(_VARIABLE, "").split(os.pathsep)):
        if _release_of(Path(named)) == release:
            return Path(named)
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        if importlib.metadata.version("tilelang") == release:
            return Path(sys.executable)
    return _made(release)


def cache_folder() -> Path:
    """Return the folder that is kept between runs, by the XDG rules."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tl-lint"


def main(arguments: Sequence[str]) -> int:
    """Make the environments that `arguments` name, measure in them if asked to; return 1 if --check found a difference.

    Raises subprocess.CalledProcessError if one cannot be installed, or cannot measure.
    """
    parser = argparse.ArgumentParser(
        prog="python -m tools.tilelang_environments", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("releases", nargs="*", default=RELEASES, metavar="RELEASE")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--measure", action="store_true", help="write what each does into rules/*/evidence.json")
    action.add_argument("--check", action="store_true", help="only say where those files are out of date")
    options = parser.parse_args(arguments)
    stale = 0
    for release in options.releases:
        python = interpreter(release)
        print(python, flush=True)
        if options.measure or options.check:
            stale |= _measure(python, check=options.check)
    return stale


def _measure(python: Path, *, check: bool) -> int:
    command = [str(python), "-m", "tl_lint.verify.evidence", *(["--check"] if check else [])]
    result = subprocess.run(command, cwd=_ROOT, env={**os.environ, "PYTHONPATH": str(_ROOT)}, check=False)
    if result.returncode > int(check):
        result.check_returncode()
    return result.returncode


def _release_of(python: Path) -> str:
    command = "import importlib.metadata; print(importlib.metadata.version('tilelang'))"
    result = subprocess.run([str(python), "-c", command], capture_output=True, text=True, check=False)
    return result.stdout.strip()


def _made(release: str) -> Path:
    """Return the Python of the environment in the cache folder; two processes at once make it once."""
    folder = cache_folder() / f"tilelang-{release}-py{sys.version_info.major}.{sys.version_info.minor}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    marker = folder / "complete.txt"
    pins = _pins(release)
    cache_folder().mkdir(parents=True, exist_ok=True)
    with _alone(folder.with_name(folder.name + ".lock")):
        # The marker is written last: a folder without it is what an interrupted run left.
        if not marker.exists() or not _fits(python, pins, _FURTHER.get(release, ())):
            shutil.rmtree(folder, ignore_errors=True)
            _install(folder, python, pins, release)
            marker.write_text(pins, encoding="utf-8")
    return python


_VERSIONS = "import importlib.metadata as m, json; print(json.dumps([[d.name, d.version] for d in m.distributions()]))"


def _fits(python: Path, pins: str, further: Sequence[str] = ()) -> bool:
    """Return whether an environment has all that it is made for, and nothing in another version than the pinned one."""
    if not python.exists():
        return False
    result = subprocess.run([str(python), "-c", _VERSIONS], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        return False
    versions = {canonicalize_name(name): version for name, version in json.loads(result.stdout)}
    if any(canonicalize_name(item.name) not in versions for item in _requirements((*_TILELANG, *_LINTER, *further))):
        return False
    pinned = _requirements(line for line in pins.splitlines() if line and not line.startswith("#"))
    found = ((item, versions.get(canonicalize_name(item.name))) for item in pinned)
    return all(version is None or item.specifier.contains(version, prereleases=True) for item, version in found)


def _requirements(texts: Iterable[str]) -> list[Requirement]:
    """Return those requirements that concern this Python."""
    return [item for item in map(Requirement, texts) if item.marker is None or item.marker.evaluate()]


def _pins(release: str) -> str:
    """Return what is installed for a release, and the constraints of it: other changes make no environment anew."""
    own = {"tilelang": release, **({"apache-tvm-ffi": WORKING[release]} if release in WORKING else {})}
    further = _FURTHER.get(release, ())
    wanted = [f"# with {', '.join((*_TILELANG, *_LINTER, *further))}"]
    left_out = {"test", "ray"} - set(further)
    kept: list[str] = []
    section = ""
    for line in (_ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            section = line.partition("[")[2].partition("]")[0]
        elif section not in left_out and line.partition("==")[0] not in own:
            kept.append(line)
    return "\n".join([*kept, *(f"{name}=={version}" for name, version in own.items()), *wanted, ""])


def _install(folder: Path, python: Path, pins: str, release: str) -> None:
    print(f"installing tilelang {release} into {folder}", file=sys.stderr, flush=True)
    outer_pip = importlib.util.find_spec("pip") is not None
    # Not every system's Python has ensurepip, which venv needs for a pip of its own.
    _run([sys.executable, "-m", "venv", *(["--without-pip"] if outer_pip else []), str(folder)])
    pip = [sys.executable, "-m", "pip", "--python", str(python)] if outer_pip else [str(python), "-m", "pip"]
    with tempfile.TemporaryDirectory() as temporary:
        constraints = Path(temporary) / "constraints.txt"
        constraints.write_text(pins, encoding="utf-8")
        quiet = ["--quiet", "--disable-pip-version-check"]
        _run([*pip, "install", *quiet, "-c", str(constraints), *_TILELANG, *_LINTER, *_FURTHER.get(release, ())])


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=sys.stderr)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold a lock that ends with the process, where the system has one."""
    with path.open("w", encoding="utf-8") as lock:
        with contextlib.suppress(ImportError):
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
