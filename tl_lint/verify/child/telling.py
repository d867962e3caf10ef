"""What a task tells, kept in memory that its process shares with its supervisor.

Not a pipe and not a file: user code that closes every file, opens too many or dies in the middle of a line loses
nothing that was told before, and what was told cannot fill a disk or block the task.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import threading
from pathlib import Path
from typing import Any

__all__ = ["SIZE", "Telling"]

SIZE = 64 << 20
"""Bytes that a task may tell; memory is taken as it is used."""

_HEADER = struct.Struct("<QQ")  # whether the task has begun, bytes told
_RESERVED = 4 << 20  # for the last line, which must always fit


class Telling:
    """JSON lines that one process writes and another reads once the first is dead."""

    def __init__(self, file: Path | None = None) -> None:
        """Share memory with the forks of this process, or with whoever opens `file`, which is made if need be."""
        self._lock = threading.Lock()
        self._owner = os.getpid()
        if file is None:
            self._memory = mmap.mmap(-1, SIZE)
            return
        with file.open("a+b") as opened:
            opened.truncate(SIZE)
            self._memory = mmap.mmap(opened.fileno(), SIZE)

    @property
    def begun(self) -> bool:
        """Whether the task's process is ready, and the task's own time runs."""
        return bool(self._header()[0])

    def own(self) -> None:
        """Say that this process is the one that tells; what its forks tell is dropped."""
        self._owner = os.getpid()
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Say that the task itself begins."""
        _HEADER.pack_into(self._memory, 0, 1, self._header()[1])

    def tell(self, fact: dict[str, Any]) -> None:
        """Add a fact. Raises OverflowError if it does not fit, TypeError if it is not JSON data."""
        self._add({"told": fact}, SIZE - _RESERVED)

    def end(self, how: dict[str, Any]) -> None:
        """Say how the task ended, as the last thing."""
        self._add({"ended": how}, SIZE)

    def read(self) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
        """Return the facts and how the task ended, None if it did not say; what is no JSON object is left out."""
        told: list[dict[str, Any]] = []
        ended = None
        start = _HEADER.size
        for line in self._memory[start : start + min(self._header()[1], SIZE - start)].splitlines():
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(entry, dict) and isinstance(entry.get("told"), dict):
                told.append(entry["told"])
            elif isinstance(entry, dict) and isinstance(entry.get("ended"), dict):
                ended = entry["ended"]
        return told, ended

    def _header(self) -> tuple[int, int]:
        begun, used = _HEADER.unpack_from(self._memory, 0)
        return begun, used

    def _add(self, entry: dict[str, Any], size: int) -> None:
        if os.getpid() != self._owner:
            return
        line = json.dumps(entry).encode() + b"\n"
        with self._lock:
            used = self._header()[1]
            start = _HEADER.size + used
            if start + len(line) > size:
                raise OverflowError(f"a task may tell {SIZE >> 20} MiB, and no more")
            self._memory[start : start + len(line)] = line
            # Last, so that a process that dies while it writes has told nothing yet.
            _HEADER.pack_into(self._memory, 0, self._header()[0], used + len(line))
