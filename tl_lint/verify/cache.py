"""Keeps rows between runs, by everything that is known to decide them.

Known are: tl-lint's version, Python's version and platform, everything in the request (the file's path and text, the
fixed text, the arguments, the level, the seed, and the machine: TileLang's release, the architecture, the names of the
compiler and the GPU), and the text of the project's files that the kernel's process imported, as far as it told of
them. Not known: data files that the code reads, environment variables, the versions of packages beside TileLang (torch,
for one), the GPU's driver. Where those matter, --no-cache is the answer.

Nothing here raises because of the disk: what cannot be read is not known, what cannot be written is not kept.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from tl_lint import __version__
from tl_lint.verify.model import Check, Level, Outcome, Row, Verdict

__all__ = ["Cache", "cache_folder", "key_of", "plain", "row_of"]

_FORMAT = 1
_KEPT = 30 * 24 * 3600.0
"""Seconds after its last use that an entry is kept."""
_PASSING = {"timeout", "out of memory", "not-reached", "crashes SIGKILL", "crashes SIGTERM", "crashes SIGINT"}
"""Outcomes that may be the machine's and not the kernel's: another time it may go otherwise."""


def cache_folder() -> Path | None:
    """Return the user's cache folder for tl-lint, by the XDG rules, or None if there is no home."""
    if given := os.environ.get("XDG_CACHE_HOME"):
        return Path(given) / "tl-lint"
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local) / "tl-lint" / "cache"
    try:
        return Path.home() / ".cache" / "tl-lint"
    except RuntimeError:
        return None


def key_of(request: Any) -> str:
    """Return the name under which the row of a request is kept. `request` is a dataclass or JSON data."""
    known = {
        "format": _FORMAT,
        "tl-lint": __version__,
        "python": [*sys.version_info[:3], sys.platform, sys.executable],
        "request": plain(request),
    }
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()


class Cache:
    """Rows on disk. Several runs may use the same folder at once."""

    def __init__(self, folder: Path | None) -> None:
        """`folder` is made when there is something to write; None: nothing is kept."""
        self._folder = folder
        self._swept = False

    @classmethod
    def of_user(cls, wanted: bool = True) -> Cache:
        """Return the cache in the user's cache folder, or one that keeps nothing if none is wanted."""
        folder = cache_folder() if wanted else None
        return cls(folder / "verify" if folder else None)

    def get(self, key: str) -> Row | None:
        """Return the row kept under `key`, None if there is none, or a file that it depends on has changed."""
        if self._folder is None:
            return None
        try:
            file = self._file(key)
            entry = json.loads(file.read_text(encoding="utf-8"))
            if any(_digest(path) != digest for path, digest in entry["files"].items()):
                return None
            row = row_of(entry["row"])
        except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return None
        with contextlib.suppress(OSError):
            os.utime(file)
        return row

    def put(self, key: str, row: Row, files: Iterable[str] = ()) -> None:
        """Keep a row that will come out the same next time; `files` are the paths of further files it depends on."""
        if self._folder is None or not _lasts(row):
            return
        entry = {"files": {path: _digest(path) for path in sorted(set(files))}, "row": plain(row)}
        with contextlib.suppress(OSError):
            self._sweep()
            _write(self._file(key), json.dumps(entry))

    def _file(self, key: str) -> Path:
        assert self._folder is not None
        return self._folder / key[:2] / f"{key[2:]}.json"

    def _sweep(self) -> None:
        """Once a run, remove what nobody has used for long."""
        if self._swept or self._folder is None:
            return
        self._swept = True
        oldest = time.time() - _KEPT
        for file in self._folder.glob("*/*"):
            with contextlib.suppress(OSError):
                if file.stat().st_mtime < oldest:
                    file.unlink()


def _write(file: Path, text: str) -> None:
    """Write a file such that whoever reads it sees all of it or none."""
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=".")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as temporary:
            temporary.write(text)
        Path(name).replace(file)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _digest(path: str) -> str | None:
    """Return the digest of a file's contents, None if it cannot be read."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None


def _lasts(row: Row) -> bool:
    """Whether nothing of the row may be due to how busy or how large the machine was, or to what is not installed."""
    outcomes = [outcome for outcome in (row.original, row.fixed, row.control) if outcome is not None]
    if row.verdict in (Verdict.NOT_REACHED, Verdict.NOT_INSTANTIATED):
        return False
    # What could not be imported may be there next time, and no file says so.
    unlasting = (outcome.outcome in _PASSING or outcome.facts.get("stage") == "import" for outcome in outcomes)
    return not any(unlasting)


def plain(value: Any) -> Any:
    """Return a dataclass, and all in it, as JSON data."""
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def row_of(data: dict[str, Any]) -> Row:
    """Return the Row that plain() made `data` from. Raises TypeError, ValueError or LookupError if it is none."""
    versions = {name: _outcome_of(data[name]) for name in ("original", "fixed", "control")}
    checks = _checks_of(data["checks"])
    given = {**data, **versions, "checks": checks, "verdict": Verdict(data["verdict"]), "level": Level(data["level"])}
    return Row(**given)


def _outcome_of(data: dict[str, Any] | None) -> Outcome | None:
    if data is None:
        return None
    return Outcome(**{**data, "level": Level(data["level"]), "checks": _checks_of(data["checks"])})


def _checks_of(data: list[dict[str, Any]]) -> tuple[Check, ...]:
    return tuple(Check(**check) for check in data)
