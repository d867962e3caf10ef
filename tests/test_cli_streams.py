"""The command line and the streams around it: standard input, terminals, pipes and signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.front import BROKEN, COLOUR, environment, kernel, make_project, tl_lint, write_rule


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path)


def test_standard_input_is_checked(project: Path) -> None:
    done = tl_lint(project, "check", "-", stdin=kernel("bad").encode())
    assert (done.returncode, done.stderr) == (1, b"")
    assert done.stdout == b"-:3:1: TLC701 [*] call of bad\nFound 1 error.\n[*] 1 fixable with `--fix`.\n"
    named = tl_lint(project, "check", "-", "-q", "--stdin-filename", "sub/x.py", stdin=kernel("bad").encode())
    assert named.stdout == b"sub/x.py:3:1: TLC701 [*] call of bad\n"


def test_standard_input_in_json_is_called_as_it_was_named(project: Path) -> None:
    for options, expected in (((), "-"), (("--stdin-filename", "x.py"), str(project / "x.py"))):
        done = tl_lint(project, "check", "-", "--output-format", "json", *options, stdin=kernel("bad").encode())
        assert json.loads(done.stdout)[0]["filename"] == expected


def test_the_name_decides_the_configuration(project: Path) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "pyproject.toml").write_text("[tool.tl-lint]\n")
    done = tl_lint(project, "check", "-", "--stdin-filename", "sub/x.py", stdin=kernel("bad").encode())
    assert done.returncode == 0


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_the_fixed_source_goes_to_standard_output_and_the_rest_to_standard_error(project: Path, end: bytes) -> None:
    source = b"\xef\xbb\xbf" + kernel("bad", "sad").encode().replace(b"\n", end or b"\n")
    if not end:
        source = source.rstrip()
    done = tl_lint(project, "check", "--fix", "-", stdin=source)
    assert done.stdout == source.replace(b"T.bad", b"T.good")
    assert done.stderr == b"-:4:1: TLC703 call of sad\nFound 2 errors (1 fixed, 1 remaining).\n"
    assert done.returncode == 1


@pytest.mark.parametrize(
    "source", [b"", b"print(1)\n", kernel("sad").encode(), BROKEN, b"\xff\x00\n", b"tilelang T.bad \xff"]
)
def test_source_without_a_fix_comes_out_as_it_went_in(project: Path, source: bytes) -> None:
    done = tl_lint(project, "check", "--fix", "-", "-q", stdin=source)
    assert done.stdout == source
    assert b"Traceback" not in done.stderr


def test_standard_input_as_a_diff(project: Path) -> None:
    body = b"@@ -1,3 +1,3 @@\n import tilelang.language as T\n \n-T.bad(1)\n+T.good(1)\n\n"
    done = tl_lint(project, "check", "--diff", "-", stdin=kernel("bad").encode())
    assert (done.returncode, done.stdout, done.stderr) == (1, body, b"Would fix 1 error.\n")
    named = tl_lint(project, "check", "--diff", "-", "--stdin-filename", "x.py", stdin=kernel("bad").encode())
    assert named.stdout == b"--- x.py\n+++ x.py\n" + body


def test_colours_are_for_those_who_want_them(project: Path) -> None:
    (project / "a.py").write_text(kernel("bad"))
    coloured = tl_lint(project, "check", variables=COLOUR)
    assert b"\x1b[1;31mTLC701\x1b[0m" in coloured.stdout
    assert b"\x1b[32m+T.good(1)\x1b[0m" in tl_lint(project, "check", "--diff", variables=COLOUR).stdout
    for variables in ({}, {**COLOUR, "NO_COLOR": "1"}):
        assert b"\x1b" not in tl_lint(project, "check", variables=variables).stdout
    assert b"\x1b" not in tl_lint(project, "check", "--output-format", "json", variables=COLOUR).stdout


@pytest.mark.skipif(sys.platform == "win32", reason="pty is for POSIX")
def test_full_and_coloured_at_a_terminal(project: Path) -> None:
    import pty

    (project / "a.py").write_text(kernel("sad"))
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "tl_lint", "check"]
    with subprocess.Popen(command, cwd=project, env=environment(TERM="xterm"), stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        written = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # how Linux says that the other end is closed
                part = b""
            if not part:
                break
            written += part
        process.wait(timeout=60)
    os.close(ours)
    assert b"\x1b[1;31mTLC703\x1b[0m" in written
    assert b"--> " in written


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are text there")
def test_a_file_name_that_is_no_text_and_steers_terminals(project: Path) -> None:
    name = b"a\xff\x1b[31m\n.py"
    (project / os.fsdecode(name)).write_text(kernel("bad"))
    for options in ((), ("--output-format", "full"), ("--output-format", "json"), ("--diff",), ("--fix",)):
        done = tl_lint(project, "check", *options)
        assert b"Traceback" not in done.stderr
        assert b"\x1b" not in done.stdout + done.stderr
        assert done.returncode == (0 if "--fix" in options else 1)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows closes pipes in another way")
@pytest.mark.parametrize("arguments", [("check",), ("check", "--diff"), ("explain", "TLC000"), ("rules",)])
def test_a_reader_that_leaves_early_is_no_error(project: Path, arguments: tuple[str, ...]) -> None:
    (project / "a.py").write_text(kernel(*["bad"] * 50))
    command = [sys.executable, "-m", "tl_lint", *arguments]
    with subprocess.Popen(
        command, cwd=project, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read()
        status = process.wait(timeout=120)
    assert b"Traceback" not in errors and b"BrokenPipe" not in errors
    assert status == (1 if arguments[0] == "check" else 0)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are for POSIX")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_ends_quietly(project: Path, jobs: str) -> None:
    write_rule(project / "slow", "TLC704", "slow", body="import time; open('started', 'w').close(); time.sleep(2)")
    (project / "pyproject.toml").write_text("[tool.tl-lint]\nrule-paths = ['slow']\n")
    for number in range(20):
        (project / f"{number}.py").write_text(kernel("slow"))
    command = [sys.executable, "-m", "tl_lint", "check", "--jobs", jobs]
    with subprocess.Popen(
        command, cwd=project, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        deadline = time.monotonic() + 60
        while not (project / "started").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in errors


def test_a_closed_standard_output_is_no_traceback(project: Path) -> None:
    (project / "a.py").write_text(kernel("bad"))
    command = f'exec "{sys.executable}" -m tl_lint check >&-'
    done = subprocess.run(["sh", "-c", command], cwd=project, env=environment(), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_device_is_one_line(project: Path) -> None:
    (project / "a.py").write_text(kernel("bad"))
    command = f'exec "{sys.executable}" -m tl_lint check >/dev/full'
    done = subprocess.run(["sh", "-c", command], cwd=project, env=environment(), capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"tl-lint: error: ") and done.stderr.count(b"\n") == 1


def test_an_ascii_terminal_gets_escapes(project: Path) -> None:
    (project / "ä.py").write_text(kernel("bad"), encoding="utf-8")
    done = tl_lint(project, "check", "-q", variables={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.stdout == b"\\xe4.py:3:1: TLC701 [*] call of bad\n"
