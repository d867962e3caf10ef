"""The parent's side of driver mode: what is run, what is said of how it ended, what is replaced. No TileLang needed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tl_lint.verify.driving import Captured, Drive, captured, command_line, paired
from tl_lint.verify.isolation import Isolation, Limits

PYTHON = f"'{sys.executable}'"


@pytest.fixture(scope="module")
def isolation() -> Iterator[Isolation]:
    with Isolation(preload=()) as made:
        yield made


def drive(isolation: Isolation, command: str, folder: Path, *, seconds: float = 60, **files: str) -> Drive:
    """Run a command; `files` are texts by name without ".py", read in place of those files of `folder`."""
    texts = {str(folder / f"{name}.py"): text for name, text in files.items()}
    return captured(command, texts, Limits(seconds), isolation, folder=str(folder))


@pytest.mark.parametrize(
    ("command", "words", "variables"),
    [
        ("python x.py --n 3", [sys.executable, "x.py", "--n", "3"], {}),
        ("python3 -m pkg 'a b'", [sys.executable, "-m", "pkg", "a b"], {}),
        ("python3.12 x.py", [sys.executable, "x.py"], {}),
        ("/opt/python x.py", ["/opt/python", "x.py"], {}),
        ("A=1 B='x y' python x.py", [sys.executable, "x.py"], {"A": "1", "B": "x y"}),
        ("pytest tests/x.py -k y", [sys.executable, "-m", "pytest", "tests/x.py", "-k", "y"], {}),
        ("torchrun --nproc 2 x.py", ["torchrun", "--nproc", "2", "x.py"], {}),
        ("nowhere.py --n 3", [sys.executable, "nowhere.py", "--n", "3"], {}),
    ],
)
def test_python_means_the_interpreter_that_has_tilelang(
    command: str, words: list[str], variables: dict[str, str]
) -> None:
    assert command_line(command, Path()) == (words, variables)


@pytest.mark.parametrize("command", ["", "A=1", "python 'x.py"])
def test_no_command_is_an_error(command: str) -> None:
    with pytest.raises(ValueError, match=r"empty|quotation"):
        command_line(command, Path())


def test_a_script_is_run_as_it_stands(isolation: Isolation, tmp_path: Path) -> None:
    script = tmp_path / "tool"
    script.write_text("#!/bin/sh\necho ran with $1\n")
    script.chmod(0o755)
    result = drive(isolation, "tool 5", tmp_path)
    assert (result.outcome, result.log) == ("ends", "ran with 5\n")
    assert result.message == "the driver command ran no Python that takes PYTHONPATH"


def test_a_script_sees_what_it_would_without_us(isolation: Isolation, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("VALUE = 'helped'\n")
    (tmp_path / "main.py").write_text(
        "import sys, os, helper\n"
        "print(sys.argv, __name__, __file__, helper.VALUE, os.getcwd(), os.environ['A'], repr(sys.stdin.read()))\n"
    )
    folder = os.path.realpath(tmp_path)
    expected = f"['main.py', '--n', '3'] __main__ {folder}/main.py helped {folder} 1 ''\n"
    replaced = drive(isolation, f"A=1 {PYTHON} main.py --n 3", Path(folder), main=(tmp_path / "main.py").read_text())
    for result in (replaced, drive(isolation, f"A=1 {PYTHON} main.py --n 3", Path(folder))):
        assert (result.outcome, result.log) == ("ends", expected)
        assert result.message == "the driver command did not import TileLang"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["helper.py", "main.py"]


def test_what_a_script_leaves_in_temporary_folders_is_removed(isolation: Isolation, tmp_path: Path) -> None:
    names = "('TORCHINDUCTOR_CACHE_DIR', 'TRITON_CACHE_DIR', 'TMPDIR')"
    text = f"import os, tempfile\nprint(tempfile.mkdtemp(), *(os.environ[name] for name in {names}), sep='\\n')\n"
    (tmp_path / "main.py").write_text(text)
    made, *folders = drive(isolation, f"{PYTHON} main.py", tmp_path).log.splitlines()
    scratch = Path(made).parent.parent
    assert scratch.name.startswith("tl-lint-")
    assert not scratch.exists()
    assert all(scratch in Path(folder).parents for folder in folders), folders


HELPER = "import inspect\n\n\ndef where():\n    return {!r}, inspect.getsource(where)\n"
MAIN = "import helper, inspect\n\n\ndef own():\n    return {!r}\n\n\nprint(helper.where()[0], own())\n"
MAIN += "assert repr(helper.where()[0]) in helper.where()[1], helper.where()\n"
MAIN += "assert repr(own()) in inspect.getsource(own), inspect.getsource(own)\n"


@pytest.mark.parametrize("command", ["main.py", "./main.py", "-m main", "-c 'import main'"])
def test_replaced_files_are_read_everywhere(isolation: Isolation, tmp_path: Path, command: str) -> None:
    (tmp_path / "helper.py").write_text(HELPER.format("old"))
    (tmp_path / "main.py").write_text(MAIN.format("old"))
    helper, main = "# one line more\n" + HELPER.format("new"), "# more\n" + MAIN.format("new")
    result = drive(isolation, f"{PYTHON} {command}", tmp_path, helper=helper, main=main)
    assert (result.outcome, result.log) == ("ends", "new new\n")
    assert drive(isolation, f"{PYTHON} {command}", tmp_path).log == "old old\n"


def test_replaced_files_are_read_by_processes_of_the_command(isolation: Isolation, tmp_path: Path) -> None:
    (tmp_path / "inner.py").write_text("print('old')\n")
    (tmp_path / "main.py").write_text("import subprocess, sys\nsubprocess.run([sys.executable, 'inner.py'])\n")
    assert drive(isolation, f"{PYTHON} main.py", tmp_path, inner="print('new')\n").log == "new\n"


def test_replaced_tests_are_run_by_pytest_and_nothing_is_left_behind(isolation: Isolation, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_it():\n    assert False\n")
    command = f"{PYTHON} -m pytest -q test_it.py"
    assert drive(isolation, command, tmp_path).outcome == "exits 1"
    result = drive(isolation, command, tmp_path, test_it="def test_it():\n    assert True\n")
    assert result.outcome == "ends", result.log
    assert [path.name for path in tmp_path.iterdir()] == ["test_it.py"]


def test_a_sitecustomize_that_is_hidden_is_run(isolation: Isolation, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('customised')\n")
    (tmp_path / "main.py").write_text("print('ran')\n")
    result = drive(isolation, f"PYTHONPATH='{tmp_path}' {PYTHON} main.py", tmp_path)
    assert result.log == "customised\nran\n"


@pytest.mark.parametrize(
    ("text", "outcome", "message"),
    [
        ("raise SystemExit(3)", "exits 3", "did not import TileLang; it exits 3"),
        ("raise ValueError('of mine')", "exits 1", "did not import TileLang; it exits 1: ValueError: of mine"),
        ("import os; os.kill(os.getpid(), 11)", "crashes SIGSEGV", "did not import TileLang; it crashes SIGSEGV"),
        ("import time; time.sleep(99)", "timeout", "did not import TileLang; it was ended: timeout"),
    ],
)
def test_how_a_command_ends_is_said(
    isolation: Isolation, tmp_path: Path, text: str, outcome: str, message: str
) -> None:
    (tmp_path / "main.py").write_text(f"{text}\n")
    result = drive(isolation, f"{PYTHON} main.py", tmp_path, seconds=5)
    assert result.outcome == outcome
    assert result.message == f"the driver command {message}"


def test_a_command_that_does_not_exist_is_said(isolation: Isolation, tmp_path: Path) -> None:
    result = drive(isolation, "no-such-tool x", tmp_path)
    assert result.outcome == "does not start"
    assert "no-such-tool" in result.message


def test_kernels_are_paired_by_what_they_are() -> None:
    first = Captured("/a.py", "make", 3, "n=1", "one")
    same = Captured("/a.py", "make", 3, "n=1", "two", index=1)
    other = Captured("/a.py", "make", 3, "n=2", "three")
    moved = [Captured("/a.py", "make", 4, "n=2", "fixed three"), Captured("/a.py", "make", 4, "n=1", "fixed one")]
    assert paired([first, same, other], moved) == [(first, moved[1]), (same, None), (other, moved[0])]


def test_kernels_whose_arguments_a_fix_changes_are_paired_by_order() -> None:
    first = [Captured("/a.py", "make", 3, "w=4", "one"), Captured("/a.py", "make", 3, "w=2", "two")]
    other = [Captured("/a.py", "make", 3, "w=wrap(4)", "one"), Captured("/a.py", "make", 3, "w=wrap(2)", "two")]
    assert paired(first, other) == list(zip(first, other, strict=True))
    assert paired(first, other[:1]) == [(first[0], None), (first[1], None)]
