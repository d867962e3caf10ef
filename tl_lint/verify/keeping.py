"""--keep: everything that a kernel left, as files under FOLDER/<file>/<kernel>/."""

from __future__ import annotations

import hashlib
import re
import tempfile
from pathlib import Path

from tl_lint.verify.model import Outcome, Row

__all__ = ["keep_file", "keep_row", "make_folder", "safe_name"]

_SAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 80


def make_folder(folder: Path) -> None:
    """Make the folder if it is not there, and see that files can be written into it. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def keep_row(folder: Path, shown: str, row: Row, described: str) -> Path:
    """Write what `row` has to say and return the folder of it; `described` is the row as JSON.

    original.log, fixed.log and control.log hold what was said, .tir and .cu beside them the TIR and the CUDA source
    where the kernel came as far. Raises OSError.
    """
    place = _place(folder, shown) / safe_name(f"{row.kernel}({row.args})" if row.args else row.kernel)
    place.mkdir(parents=True, exist_ok=True)
    _write(place / "row.json", described)
    for name, outcome in (("original", row.original), ("fixed", row.fixed), ("control", row.control)):
        if outcome is not None:
            _write(place / f"{name}.log", _log(outcome))
            for fact, suffix in (("tir", "tir"), ("cuda", "cu")):
                if outcome.facts.get(fact):
                    _write(place / f"{name}.{suffix}", str(outcome.facts[fact]))
    return place


def keep_file(folder: Path, shown: str, data: bytes) -> None:
    """Write the bytes that a file has with its fixes made as fixed.py beside the folders of its kernels."""
    place = _place(folder, shown)
    place.mkdir(parents=True, exist_ok=True)
    (place / "fixed.py").write_bytes(data)


def _place(folder: Path, shown: str) -> Path:
    """Return where what belongs to a file goes: the folders of its path, below `folder` whatever they are called."""
    path = Path(shown)
    return folder.joinpath(*(safe_name(part) for part in path.parts if part != path.anchor))


def safe_name(text: str) -> str:
    """Return a name for a file that every system takes and that differs for different texts."""
    name = _SAFE.sub("_", text).strip("._")
    if name and name == text and len(name) <= _LONGEST_NAME:
        return name
    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return f"{name[:_LONGEST_NAME]}-{digest}".lstrip("-")


def _log(outcome: Outcome) -> str:
    head = f"{outcome.outcome}, last level passed: {outcome.level}\n"
    parts = [head, *([f"{outcome.message}\n"] if outcome.message else []), *([outcome.log] if outcome.log else [])]
    return "\n".join(parts)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="backslashreplace")
