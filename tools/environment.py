"""Makes .venv in a checkout and installs tl-lint into it, editable. Needs nothing but Python and pip.

    python3 -m tools.environment

installs what the tests and checks need as well. A second run brings an older .venv up to date.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

__all__ = ["ROOT", "make", "scripts"]

ROOT = Path(__file__).resolve().parent.parent
_FOLDER = ROOT / ".venv"


def scripts() -> Path:
    """Return the folder of the commands that `make` installs."""
    return _FOLDER / ("Scripts" if os.name == "nt" else "bin")


def make(extra: str | None = None) -> Path:
    """Make or update .venv with tl-lint and the requirements of `extra`, and return the path of its Python.

    Versions are those of constraints.txt. Raises SystemExit if this Python is too old or an installation fails.
    """
    if sys.version_info < (3, 10):  # noqa: UP036  (this file is what an older Python gets to run)
        raise SystemExit(f"tl-lint needs Python 3.10 or later, this is {sys.version.split()[0]}")
    python = scripts() / ("python.exe" if os.name == "nt" else "python")
    if not python.exists():
        _create(python)
    requirement = f"{ROOT}[{extra}]" if extra else str(ROOT)
    print("setting up .venv", file=sys.stderr, flush=True)
    _run([str(python), "-m", "pip", "install", *_QUIET, "-c", str(ROOT / "constraints.txt"), "-e", requirement])
    return python


_QUIET = ("-qq", "--disable-pip-version-check")


def _create(python: Path) -> None:
    if importlib.util.find_spec("ensurepip"):
        _run([sys.executable, "-m", "venv", str(_FOLDER)])
        return
    # Debian keeps ensurepip in a package of its own: let this Python's pip install one into the environment.
    _run([sys.executable, "-m", "venv", "--without-pip", str(_FOLDER)])
    _run([sys.executable, "-m", "pip", "--python", str(python), "install", *_QUIET, "pip"])


def _run(command: list[str]) -> None:
    code = subprocess.call(command, cwd=ROOT)
    if code:
        raise SystemExit(f"failed with exit code {code}: {' '.join(command)}")


if __name__ == "__main__":
    make("test")
