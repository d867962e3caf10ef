"""Which files are opened: regular ones of a bearable size, and no others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tl_lint.regular import MOST_BYTES, read_regular


def test_a_file_and_a_link_to_one_are_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * MOST_BYTES)
    (tmp_path / "link").symlink_to("a")
    assert read_regular(str(tmp_path / "link")) == b"x" * MOST_BYTES


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * (MOST_BYTES + 1))
    with pytest.raises(OSError, match="larger than 4 MiB"):
        read_regular(str(tmp_path / "a"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names here")
def test_pipes_devices_and_folders_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "zero", "."):
        with pytest.raises(OSError, match="not a regular file"):
            read_regular(str(tmp_path / name))


def test_what_is_not_there_is_told_as_the_system_does(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_regular(str(tmp_path / "a"))
