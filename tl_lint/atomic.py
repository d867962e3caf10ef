"""Replaces a file's content in one step: whoever looks sees the old bytes or the new ones, never a part."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

__all__ = ["WriteError", "write_atomically"]


class WriteError(OSError):
    """The file was left as it was; the message says why in one line."""


def write_atomically(path: str | Path, data: bytes, expected: bytes) -> None:
    """Replace the content of the file at `path`, now `expected`, by `data`.

    A symbolic link is followed and stays. Mode and owner are kept; a file that can't be given its owner back, that may
    not be written, that has other hard links (they would go on holding the old content), or that changed since it was
    read is left alone: WriteError. Other failures of the operating system come through as OSError.
    """
    target = Path(path).resolve(strict=True)
    status = target.stat()
    if not stat.S_ISREG(status.st_mode):
        raise WriteError(f"{path} is not a regular file")
    if status.st_nlink > 1:
        raise WriteError(f"{path} has other hard links, which would keep the old content")
    if not os.access(target, os.W_OK) or not status.st_mode & 0o222:
        raise WriteError(f"{path} is read-only")
    descriptor, name = tempfile.mkstemp(prefix=".tl-lint-", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _keep_owner_and_mode(temporary, status)
        if target.read_bytes() != expected:
            raise WriteError(f"{path} changed since it was read")
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(target.parent)


def _keep_owner_and_mode(temporary: Path, status: os.stat_result) -> None:
    if hasattr(os, "chown"):
        fresh = temporary.stat()
        if (fresh.st_uid, fresh.st_gid) != (status.st_uid, status.st_gid):
            try:
                os.chown(temporary, status.st_uid, status.st_gid)
            except OSError as error:
                raise WriteError(f"its owner can't be kept: {error.strerror}") from None
    temporary.chmod(stat.S_IMODE(status.st_mode))


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
