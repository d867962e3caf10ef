"""The plugin, run by the real flake8: what it finds, and that flake8 alone decides what is reported."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.front import environment, kernel, tl_lint, write_rule
from tl_lint.flake8 import Plugin

BAD = b"import tilelang.language as T\n\nfor i in T.Parallel(8, coalesced_width=4):\n    pass\n"


def flake8(folder: Path, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run flake8 in `folder` for the codes of the plugin, unless the arguments select others."""
    command = [sys.executable, "-m", "flake8", "--select", "TLC", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment(), input=stdin, capture_output=True, check=False, timeout=120
    )


def found(folder: Path, *arguments: str, stdin: bytes = b"") -> list[str]:
    """Return the findings, each as path:line:column: CODE."""
    done = flake8(folder, *arguments, stdin=stdin)
    assert done.stderr == b""
    return [" ".join(line.split()[:2]) for line in done.stdout.decode().splitlines()]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with rules of its own, TLC701 and TLC702 on by default and TLC901 off."""
    for code, called, on_by_default in (("TLC701", "bad", True), ("TLC702", "sad", True), ("TLC901", "odd", False)):
        write_rule(tmp_path / "rules", code, called, on_by_default=on_by_default)
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("[tool.tl-lint]\nrule-paths = ['../rules']\n")
    return folder


def test_clean_files_stay_clean(project: Path) -> None:
    (project / "a.py").write_text(kernel("good"))
    (project / "b.py").write_text("def Parallel(coalesced_width): pass\nParallel(coalesced_width=4)\n")
    (project / "empty.py").write_text("")
    assert found(project) == []


def test_findings_stand_where_the_command_line_puts_them(project: Path) -> None:
    text = (
        "\ufeffimport tilelang.language as T\r\n\r\nif T:\r\n\tx = '四', T.bad(1)\r\n\x0c\r\nx = (\r\n  T.sad(1))\r\n"
    )
    (project / "a.py").write_bytes(text.encode())
    expected = ["a.py:4:11: TLC701", "a.py:7:3: TLC702"]
    assert [line.removeprefix("./") for line in found(project)] == expected
    ours = tl_lint(project, "check", "-q").stdout.decode().splitlines()
    assert [" ".join(line.split()[:2]) for line in ours] == expected


def test_the_message_is_that_of_the_command_line(project: Path) -> None:
    (project / "a.py").write_text(kernel("bad"))
    assert flake8(project, "a.py").stdout == b"a.py:3:1: TLC701 call of bad\n"


def test_a_module_of_tilelang_itself_is_a_mistake(project: Path) -> None:
    done = flake8(project, "--tilelang-language-modules", "ours,tilelang.language", ".")
    assert done.returncode == 1
    assert b"--tilelang-language-modules: 'tilelang.language' is already known" in done.stdout + done.stderr
    assert b"Traceback" not in done.stderr


def test_the_rules_that_come_with_the_package(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(BAD)
    assert found(tmp_path, "a.py") == ["a.py:3:40: TLC001"]


def test_selected_by_default_and_by_every_option_of_flake8(project: Path) -> None:
    (project / "a.py").write_text(kernel("bad", "sad", "odd"))

    def codes(*arguments: str) -> list[str]:
        command = [sys.executable, "-m", "flake8", *arguments, "a.py"]
        done = subprocess.run(command, cwd=project, env=environment(), capture_output=True, check=False)
        return [line.split()[1] for line in done.stdout.decode().splitlines()]

    assert codes() == ["TLC701", "TLC702"]
    assert codes("--ignore", "TLC701") == ["TLC702", "TLC901"]  # --ignore replaces what is ignored by default
    assert codes("--extend-ignore", "TLC701") == ["TLC702"]
    assert codes("--select", "TLC702") == ["TLC702"]
    assert codes("--extend-select", "TLC901") == ["TLC701", "TLC702", "TLC901"]
    assert codes("--per-file-ignores", "a.py:TLC702") == ["TLC701"]
    assert codes("--select", "E9") == []


def test_our_own_choice_of_codes_is_not_flake8_s(project: Path) -> None:
    with (project / "pyproject.toml").open("a") as stream:
        stream.write("select = ['TLC702']\nper-file-ignores = {'a.py' = ['TLC7']}\nexclude = ['a.py']\n")
    (project / "a.py").write_text(kernel("bad"))
    assert found(project, "a.py") == ["a.py:3:1: TLC701"]


def test_noqa_is_left_to_flake8(project: Path) -> None:
    text = "import tilelang.language as T\nT.bad(1)  # noqa\nT.bad(2)  # noqa: TLC701\nT.bad(3)  # noqa: E501\n"
    (project / "a.py").write_text(text)
    assert found(project, "a.py") == ["a.py:4:1: TLC701"]
    assert found(project, "a.py", "--disable-noqa") == [f"a.py:{line}:1: TLC701" for line in (2, 3, 4)]
    (project / "b.py").write_text("# flake8: noqa\n" + text)
    assert found(project, "b.py") == []
    assert len(found(project, "b.py", "--disable-noqa")) == 3


def test_a_comment_at_the_end_of_a_statement_in_brackets_counts_for_all_of_it(project: Path) -> None:
    (project / "a.py").write_text("import tilelang.language as T\nx = (\n    T.bad(1),\n)  # noqa: TLC701\n")
    assert found(project, "a.py") == []
    assert found(project, "a.py", "--disable-noqa") == ["a.py:3:5: TLC701"]
    assert tl_lint(project, "check").returncode == 0


def test_several_processes(project: Path) -> None:
    for number in range(6):
        (project / f"{number}.py").write_text(kernel("bad"))
    expected = [f"./{number}.py:3:1: TLC701" for number in range(6)]
    assert found(project, "--jobs", "1") == found(project, "--jobs", "3") == expected


def test_standard_input(project: Path) -> None:
    source = kernel("bad").encode()
    assert found(project, "-", stdin=source) == ["stdin:3:1: TLC701"]
    (project / "a.py").write_text(kernel("good"))
    assert found(project, "-", "--stdin-display-name", "a.py", stdin=source) == ["a.py:3:1: TLC701"]
    assert found(project, "-", stdin=b"\xef\xbb\xbf" + source.replace(b"\n", b"\r\n")) == ["stdin:3:1: TLC701"]


def test_a_file_that_is_no_text_is_one_tlc000(project: Path) -> None:
    (project / "bytes.py").write_bytes(kernel("bad").encode() + b"# \xff\n")
    (project / "cookie.py").write_bytes(b"# coding: nonsense\n" + kernel("bad").encode())
    (project / "harmless.py").write_bytes(b"# \xff\n")
    reported = [(line.split(":")[0], line.split()[1]) for line in found(project)]
    assert reported == [("./bytes.py", "TLC000"), ("./cookie.py", "TLC000")]


def test_what_flake8_reports_itself_is_reported_once(project: Path) -> None:
    (project / "syntax.py").write_text(kernel("bad") + "def (\n")
    (project / "dangling.py").symlink_to("nowhere")
    done = flake8(project, "--select", "TLC,E9", "syntax.py", "dangling.py")
    codes = sorted(line.split()[1] for line in done.stdout.decode().splitlines())
    assert codes == ["E902", "E999"]


@pytest.mark.parametrize("text", ["x = " + " + ".join(["1"] * 3000), "x = " + "(" * 150 + "1" + ")" * 150])
def test_a_deep_expression_gives_the_findings_or_one_tlc000(project: Path, text: str) -> None:
    (project / "a.py").write_text(kernel("bad") + text + "\n")
    command = [sys.executable, "-c", _RUN_ALONE, "a.py"]
    done = subprocess.run(command, cwd=project, env=environment(), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert [each[2][:6] for each in json.loads(done.stdout)] in (["TLC701"], ["TLC000"])


_RUN_ALONE = """
import ast, json, sys
from tl_lint.config import Configurations
from tl_lint.flake8 import Plugin
text = open(sys.argv[1]).read()
print(json.dumps([each[:3] for each in Plugin(ast.Module([], []), sys.argv[1], text.splitlines(True)).run()]))
"""


def test_a_rule_that_raises_is_a_tlc000_and_never_an_exception(project: Path) -> None:
    write_rule(project / "rules", "TLC703", "raises", body="raise LookupError('no\\nluck')")
    (project / "pyproject.toml").write_text("[tool.tl-lint]\nrule-paths = ['rules']\n")
    (project / "a.py").write_text(kernel("raises"))
    done = flake8(project, "a.py")
    assert done.stdout == b"a.py:1:1: TLC000 internal error, please report it: LookupError: no luck\n"
    assert done.stderr == b""


def test_a_configuration_below_that_is_unusable_is_a_tlc000(project: Path) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "pyproject.toml").write_text("[tool.tl-lint]\nnonsense = 1\n")
    (project / "sub" / "a.py").write_text(kernel("bad"))
    done = flake8(project, "sub/a.py")
    assert done.stdout.startswith(b"sub/a.py:1:1: TLC000 ") and b"unknown key 'nonsense'" in done.stdout


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("nonsense = 1", ()),
        ("tilelang-version = 'newest'", ()),
        ("rule-paths = ['missing']", ()),
        ("", ("--tilelang-version", "newest")),
        ("", ("--tilelang-rule-paths", "missing")),
    ],
)
def test_an_unusable_configuration_stops_flake8_with_one_line(
    project: Path, line: str, arguments: tuple[str, ...]
) -> None:
    (project / "pyproject.toml").write_text(f"[tool.tl-lint]\n{line}\n")
    (project / "a.py").write_text(kernel("bad"))
    done = flake8(project, *arguments, "a.py")
    first, second = done.stdout.decode().splitlines()
    assert done.returncode == 1
    assert first == "There was a critical error during execution of Flake8:"
    assert second.startswith("tl-lint: ")
    assert done.stderr == b""


def test_our_options_are_flake8_options_too(tmp_path: Path) -> None:
    write_rule(tmp_path / "rules", "TLC701", "bad")
    (tmp_path / "a.py").write_text("import ours.lang as T\nT.bad(1)\nfor i in T.Parallel(8, coalesced_width=4): pass\n")
    assert found(tmp_path, "a.py") == []
    options = ["--tilelang-language-modules", "ours.lang", "--tilelang-rule-paths", "rules"]
    assert found(tmp_path, *options, "a.py") == ["a.py:2:1: TLC701", "a.py:3:40: TLC001"]
    assert found(tmp_path, *options, "--tilelang-version", "0.1.7", "a.py") == []
    (tmp_path / "setup.cfg").write_text(
        "[flake8]\ntilelang-language-modules = ours.lang\ntilelang_rule_paths = rules\ntilelang-version = 0.1.13\n"
    )
    assert found(tmp_path, "a.py") == ["a.py:2:1: TLC701", "a.py:3:40: TLC001"]


def test_the_table_in_pyproject_counts_and_flake8_s_options_come_first(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.tl-lint]\ntilelang-version = '0.1.7'\n")
    (tmp_path / "a.py").write_bytes(BAD)
    assert found(tmp_path, "a.py") == []
    assert found(tmp_path, "--tilelang-version", "all", "a.py") == ["a.py:3:40: TLC001"]


def test_flake8_knows_the_plugin_by_name() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "flake8", "--version"], env=environment(), capture_output=True, check=True
    )
    assert b"tl-lint:" in b"".join(done.stdout.split())  # flake8 wraps its line anywhere


def test_a_plugin_without_options_has_the_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_bytes(BAD)
    ((line, column, text, kind),) = Plugin(
        ast.parse(BAD), os.fspath(tmp_path / "a.py"), BAD.decode().splitlines(True)
    ).run()
    assert (line, column, text[:7], kind) == (3, 39, "TLC001 ", Plugin)
