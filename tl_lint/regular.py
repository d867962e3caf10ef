"""Reads the small files that a run comes across by itself: configuration and ignore files."""
# Paths are strings here: read for the folders of a walk.
# ruff: noqa: PTH116, PTH123

from __future__ import annotations

import errno
import os
import stat

__all__ = ["MOST_BYTES", "read_regular"]

MOST_BYTES = 4 * 1024 * 1024
"""More than any such file holds; a link to a file without an end is not read for ever."""


def read_regular(file: str) -> bytes:
    """Return what the regular `file` holds.

    Raises OSError if it cannot be read, is a pipe, device or folder (which are not opened: that may wait for ever), or
    holds more than MOST_BYTES.
    """
    if not stat.S_ISREG(os.stat(file).st_mode):
        raise OSError(errno.EINVAL, "not a regular file", file)
    with open(file, "rb") as stream:
        data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"larger than {MOST_BYTES // 1024 // 1024} MiB", file)
    return data
