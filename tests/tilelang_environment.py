"""Finds or makes a Python that has a given release of TileLang, for the tests that compile.

    python tests/tilelang_environment.py 0.1.15

prints the path of its interpreter. In this order: one of TL_LINT_TILELANG_PYTHON (paths, separated as in PATH); the
running interpreter; a virtual environment in the user's cache folder, made on the first call and kept. pip's own
settings hold: PIP_EXTRA_INDEX_URL, for one, may name an index of torch's CPU builds, which are smaller.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["cache_folder", "interpreter"]

_CONSTRAINTS = Path(__file__).resolve().parent.parent / "constraints.txt"
_VARIABLE = "TL_LINT_TILELANG_PYTHON"


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
        if not marker.exists() or marker.read_text(encoding="utf-8") != pins or _release_of(python) != release:
            shutil.rmtree(folder, ignore_errors=True)
            _install(folder, python, pins, release)
            marker.write_text(pins, encoding="utf-8")
    return python


def _pins(release: str) -> str:
    """Return constraints.txt with TileLang's own line replaced."""
    lines = _CONSTRAINTS.read_text(encoding="utf-8").splitlines()
    return "\n".join([*(line for line in lines if not line.startswith("tilelang==")), f"tilelang=={release}", ""])


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
        _run([*pip, "install", *quiet, "-c", str(constraints), "tilelang", "torch", "apache-tvm-ffi", "numpy"])


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
    print(interpreter(sys.argv[1]))
