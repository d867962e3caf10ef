"""Writing: all or nothing, links and modes kept, and nothing left behind."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tl_lint.atomic import WriteError, write_atomically

OLD, NEW = b"old\r\n", b"new \xff\r\n"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """Return a file with the old content in a folder of its own."""
    path = tmp_path / "folder" / "x.py"
    path.parent.mkdir()
    path.write_bytes(OLD)
    return path


def is_left_alone(path: Path, content: bytes = OLD) -> bool:
    """Return whether the file holds `content` and nothing stands beside it."""
    return path.read_bytes() == content and [each.name for each in path.parent.iterdir()] == [path.name]


def test_the_content_is_replaced_and_nothing_is_left_behind(target: Path) -> None:
    write_atomically(target, NEW, OLD)
    assert is_left_alone(target, NEW)


def test_whoever_has_the_file_open_keeps_the_old_bytes(target: Path) -> None:
    with target.open("rb") as file:
        write_atomically(target, NEW, OLD)
        assert file.read() == OLD


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o664])
def test_the_mode_is_kept(target: Path, mode: int) -> None:
    target.chmod(mode)
    write_atomically(target, NEW, OLD)
    assert stat.S_IMODE(target.stat().st_mode) == mode


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file away")
def test_the_owner_is_kept(target: Path) -> None:
    os.chown(target, 12345, 54321)
    write_atomically(target, NEW, OLD)
    assert (target.stat().st_uid, target.stat().st_gid) == (12345, 54321)


def test_links_are_followed_and_stay(target: Path) -> None:
    first, second = target.parent.parent / "first.py", target.parent.parent / "second.py"
    first.symlink_to("folder/x.py")
    second.symlink_to(first)
    write_atomically(second, NEW, OLD)
    assert is_left_alone(target, NEW)
    assert first.is_symlink()
    assert second.is_symlink()


def test_a_file_that_changed_is_left_alone(target: Path) -> None:
    with pytest.raises(WriteError, match="changed"):
        write_atomically(target, NEW, b"older")
    assert is_left_alone(target)


def test_a_read_only_file_is_left_alone(target: Path) -> None:
    target.chmod(0o444)
    with pytest.raises(WriteError, match="read-only"):
        write_atomically(target, NEW, OLD)
    assert is_left_alone(target)


def test_a_file_with_other_hard_links_is_left_alone(target: Path) -> None:
    other = target.parent.parent / "other.py"
    os.link(target, other)
    with pytest.raises(WriteError, match="hard links"):
        write_atomically(target, NEW, OLD)
    assert is_left_alone(target)
    assert other.read_bytes() == OLD


def test_what_is_no_file_is_left_alone(target: Path) -> None:
    with pytest.raises(WriteError, match="regular"):
        write_atomically(target.parent, NEW, OLD)
    with pytest.raises(FileNotFoundError):
        write_atomically(target.parent / "missing.py", NEW, OLD)
    assert is_left_alone(target)


CHILD = """
import os, sys
from tl_lint.atomic import write_atomically
fsync = os.fsync
def slow(descriptor):  # the bytes are in the temporary file, the name is not changed yet
    print("here", flush=True)
    sys.stdin.read()
os.fsync = slow
write_atomically(sys.argv[1], b"new", b"old\\r\\n")
"""


def test_an_interruption_leaves_the_old_file_and_nothing_else(target: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(target)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"here\n"
        assert len(list(target.parent.iterdir())) == 2
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        assert child.wait(30) != 0
    assert is_left_alone(target)


@pytest.mark.skipif(not hasattr(os, "setresuid") or os.geteuid() != 0, reason="only root can become somebody else")
def test_a_file_whose_owner_cannot_be_kept_is_left_alone() -> None:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "x.py"
        target.write_bytes(OLD)
        target.chmod(0o666)
        target.parent.chmod(0o777)
        child = os.fork()
        if child == 0:
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
            try:
                write_atomically(target, NEW, OLD)
            except WriteError as error:
                os._exit(3 if "owner" in str(error) else 4)
            except BaseException:
                os._exit(5)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
        assert is_left_alone(target)
