"""What C++ prints, kept apart: TVM logs to the file descriptor, past sys.stderr."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator

__all__ = ["captured"]


_MOST = 1 << 20
"""Bytes of the end that are read back."""


@contextlib.contextmanager
def captured(path: str | None = None) -> Iterator[list[str]]:
    """Take what the block writes to standard output and error; the list holds its end, as one text, after the block.

    It goes through the file `path`, if given, which then outlives a process that is killed meanwhile.
    """
    text: list[str] = []
    opened = tempfile.TemporaryFile() if path is None else open(path, "w+b")  # noqa: PTH123, SIM115
    with opened as file, contextlib.ExitStack() as stack:
        _flush()
        for number in (1, 2):
            kept = os.dup(number)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, number)
            os.dup2(file.fileno(), number)
        stack.callback(_flush)
        try:
            yield text
        finally:
            stack.close()
            file.seek(max(0, file.seek(0, os.SEEK_END) - _MOST))
            text.append(file.read().decode(errors="replace"))


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # the user's code may have put anything there
            stream.flush()
