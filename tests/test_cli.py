"""The command line, run as a user runs it: what it prints where, what it writes, and the status it ends with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.front import BROKEN, COLOUR, FIX, environment, kernel, make_project, tl_lint, write_rule
from tl_lint import __version__
from tl_lint.registry import load_rules, rule_page


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path)


def test_a_clean_project(project: Path) -> None:
    (project / "a.py").write_text(kernel("good"))
    done = tl_lint(project, "check")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"All checks passed!\n", b"")


def test_no_file_is_a_warning(project: Path) -> None:
    done = tl_lint(project, "check")
    assert (done.returncode, done.stdout) == (0, b"All checks passed!\n")
    assert done.stderr == b"warning: No Python files found under the given path(s)\n"
    quiet = tl_lint(project, "check", "-q")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, b"", b"")


def test_findings_are_concise_away_from_a_terminal(project: Path) -> None:
    (project / "b.py").write_text(kernel("bad", "worse"))
    (project / "a.py").write_text(kernel("sad"))
    done = tl_lint(project, "check")
    assert done.returncode == 1
    assert done.stdout.decode() == (
        "a.py:3:1: TLC703 call of sad\n"
        "b.py:3:1: TLC701 [*] call of bad\n"
        "b.py:4:1: TLC702 call of worse\n"
        "Found 3 errors.\n"
        "[*] 1 fixable with `--fix` (1 unsafe fix available with `--fix --unsafe-fixes`).\n"
    )
    quiet = tl_lint(project, "check", "-q", "b.py", "--unsafe-fixes")
    assert quiet.stdout == b"b.py:3:1: TLC701 [*] call of bad\nb.py:4:1: TLC702 [*] call of worse\n"


def test_full_on_request(project: Path) -> None:
    (project / "a.py").write_text(kernel("sad"))
    done = tl_lint(project, "check", "--output-format", "full", "-q")
    assert done.stdout == (
        b"TLC703 call of sad\n --> a.py:3:1\n  |\n"
        b"1 | import tilelang.language as T\n2 |\n3 | T.sad(1)\n  | ^^^^^^^^\n\n"
    )


def test_json_is_the_array_and_nothing_else(project: Path) -> None:
    (project / "a.py").write_text(kernel("bad"))
    done = tl_lint(project, "check", "--output-format", "json")
    (found,) = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (1, b"")
    assert (found["code"], found["filename"], found["location"]) == (
        "TLC701",
        str(project / "a.py"),
        {"row": 3, "column": 1},
    )
    assert found["fix"]["edits"] == [
        {"content": "good", "location": {"row": 3, "column": 3}, "end_location": {"row": 3, "column": 6}}
    ]
    fixed = tl_lint(project, "check", "--output-format", "json", "--fix")
    assert (fixed.returncode, fixed.stdout, fixed.stderr) == (0, b"[]\n", b"")


def test_fix_writes_the_safe_fixes_and_a_second_time_nothing(project: Path) -> None:
    file = project / "a.py"
    file.write_bytes(kernel("bad", "worse").replace("\n", "\r\n").encode())
    done = tl_lint(project, "check", "--fix")
    assert file.read_bytes() == kernel("good", "worse").replace("\n", "\r\n").encode()
    assert done.returncode == 1
    assert done.stdout.decode() == (
        "a.py:4:1: TLC702 call of worse\n"
        "Found 2 errors (1 fixed, 1 remaining).\n"
        "1 unsafe fix available with `--fix --unsafe-fixes`.\n"
    )
    before = file.stat()
    again = tl_lint(project, "check", "--fix")
    assert (again.returncode, file.stat()) == (1, before)
    unsafe = tl_lint(project, "check", "--fix", "--unsafe-fixes")
    assert (unsafe.returncode, unsafe.stdout) == (0, b"Found 1 error (1 fixed, 0 remaining).\n")
    assert file.read_bytes() == kernel("good", "good").replace("\n", "\r\n").encode()


def test_unsafe_fixes_can_be_configured_and_refused(project: Path) -> None:
    with (project / "pyproject.toml").open("a") as stream:
        stream.write("unsafe-fixes = true\n")
    file = project / "a.py"
    file.write_text(kernel("worse"))
    assert tl_lint(project, "check", "--fix", "--no-unsafe-fixes").returncode == 1
    assert tl_lint(project, "check", "--fix").returncode == 0
    assert file.read_text() == kernel("good")


def test_a_fix_that_cannot_be_written_is_a_tlc000_beside_the_findings(project: Path) -> None:
    body = f"open('a.py', 'a').write('# changed meanwhile\\n'); {FIX}"
    write_rule(project / "rules", "TLC704", "bad", body=body)
    (project / "pyproject.toml").write_text("[tool.tl-lint]\nrule-paths = ['rules']\n")
    (project / "a.py").write_text(kernel("bad"))
    done = tl_lint(project, "check", "--fix", "-q")
    first, second = done.stdout.decode().splitlines()
    assert done.returncode == 2
    assert first.startswith("a.py:1:1: TLC000 cannot write the fixes: ")
    assert second == "a.py:3:1: TLC704 [*] call of bad"
    assert (project / "a.py").read_text().startswith(kernel("bad") + "# changed meanwhile\n")


@pytest.mark.parametrize("option", ["--fix", "--diff"])
def test_a_fix_that_is_given_up_is_a_warning(project: Path, option: str) -> None:
    write_rule(project / "rules", "TLC704", "bad", body=FIX.replace('"good"', '"bad"'))
    (project / "pyproject.toml").write_text("[tool.tl-lint]\nrule-paths = ['rules']\n")
    (project / "a.py").write_text(kernel("bad"))
    done = tl_lint(project, "check", option)
    assert done.stderr == b"warning: a.py: no fix made for TLC704: the fixes do not come to an end\n"
    assert (project / "a.py").read_text() == kernel("bad")
    assert done.returncode == (1 if option == "--fix" else 0)
    assert tl_lint(project, "check", option, "-q").stderr == b""


def test_diff_prints_and_writes_nothing(project: Path) -> None:
    (project / "a.py").write_text(kernel("bad", "worse", "sad"))
    (project / "sub").mkdir()
    (project / "sub" / "b.py").write_bytes(b"import tilelang.language as T\r\nT.bad(1)")
    (project / "c.py").write_text(kernel("sad"))
    before = {file: file.read_bytes() for file in project.rglob("*.py")}
    done = tl_lint(project, "check", "--diff", "--fix")
    assert done.returncode == 1
    assert done.stdout == (
        b"--- a.py\n+++ a.py\n@@ -1,5 +1,5 @@\n import tilelang.language as T\n \n-T.bad(1)\n+T.good(1)\n"
        b" T.worse(1)\n T.sad(1)\n\n"
        b"--- sub/b.py\n+++ sub/b.py\n@@ -1,2 +1,2 @@\n import tilelang.language as T\r\n"
        b"-T.bad(1)\n\\ No newline at end of file\n+T.good(1)\n\\ No newline at end of file\n\n"
    )
    assert done.stderr == b"Would fix 2 errors (1 additional fix available with `--unsafe-fixes`).\n"
    assert {file: file.read_bytes() for file in project.rglob("*.py")} == before


def test_an_empty_diff_is_success_whatever_remains(project: Path) -> None:
    (project / "a.py").write_text(kernel("sad"))
    done = tl_lint(project, "check", "--diff")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (project / "a.py").write_text(kernel("bad"))
    assert tl_lint(project, "check", "--diff", "--exit-zero").returncode == 0


def test_diff_tells_what_could_not_be_checked(project: Path) -> None:
    (project / "a.py").write_bytes(BROKEN)
    done = tl_lint(project, "check", "--diff")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"a.py:") and b" TLC000 " in done.stderr


@pytest.mark.parametrize(
    "arguments", [(), ("--fix",), ("--exit-zero",), ("--ignore", "TLC000", "-q"), ("--select", "TLC703")]
)
def test_what_cannot_be_checked_is_status_2_and_the_rest_is_done(project: Path, arguments: tuple[str, ...]) -> None:
    contents = {
        "a.py": kernel("sad").encode(),
        "broken.py": BROKEN,
        "cookie.py": b"# coding: nonsense\n" + kernel("sad").encode(),
        "null.py": kernel("sad").encode() + b"\x00",
        "undecodable.py": kernel("sad").encode() + b"# \xff\n",
        "z.py": kernel("sad").encode(),
    }
    for name, data in contents.items():
        (project / name).write_bytes(data)
    (project / "dangling.py").symlink_to("nowhere")
    (project / "empty.py").write_bytes(b"")
    (project / "folder.py").mkdir()
    done = tl_lint(project, "check", *arguments)
    found = [(line.split(":")[0], line.split()[1]) for line in done.stdout.decode().splitlines() if ".py:" in line]
    assert found == [
        ("a.py", "TLC703"),
        ("broken.py", "TLC000"),
        ("cookie.py", "TLC000"),
        ("dangling.py", "TLC000"),
        ("null.py", "TLC000"),
        ("undecodable.py", "TLC000"),
        ("z.py", "TLC703"),
    ]
    assert (done.returncode, done.stderr) == (2, b"")
    assert {name: (project / name).read_bytes() for name in contents} == contents


def test_that_tlc000_cannot_be_ignored_is_said(project: Path) -> None:
    done = tl_lint(project, "check", "--ignore", "TLC000")
    assert b"warning: TLC000 cannot be ignored" in done.stderr


def test_a_missing_file_is_one_line_and_the_rest_is_done(project: Path) -> None:
    (project / "a.py").write_text(kernel("sad"))
    done = tl_lint(project, "check", "missing.py", "a.py", "-q")
    first, second = done.stdout.decode().splitlines()
    assert (done.returncode, done.stderr) == (2, b"")
    assert first == "a.py:3:1: TLC703 call of sad"
    assert second.startswith("missing.py:1:1: TLC000 ") and "No such file" in second


def test_exit_zero_forgives_findings_only(project: Path) -> None:
    (project / "a.py").write_text(kernel("sad"))
    assert tl_lint(project, "check", "--exit-zero").returncode == 0
    assert tl_lint(project, "check", "-e", "--select", "F401").returncode == 2


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("chekc",),
        ("check", "--nonsense"),
        ("check", "--output-format", "sarif2"),
        ("check", "--jobs", "0"),
        ("check", "--jobs", "x"),
        ("check", "--select", "TLC8"),
        ("check", "--select", ""),
        ("check", "--ignore", "F401"),
        ("check", "--extend-select", "tlc701"),
        ("check", "--tilelang-version", "newest"),
        ("check", "--tilelang-version", ""),
        ("check", "--exclude", "[a"),
        ("check", "--config", "missing.toml"),
        ("check", "--diff", "--statistics"),
        ("check", "-", "a.py"),
        ("check", "--output-file", "missing/out.txt"),
        ("explain", "TLC999"),
        ("explain", "\x1b[31m"),
        ("explain",),
    ],
)
def test_a_mistake_is_one_line_and_status_2(project: Path, arguments: tuple[str, ...]) -> None:
    done = tl_lint(project, *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"tl-lint: error: ")
    assert done.stderr.count(b"\n") == 1
    assert b"\x1b" not in done.stderr


@pytest.mark.parametrize("line", ["nonsense = 1", "select = 'TLC'", "select = ['TLC8']", "select = ["])
def test_a_bad_configuration_is_one_line_and_status_2(project: Path, line: str) -> None:
    (project / "pyproject.toml").write_text(f"[tool.tl-lint]\n{line}\n")
    (project / "sub").mkdir()
    (project / "sub" / "a.py").write_text("")
    for arguments in (("check",), ("check", "sub/a.py"), ("check", "-")):
        done = tl_lint(project, *arguments)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.startswith(b"tl-lint: error: ")
        assert done.stderr.count(b"\n") == 1
        assert b"pyproject.toml" in done.stderr
    assert tl_lint(project, "check", "--isolated").returncode == 0


def test_codes_are_chosen_as_ruff_does(project: Path) -> None:
    (project / "a.py").write_text(kernel("bad", "worse", "sad", "odd"))

    def found(*arguments: str) -> list[str]:
        lines = tl_lint(project, "check", "-q", *arguments).stdout.decode().splitlines()
        return [line.split()[1] for line in lines]

    assert found() == ["TLC701", "TLC702", "TLC703"]
    assert found("--select", "TLC701,TLC703") == ["TLC701", "TLC703"]
    assert found("--select", "TLC701", "--select", " TLC702 ") == ["TLC701", "TLC702"]
    assert found("--ignore", "TLC70", "--extend-select", "TLC901,TLC702") == ["TLC702", "TLC901"]
    assert found("--select", "ALL") == ["TLC701", "TLC702", "TLC703", "TLC901"]


def test_files_are_excluded(project: Path) -> None:
    for name in ("a.py", "b.py", "sub/c.py"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(kernel("sad"))
    with (project / "pyproject.toml").open("a") as stream:
        stream.write("exclude = ['a.py']\n")

    def found(*arguments: str) -> list[str]:
        lines = tl_lint(project, "check", "-q", *arguments).stdout.decode().splitlines()
        return [line.split(":")[0] for line in lines]

    assert found() == ["b.py", "sub/c.py"]
    assert found("--exclude", "b.py,sub") == ["a.py"]
    assert found("--extend-exclude", "sub/*.py") == ["b.py"]
    assert found("a.py", "sub", "--extend-exclude", "sub") == ["a.py", "sub/c.py"]


def test_paths_outside_the_working_folder_are_absolute(project: Path) -> None:
    (project / "a.py").write_text(kernel("sad"))
    (project / "sub").mkdir()
    done = tl_lint(project / "sub", "check", "../a.py", "-q")
    assert done.stdout.decode() == f"{project / 'a.py'}:3:1: TLC703 call of sad\n"


def test_statistics(project: Path) -> None:
    (project / "a.py").write_text(kernel("bad", "sad", "sad"))
    done = tl_lint(project, "check", "--statistics")
    assert done.stdout.decode() == (
        "2\tTLC703\t[ ] rule-tlc703\n1\tTLC701\t[*] rule-tlc701\nFound 3 errors.\n[*] 1 fixable with `--fix`.\n"
    )
    as_json = tl_lint(project, "check", "--statistics", "--output-format", "json")
    assert [each["count"] for each in json.loads(as_json.stdout)] == [2, 1]


def test_findings_go_to_a_file_in_plain_text(project: Path) -> None:
    (project / "a.py").write_text(kernel("sad"))
    for options in ((), ("--diff",), ("--output-format", "json")):
        done = tl_lint(project, "check", "--output-file", "out.txt", *options, variables=COLOUR)
        assert done.stdout == b""
    assert json.loads((project / "out.txt").read_bytes())[0]["code"] == "TLC703"
    tl_lint(project, "check", "-o", "out.txt", "--output-format", "text")
    assert (project / "out.txt").read_bytes() == b"a.py:3:1: TLC703 call of sad\nFound 1 error.\n"


def test_version_and_help(tmp_path: Path) -> None:
    assert tl_lint(tmp_path, "--version").stdout.decode() == f"tl-lint {__version__}\n"
    for arguments in (("--help",), ("check", "--help"), ("explain", "--help"), ("rules", "--help")):
        done = tl_lint(tmp_path, *arguments)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.startswith(b"usage: tl-lint")
    assert b"there is no cache yet" in tl_lint(tmp_path, "check", "--help").stdout


def test_the_version_comes_without_the_linter() -> None:
    program = (
        "import sys; from tl_lint.cli import main\n"
        "try:\n    main(['--version'])\nexcept SystemExit:\n    pass\n"
        "sys.exit(bool({'libcst', 'flake8', 'rich', 'tl_lint.runner'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", program], env=environment(), check=True, stdout=subprocess.DEVNULL)


def test_explain_prints_the_page(project: Path) -> None:
    for rule in load_rules():
        done = tl_lint(project, "explain", rule.code)
        assert (done.returncode, done.stdout.decode()) == (0, rule_page(rule))
    assert tl_lint(project, "explain", "tlc000").stdout.startswith(b"# cannot-analyse (TLC000)\n")
    assert b"rule-tlc701" in tl_lint(project, "explain", "TLC701").stdout


@pytest.mark.parametrize(("fixable", "text"), [("Applicability.UNSAFE", "unsafe fix"), ("None", "no fix")])
def test_rules_say_whether_they_fix(project: Path, fixable: str, text: str) -> None:
    file = project.parent / "rules" / "tlc901" / "rule.py"
    file.write_text(file.read_text().replace("fixable = Applicability.SAFE", f"fixable = {fixable}"))
    line = tl_lint(project, "rules").stdout.decode().splitlines()[-1]
    assert line.endswith(f"A rule of the tests (>=0.1.8, {text}) (off by default)")


def test_rules_are_listed(project: Path) -> None:
    lines = tl_lint(project, "rules").stdout.decode().splitlines()
    codes = sorted([*(rule.code for rule in load_rules()), "TLC701", "TLC702", "TLC703", "TLC901"])
    assert [line.split()[0] for line in lines] == codes
    assert lines[-1].endswith("A rule of the tests (>=0.1.8, safe fix) (off by default)")
    listed = json.loads(tl_lint(project, "rules", "--output-format", "json").stdout)
    assert [rule["code"] for rule in listed] == codes
    assert listed[-1] == {
        "code": "TLC901",
        "name": "rule-tlc901",
        "summary": "A rule of the tests",
        "releases": ">=0.1.8",
        "fixable": "safe",
        "on_by_default": False,
    }
