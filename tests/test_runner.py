"""Which files are found, in which order, and what becomes of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.front import environment, kernel, write_rule
from tl_lint.config import ConfigError, Configurations, Options, Overrides
from tl_lint.findings import FileReport
from tl_lint.globs import FilePattern
from tl_lint.runner import Candidate, check_files, check_text, find_files, shown
from tl_lint.selection import Selection
from tl_lint.tasks import Action, Run


def make(root: Path, *names: str, text: str = "") -> None:
    for name in names:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def found(root: Path, *named: str, overrides: Overrides | None = None) -> list[str]:
    paths = [str(root / name) for name in named or (".",)]
    candidates = find_files(paths, Configurations(overrides))
    return [os.path.relpath(candidate.path, root) for candidate in candidates]


def excluding(root: Path, *patterns: str) -> Overrides:
    return Overrides(exclude=tuple(FilePattern(pattern, str(root)) for pattern in patterns))


def test_an_empty_folder_holds_nothing(tmp_path: Path) -> None:
    assert found(tmp_path) == []


def test_other_suffixes_are_not_python(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", "b.pyc", "c.pyi", "py", "d.py~", "e.ipynb")
    assert found(tmp_path) == []


@pytest.mark.parametrize("folder", [".hidden", "__pycache__", "node_modules", "site-packages", ".git", ".venv"])
def test_folders_that_hold_no_code_of_the_project(tmp_path: Path, folder: str) -> None:
    make(tmp_path, f"{folder}/a.py", f"{folder}/deep/b.py", "kept.py")
    assert found(tmp_path) == ["kept.py"]
    assert found(tmp_path, folder) == [f"{folder}/a.py", f"{folder}/deep/b.py"]


def test_a_virtual_environment_is_passed_over_unless_named(tmp_path: Path) -> None:
    make(tmp_path, "env/pyvenv.cfg", "env/lib/site.py", "kept.py")
    assert found(tmp_path) == ["kept.py"]
    assert found(tmp_path, "env") == ["env/lib/site.py"]


def test_the_inside_of_a_named_folder_is_walked_by_the_rules(tmp_path: Path) -> None:
    make(tmp_path, ".hidden/.deeper/a.py", ".hidden/b.py")
    assert found(tmp_path, ".hidden") == [".hidden/b.py"]


def test_sorted_by_the_parts_of_the_path(tmp_path: Path) -> None:
    make(tmp_path, "b.py", "a.py", "a/z.py", "a/b/c.py", "a-b/x.py", "c.pyw", "B.py", ".hidden.py")
    expected = [".hidden.py", "B.py", "a/b/c.py", "a/z.py", "a-b/x.py", "a.py", "b.py", "c.pyw"]
    assert found(tmp_path) == expected
    assert found(tmp_path, "c.pyw", "b.py", "a", "a-b", "a.py", ".hidden.py", "B.py") == expected


def test_a_folder_named_like_a_file_is_walked_and_never_read(tmp_path: Path) -> None:
    make(tmp_path, "x.py/inner.py")
    (tmp_path / "empty.py").mkdir()
    assert found(tmp_path) == ["x.py/inner.py"]
    assert found(tmp_path, "x.py", "empty.py") == ["x.py/inner.py"]


def test_a_file_named_twice_is_taken_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "sub/a.py")
    (tmp_path / "link.py").symlink_to("sub/a.py")
    (tmp_path / "folder").symlink_to("sub")
    monkeypatch.chdir(tmp_path)
    names = ["sub/a.py", "./sub/../sub/a.py", "sub", ".", str(tmp_path / "sub" / "a.py"), "link.py", "folder"]
    assert [candidate.path for candidate in find_files(names, Configurations())] == [str(tmp_path / "sub" / "a.py")]


def test_dots_are_taken_out_as_the_file_system_means_them(tmp_path: Path) -> None:
    make(tmp_path, "far/deep/a.py", "far/b.py", "b.py")
    (tmp_path / "link").symlink_to("far/deep")
    assert found(tmp_path, "link/../b.py") == ["far/b.py"]


def test_links_to_folders_are_not_followed_unless_named(tmp_path: Path) -> None:
    make(tmp_path, "real/a.py")
    (tmp_path / "real" / "loop").symlink_to("..")
    (tmp_path / "real" / "loop.py").symlink_to("..")
    assert found(tmp_path) == ["real/a.py"]
    (tmp_path / "named").symlink_to("real")
    assert found(tmp_path, "named") == ["named/a.py"]


def test_a_link_to_a_file_and_a_dangling_one_are_files(tmp_path: Path) -> None:
    make(tmp_path, "sub/a.txt")
    (tmp_path / "a.py").symlink_to("sub/a.txt")
    (tmp_path / "dangling.py").symlink_to("nowhere")
    assert found(tmp_path) == ["a.py", "dangling.py"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_a_pipe_in_a_folder_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    assert found(tmp_path) == []


def test_a_named_file_is_taken_whatever_it_is_called_and_whether_it_exists(tmp_path: Path) -> None:
    make(tmp_path, "script", ".hidden/a.py")
    assert found(tmp_path, "script", ".hidden/a.py", "missing.py") == [".hidden/a.py", "missing.py", "script"]


def test_ignored_by_git(tmp_path: Path) -> None:
    make(tmp_path, "built/a.py", "src/made.py", "src/kept.py", "src/sub/made.py", "src/sub/kept.py")
    (tmp_path / ".gitignore").write_text("/built/\n")
    (tmp_path / "src" / ".gitignore").write_text("made.py\n!/sub/made.py\n")
    assert found(tmp_path) == ["src/kept.py", "src/sub/kept.py", "src/sub/made.py"]
    assert found(tmp_path, "built", "src/made.py") == ["built/a.py", "src/made.py"]


def test_the_folders_above_a_named_one_count_in_a_repository(tmp_path: Path) -> None:
    make(tmp_path, "src/made.py", "src/kept.py", "venv/.gitignore", "venv/lib/made.py")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("made.py\nvenv/\n")
    (tmp_path / "venv" / ".gitignore").write_text("*\n")
    assert found(tmp_path, "src") == ["src/kept.py"]
    assert found(tmp_path, "venv") == ["venv/lib/made.py"]
    assert found(tmp_path, "venv/lib") == ["venv/lib/made.py"]


def test_excluded(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "sub/a.py", "sub/b.py", "deep/sub/c.py")
    assert found(tmp_path, overrides=excluding(tmp_path, "a.py")) == ["deep/sub/c.py", "sub/b.py"]
    assert found(tmp_path, overrides=excluding(tmp_path, "sub/*")) == ["a.py", "deep/sub/c.py"]
    assert found(tmp_path, overrides=excluding(tmp_path, "sub")) == ["a.py"]
    assert found(tmp_path, "sub", "a.py", overrides=excluding(tmp_path, "sub", "a.py")) == ["a.py", "sub/b.py"]


def test_each_folder_has_the_options_of_the_nearest_configuration(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "inner/a.py", "inner/sub/b.py", "inner/built/c.py")
    (tmp_path / "pyproject.toml").write_text("[tool.tl-lint]\nunsafe-fixes = true\n")
    (tmp_path / "inner" / "pyproject.toml").write_text("[tool.tl-lint]\nextend-exclude = ['built']\n")
    (tmp_path / "inner" / "sub" / "pyproject.toml").write_text("[tool.black]\n")
    outer, *inner = find_files([str(tmp_path)], Configurations())
    assert (outer.path, outer.options.unsafe_fixes) == (str(tmp_path / "a.py"), True)
    assert [(Path(each.path).name, each.options.root) for each in inner] == [
        ("a.py", str(tmp_path / "inner")),
        ("b.py", str(tmp_path / "inner")),
    ]


def test_an_unusable_configuration_on_the_way_is_an_error(tmp_path: Path) -> None:
    make(tmp_path, "inner/a.py")
    (tmp_path / "inner" / "pyproject.toml").write_text("[tool.tl-lint]\nnonsense = 1\n")
    with pytest.raises(ConfigError, match="nonsense"):
        find_files([str(tmp_path)], Configurations())


def test_shown_relative_to_the_working_folder_only_if_in_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert shown(str(tmp_path / "here" / "a.py")) == "a.py"
    assert shown(str(tmp_path / "hereafter.py")) == str(tmp_path / "hereafter.py")


# What becomes of the files


@pytest.fixture
def options(tmp_path: Path) -> Options:
    """Options with a rule against T.bad, one that ends its process, and one that raises."""
    rules = tmp_path / "rules"
    write_rule(rules, "TLC701", "bad")
    write_rule(rules, "TLC702", "dies", body="os._exit(9)")
    write_rule(rules, "TLC703", "raises", body="raise LookupError('no\\nluck')")
    return Options(rule_paths=(str(rules),))


def checked(root: Path, options: Options, *names: str, jobs: int | None = None) -> list[FileReport]:
    candidates = [Candidate(str(root / name), options) for name in names]
    counted: list[int] = []
    reports = check_files(candidates, Run(), jobs, counted.append)
    assert sum(counted) == len(candidates)
    return reports


def codes(reports: list[FileReport]) -> list[tuple[str, str]]:
    return [(Path(report.path).name, finding.code) for report in reports for finding in report.findings]


def test_files_without_tilelang_are_passed_over(tmp_path: Path, options: Options) -> None:
    make(tmp_path, "a.py", "broken.py", text="def (  # T.bad(1)\n")
    (tmp_path / "binary.py").write_bytes(b"\xff\x00")
    assert checked(tmp_path, options, "a.py", "broken.py", "binary.py") == []


def test_a_clean_run_loads_neither_libcst_nor_flake8_nor_rich(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "b.py", text="print(1)\n")
    program = (
        "import sys; from tl_lint.cli import main; assert main(['check']) == 0; "
        "sys.exit(bool({'libcst', 'flake8', 'rich', 'importlib.metadata', 'packaging'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=environment(), check=True)


def test_the_options_of_a_file_without_tilelang_are_checked_too(tmp_path: Path) -> None:
    make(tmp_path, "a.py")
    with pytest.raises(ConfigError, match="unknown rule code"):
        checked(tmp_path, Options(selection=Selection(select=("TLC8",))), "a.py")


def test_findings_have_places(tmp_path: Path, options: Options) -> None:
    make(tmp_path, "a.py", text=kernel("fine", "bad"))
    (report,) = checked(tmp_path, options, "a.py")
    (finding,) = report.findings
    assert (finding.code, finding.start.line, finding.start.column, finding.noqa_row) == ("TLC701", 4, 0, 4)
    assert report.text == kernel("fine", "bad")


def test_the_order_is_the_same_whatever_the_number_of_processes(tmp_path: Path, options: Options) -> None:
    names = [f"{number:02}.py" for number in range(11)]
    for number, name in enumerate(names):
        make(tmp_path, name, text=kernel(*["bad"] * (number % 3)))
    alone = checked(tmp_path, options, *names, jobs=1)
    assert checked(tmp_path, options, *names, jobs=2) == alone
    assert checked(tmp_path, options, *names, jobs=64) == alone
    assert codes(alone) == [(name, "TLC701") for number, name in enumerate(names) for _ in range(number % 3)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_is_one_tlc000_and_the_others_are_done(tmp_path: Path, options: Options, jobs: int) -> None:
    make(tmp_path, "a.py", "c.py", text=kernel("bad"))
    make(tmp_path, "b.py", text=kernel("bad", "raises"))
    reports = checked(tmp_path, options, "a.py", "b.py", "c.py", jobs=jobs)
    assert codes(reports) == [("a.py", "TLC701"), ("b.py", "TLC000"), ("c.py", "TLC701")]
    message = reports[1].findings[0].message
    assert message == "internal error, please report it: LookupError: no luck"


def test_a_process_that_dies_costs_one_file_only(tmp_path: Path, options: Options) -> None:
    names = [f"{number:02}.py" for number in range(12)]
    make(tmp_path, *names, text=kernel("bad"))
    make(tmp_path, "03.py", "07.py", text=kernel("dies"))
    reports = checked(tmp_path, options, *names, jobs=2)
    expected = [(name, "TLC000" if name in ("03.py", "07.py") else "TLC701") for name in names]
    assert codes(reports) == expected
    assert "the process that checked this file died" in reports[3].findings[0].message


def test_a_file_that_cannot_be_read_is_one_tlc000(tmp_path: Path, options: Options) -> None:
    (tmp_path / "dangling.py").symlink_to("nowhere")
    make(tmp_path, "a.py", text=kernel("bad"))
    reports = checked(tmp_path, options, "a.py", "dangling.py", "missing.py")
    assert codes(reports) == [("a.py", "TLC701"), ("dangling.py", "TLC000"), ("missing.py", "TLC000")]


def test_a_folder_that_cannot_be_read_is_one_tlc000(tmp_path: Path, options: Options) -> None:
    candidate = Candidate(str(tmp_path), options, trouble="cannot read the folder: Permission denied")
    (report,) = check_files([candidate], Run(), None, lambda files: None)
    assert codes([report]) == [(tmp_path.name, "TLC000")]


def test_fixes_are_written(tmp_path: Path) -> None:
    from tests.front import FIX

    write_rule(tmp_path / "rules", "TLC701", "bad", body=FIX)
    options = Options(rule_paths=(str(tmp_path / "rules"),))
    file = tmp_path / "a.py"
    file.write_bytes(kernel("bad", "bad").replace("\n", "\r\n").encode())
    candidates = [Candidate(str(file), options)]
    (report,) = check_files(candidates, Run(action=Action.COMPUTE), None, lambda files: None)
    assert b"T.bad" in file.read_bytes()
    assert (report.applied, report.after) == ({"TLC701": 2}, file.read_bytes().replace(b"T.bad", b"T.good"))
    (report,) = check_files(candidates, Run(action=Action.WRITE), None, lambda files: None)
    assert file.read_bytes() == report.after == kernel("good", "good").replace("\n", "\r\n").encode()
    assert check_files(candidates, Run(action=Action.WRITE), None, lambda files: None)[0].applied == {}


def test_a_text_without_a_file_is_checked_under_a_name(tmp_path: Path, options: Options) -> None:
    report = check_text("-", kernel("bad").encode(), options, Run())
    assert (report.path, report.shown, codes([report])) == ("-", "-", [("-", "TLC701")])
    assert check_text("-", b"print(1)\n", options, Run()).findings == ()
    with pytest.raises(ConfigError):
        check_text("-", b"", Options(tilelang_version="newest"), Run())
