"""The command line given what nobody meant: empty paths, pipes instead of files, absurd configuration."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.front import environment, kernel, make_project, tl_lint

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names here")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = make_project(tmp_path)
    (folder / "a.py").write_text(kernel("bad"))
    return folder


def error_of(done: subprocess.CompletedProcess[bytes]) -> str:
    """Return the one line that the command complained with."""
    assert (done.returncode, done.stdout) == (2, b"")
    line = done.stderr.decode()
    assert line.startswith("tl-lint: error: ") and line.count("\n") == 1
    assert "internal error" not in line
    return line


@pytest.mark.parametrize(
    "arguments",
    [("--fix", ""), ("--fix", "a.py", ""), ("-", "--stdin-filename", ""), ("--config", ""), ("--output-file", "")],
)
def test_an_empty_path_is_a_mistake_and_touches_nothing(project: Path, arguments: tuple[str, ...]) -> None:
    assert "cannot be empty" in error_of(tl_lint(project, "check", *arguments, stdin=kernel("bad").encode()))
    assert (project / "a.py").read_text() == kernel("bad")


def test_a_null_character_in_a_path_is_a_mistake(project: Path) -> None:
    program = "import sys; from tl_lint.cli import main; sys.exit(main(['check', 'a\\0.py']))"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=project, env=environment(), capture_output=True, check=False)
    assert "null character" in error_of(done)


@needs_pipes
def test_ignore_files_that_are_pipes_or_endless_count_as_absent(project: Path) -> None:
    (project / ".git" / "info").mkdir(parents=True)
    os.mkfifo(project / ".git" / "info" / "exclude")
    (project / ".gitignore").symlink_to("/dev/zero")
    (project / "sub").mkdir()
    (project / "sub" / "b.py").write_text(kernel("sad"))
    os.mkfifo(project / "sub" / ".gitignore")
    os.mkfifo(project / "sub" / ".git")
    done = tl_lint(project, "check", "-q")
    assert done.stdout == b"a.py:3:1: TLC701 [*] call of bad\nsub/b.py:3:1: TLC703 call of sad\n"


@needs_pipes
def test_a_configuration_that_is_no_file_is_a_mistake(project: Path) -> None:
    (project / "sub").mkdir()
    os.mkfifo(project / "sub" / "pyproject.toml")
    assert "pyproject.toml: not a regular file" in error_of(tl_lint(project, "check"))
    assert "pyproject.toml: not a regular file" in error_of(tl_lint(project, "check", "--config", "sub/pyproject.toml"))
    (project / "pyproject.toml").unlink()
    (project / "pyproject.toml").symlink_to("/dev/zero")
    assert "pyproject.toml: not a regular file" in error_of(tl_lint(project, "check"))


@pytest.mark.parametrize(
    "line",
    [f"unsafe-fixes = {'1' * 5000}", "rule-paths = ['a', \"\\u0000\"]", f"exclude = ['{'{' * 9000}']"],
    ids=["number", "null", "braces"],
)
def test_absurd_configuration_is_one_line(project: Path, line: str) -> None:
    (project / "pyproject.toml").write_text(f"[tool.tl-lint]\n{line}\n")
    message = error_of(tl_lint(project, "check"))
    assert "pyproject.toml" in message
    assert len(message) < 1000


def test_very_deep_folders_are_no_trouble(project: Path) -> None:
    name = "a/" * 1500 + "a.py"
    done = tl_lint(project, "check", "-q", "-", "--stdin-filename", name, stdin=kernel("bad").encode())
    assert done.stdout == f"{name}:3:1: TLC701 [*] call of bad\n".encode()
    done = tl_lint(project, "check", "-q", "--force-exclude", "--exclude", "x", name)
    assert done.stdout.endswith(b"TLC000 cannot be read: No such file or directory\n")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_a_closed_standard_input_is_one_line(project: Path) -> None:
    command = f'exec "{sys.executable}" -m tl_lint check - <&-'
    done = subprocess.run(["sh", "-c", command], cwd=project, env=environment(), capture_output=True, check=False)
    assert "standard input is closed" in error_of(done)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps a folder that is in use")
@pytest.mark.parametrize("arguments", ["check", "check a.py", "check --exclude x", "rules", "explain TLC001"])
def test_a_working_folder_that_is_gone_is_one_line(project: Path, arguments: str) -> None:
    (project / "gone").mkdir()
    command = f'rmdir "$PWD" && exec "{sys.executable}" -m tl_lint {arguments}'
    run = ["sh", "-c", command]
    done = subprocess.run(run, cwd=project / "gone", env=environment(), capture_output=True, check=False)
    assert "the working folder cannot be found" in error_of(done)


def test_excluded_files_that_are_named_are_read_unless_told_otherwise(project: Path) -> None:
    (project / "sub" / "deep").mkdir(parents=True)
    for name in ("sub/deep/b.py", "c.py"):
        (project / name).write_text(kernel("sad"))
    with (project / "pyproject.toml").open("a") as stream:
        stream.write("exclude = ['a.py', 'sub']\n")

    def found(*arguments: str) -> list[str]:
        lines = tl_lint(project, "check", "-q", *arguments).stdout.decode().splitlines()
        return [line.split(":")[0] for line in lines]

    named = ("a.py", "c.py", "sub/deep/b.py")
    assert found(*named) == list(named)
    assert found("--force-exclude", *named) == ["c.py"]
    assert found("sub/deep") == ["sub/deep/b.py"]
    assert found("--force-exclude", "sub/deep") == []
    assert found("--force-exclude", "--exclude", "c.py", *named) == ["a.py", "sub/deep/b.py"]
    tl_lint(project, "check", "--fix", "--force-exclude", "a.py")
    assert (project / "a.py").read_text() == kernel("bad")
