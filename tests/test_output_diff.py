"""Unified diffs, held against the programs that read them: git apply and, byte for byte, the file they make."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tl_lint.findings import FileReport
from tl_lint.output.diff import unified, write_coloured
from tl_lint.output.terminal import Printer


def diff(before: bytes, after: bytes, name: str = "a.py", named: bool = True) -> bytes:
    return unified(FileReport("/x", name, before=before, after=after), named)


def test_no_change_is_no_diff() -> None:
    assert diff(b"a\n", b"a\n") == b""


def test_the_shape_of_ruff() -> None:
    assert diff(b"a\nb\n", b"a\nB\n") == b"--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n"


def test_standard_input_without_a_name_has_no_header() -> None:
    assert diff(b"a\n", b"b\n", named=False) == b"@@ -1 +1 @@\n-a\n+b\n"


def test_a_missing_last_newline_is_marked() -> None:
    assert diff(b"a", b"b\n") == (b"--- a.py\n+++ a.py\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n")
    assert diff(b"x\na\nb", b"y\na\nb").endswith(b" a\n b\n\\ No newline at end of file\n")


def test_carriage_returns_and_foreign_bytes_stay() -> None:
    assert diff(b"a\r\n\xff\r\n", b"b\r\n\xff\r\n").endswith(b"-a\r\n+b\r\n \xff\r\n")


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("x\n+++ y.py", rb'"x\n+++ y.py"'),
        ("\x1b[31m\t.py", rb'"\033[31m\t.py"'),
        ('a"\u202e.py', rb'"a\"\342\200\256.py"'),
        ("a b.py", b"a b.py\t"),
        ("ä.py", "ä.py".encode()),
    ],
)
def test_a_name_is_quoted_as_git_does(name: str, header: bytes) -> None:
    assert diff(b"a\n", b"b\n", name).startswith(b"--- " + header + b"\n+++ " + header + b"\n@@")


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are text there")
@pytest.mark.parametrize("name", [b"x\n+++ y.py", b"\x1b[31m\t.py", b'a "\\ \xff.py', b"a b.py", "ä\u202e.py".encode()])
def test_git_finds_the_file_whatever_it_is_called(tmp_path: Path, name: bytes) -> None:
    file = tmp_path / os.fsdecode(name)
    file.write_bytes(b"a\n")
    command = ["git", "apply", "-p0", "-"]
    done = subprocess.run(
        command, cwd=tmp_path, input=diff(b"a\n", b"b\n", file.name), capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert file.read_bytes() == b"b\n"


_TEXTS = st.lists(st.sampled_from([b"a\n", b"b\r\n", b"\n", b"c\r", b"\xff\x0c\n", b"a"]), max_size=12).map(b"".join)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=_TEXTS, after=_TEXTS)
@example(before=b"a", after=b"a\n")
@example(before=b"a\r\nb", after=b"a\r\nc")
def test_git_applies_it_byte_for_byte(tmp_path: Path, before: bytes, after: bytes) -> None:
    if before == after or not before or not after:
        return
    file = tmp_path / "a.py"
    file.write_bytes(before)
    command = ["git", "-c", "core.autocrlf=false", "apply", "-p0", "--whitespace=nowarn", "-"]
    done = subprocess.run(command, cwd=tmp_path, input=diff(before, after) + b"\n", capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert file.read_bytes() == after


@pytest.mark.parametrize("colour", [False, True])
def test_a_terminal_is_not_steered(colour: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = io.StringIO()
    write_coloured(diff(b"\x1b]0;x\x07\r\n\xff\n", b"b\r\n\xff\n"), Printer(stream, colour))
    assert "\\x1b]0;x\\x07\n" in stream.getvalue().replace("\x1b[0m", "")
    assert "\x1b]" not in stream.getvalue()
    assert ("\x1b[32m+b\x1b[0m" in stream.getvalue()) is colour
