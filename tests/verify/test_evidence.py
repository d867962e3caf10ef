"""Evidence is what the real compiler did with the rules' own kernels, and the pages say nothing else."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.tilelang_environment import interpreter
from tl_lint.registry import load_rules
from tl_lint.releases import KNOWN
from tl_lint.rule import Rule
from tl_lint.verify.evidence import Column, Evidence, digest, evidence_of
from tl_lint.verify.examples import Example, examples, folder_of, of_rule
from tl_lint.verify.measuring import Measured, contradictions
from tools.measured_tables import BEGIN, END, rows_of, with_table

ROOT = Path(__file__).resolve().parent.parent.parent
RULES = load_rules()
RELEASES = [str(release) for release in KNOWN]

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
each_release = pytest.mark.parametrize("release", RELEASES)


def page_of(rule: Rule) -> str:
    return (folder_of(rule) / "README.md").read_text(encoding="utf-8")


# what is committed


@each_rule
def test_every_known_release_was_measured_with_the_kernels_of_today(rule: Rule) -> None:
    evidence = evidence_of(rule)
    kernels = of_rule(rule)
    assert list(evidence.releases) == RELEASES
    for release, column in evidence.releases.items():
        assert column.examples == digest(kernels), f"{rule.code} has changed since it was measured on {release}"
        assert sorted(column.kernels) == sorted(example.key for example in kernels)


@each_rule
@each_release
def test_what_was_measured_is_what_the_rule_says(rule: Rule, release: str) -> None:
    assert contradictions(rule, release, of_rule(rule), evidence_of(rule).releases[release].kernels) == []


@each_rule
def test_the_file_is_sorted_and_names_neither_folder_nor_address(rule: Rule) -> None:
    text = (folder_of(rule) / "evidence.json").read_text(encoding="utf-8")
    assert evidence_of(rule).text() == text
    assert not re.search(r"/\w+/|0x[0-9a-f]+", text)


@each_rule
def test_the_page_shows_the_evidence_and_every_kernel_that_the_rule_reports(rule: Rule) -> None:
    page, evidence = page_of(rule), evidence_of(rule)
    assert with_table(page, evidence) == page, "run python -m tools.measured_tables"
    shown = {key for row in rows_of(page, evidence) for key in row.keys}
    assert {example.key for example in of_rule(rule) if example.file.name == "bad.py"} <= shown


def test_zero_killed_the_process_up_to_the_release_before_the_newest() -> None:
    [rule] = [rule for rule in RULES if rule.code == "TLC003"]
    releases = evidence_of(rule).releases
    assert {releases[name].kernels["bad.py::zero"].outcome for name in RELEASES[:-1]} == {"crashes SIGFPE"}
    newest = releases[RELEASES[-1]].kernels["bad.py::zero"]
    assert newest.message == "InternalError: coalesced_width must be a positive integer, but got 0"


# the table


def evidence(**kernels: list[Measured | None]) -> Evidence:
    """Return evidence of 0.1.8, 0.1.9, ...: each kernel of bad.py did what its list says, None is not measured."""
    found: dict[str, dict[str, Measured]] = {}
    for name, results in kernels.items():
        for number, result in enumerate(results):
            column = found.setdefault(f"0.1.{8 + number}", {})
            if result is not None:
                column[f"bad.py::{name}"] = result
    return Evidence("TLC999", {release: Column("3.11", "", column) for release, column in found.items()})


LOWERS = Measured("passes", "lower", requested=4, effective=4)
NARROW = Measured("passes", "lower", requested=3, effective=2)
ABORTS = Measured("fails", "trace", "InternalError: no", 4)
REFUSED = Measured("fails", "none", "TypeError: `x`")
DIES = Measured("crashes SIGFPE", "trace", requested=0)


def table(evidence: Evidence, *rows: str) -> list[str]:
    page = (
        f"before\n{BEGIN}\n| width | Kernels |\n|---|---|\n" + "".join(f"{row}\n" for row in rows) + f"\n{END}after\n"
    )
    written = with_table(page, evidence)
    assert with_table(written, evidence) == written
    before, _, rest = written.partition(BEGIN)
    inside, _, after = rest.partition(END)
    assert (before, after) == ("before\n", "after\n")
    return inside.strip().splitlines()


def test_equal_releases_share_a_column_and_messages_are_numbered() -> None:
    negative = Measured("passes", "lower", requested=-2, effective=-2)
    assert table(evidence(a=[negative]), "| -2 | bad: a |")[2] == "| -2 | bad: a | lowers, not with -2 |"
    found = evidence(a=[REFUSED, DIES, DIES, LOWERS], b=[ABORTS, ABORTS, ABORTS, NARROW])
    assert table(found, r"| 4 \| 2 | bad: a | old |", "| 3 | bad: b | old |", "| both | bad: a, b |") == [
        "| width | Kernels | 0.1.8 | 0.1.9 to 0.1.10 | 0.1.11 |",
        "| --- | --- | --- | --- | --- |",
        r"| 4 \| 2 | bad: a | refused (1) | SIGFPE | lowers |",
        "| 3 | bad: b | abort (2) | abort (2) | 2 for 3 |",
        "| both | bad: a, b | abort (2), refused (1) | SIGFPE, abort (2) | 2 for 3, lowers |",
        "",
        "1. `` TypeError: `x` ``",
        "2. `InternalError: no`",
    ]


def test_what_was_not_measured_stays_empty_and_releases_sort_as_versions() -> None:
    found = evidence(a=[None, LOWERS, LOWERS], b=[LOWERS, LOWERS, LOWERS])
    shuffled = Evidence("TLC999", dict(reversed(found.releases.items())))
    assert table(shuffled, "| 4 | bad: a |")[0::2] == [
        "| width | Kernels | 0.1.8 | 0.1.9 to 0.1.10 |",
        "| 4 | bad: a |  | lowers |",
    ]
    assert Evidence.read(Path("missing.json"), "TLC999").releases == {}


def test_a_name_means_all_calls_of_it_and_an_unknown_one_is_an_error() -> None:
    calls: dict[str, list[Measured | None]] = {"f(1)": [LOWERS], "f(2)": [DIES], "fg": [ABORTS]}
    assert table(evidence(**calls), "| f | bad: f |")[2] == "| f | bad: f | SIGFPE, lowers |"
    assert table(evidence(**calls), "| f | bad: f(2) |")[2] == "| f | bad: f(2) | SIGFPE |"
    with pytest.raises(ValueError, match=r"good\.py::f"):
        table(evidence(**calls), "| f | good: f |")
    with pytest.raises(ValueError, match="lacks the lines"):
        with_table("no markers\n", evidence(**calls))


# the kernels of a file


TEXT = """\
import json
import tilelang.language as T
import tilelang.newer.language as newer

OPTIONS = {}
OPTIONS["coalesced_width"] = 4
WIDTH = T.int32(4)

# tl-lint: verify two(vec=4)
# tl-lint: verify two(vec=json.loads("4"))
def two(vec):
    pass


def host_helper():
    return OPTIONS


@T.macro
def move(a):
    newer.copy(a)


@T.prim_func
def uses():
    move(host_helper())
"""


@pytest.fixture
def found(tmp_path: Path) -> list[Example]:
    file = tmp_path / "bad.py"
    file.write_text(TEXT, encoding="utf-8")
    return examples(file)


def test_functions_are_found_with_their_calls_but_hosts_and_macros(found: list[Example]) -> None:
    assert [example.key for example in found] == [
        "bad.py::two(vec=4)",
        'bad.py::two(vec=json.loads("4"))',
        "bad.py::uses",
    ]
    assert [(example.line, example.end_line) for example in found] == [(11, 12), (11, 12), (24, 26)]


def test_a_kernel_stands_alone_with_what_it_uses_on_the_same_lines(found: list[Example]) -> None:
    lines = [{n: line for n, line in enumerate(example.text.splitlines(), 1) if line} for example in found]
    assert sorted(lines[0]) == [11, 12]
    assert sorted(lines[1]) == [1, 11, 12]
    assert sorted(lines[2]) == [2, 3, 5, 6, 15, 16, 19, 20, 21, 24, 25, 26]
    assert all(line == TEXT.splitlines()[n - 1] for item in lines for n, line in item.items())
    assert "import" not in found[2].code
    assert found[0].code == found[1].code != found[2].code


def test_a_line_about_no_function_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text("# tl-lint: verify missing(1)\n", encoding="utf-8")
    with pytest.raises(ValueError, match="missing"):
        examples(file)


def test_the_digest_depends_on_code_alone(found: list[Example], tmp_path: Path) -> None:
    file = tmp_path / "other" / "bad.py"
    file.parent.mkdir()
    file.write_text("# A comment.\n" + TEXT.replace("pass", "pass  # noqa"), encoding="utf-8")
    assert digest(examples(file)) == digest(found)
    file.write_text(TEXT.replace("= 4", "= 2"), encoding="utf-8")
    assert digest(examples(file)) != digest(found)


# contradictions


def test_contradictions() -> None:
    rule = next(rule for rule in RULES if rule.code == "TLC001")
    bad, fixed, good = (
        next(example for example in of_rule(rule) if example.file.name == name)
        for name in ("bad.py", "fixed.py", "good.py")
    )
    unfixed = dataclasses.replace(fixed, code=bad.code)

    def against(release: str, a: Measured, b: Measured, c: Measured, fixed: Example = fixed) -> int:
        found = {bad.key: a, fixed.key: b, good.key: c}
        return len(contradictions(rule, release, [bad, fixed, good], found))

    assert against("0.1.15", ABORTS, LOWERS, LOWERS) == against("0.1.15", NARROW, LOWERS, LOWERS) == 0
    assert against("0.1.15", LOWERS, LOWERS, LOWERS) == 1
    assert against("0.1.15", ABORTS, NARROW, DIES) == 2
    assert against("0.1.15", ABORTS, LOWERS, LOWERS, unfixed) == 1
    assert against("0.1.15", ABORTS, ABORTS, LOWERS, unfixed) == 0
    assert against("0.1.8", REFUSED, REFUSED, REFUSED) == 0, "an older release may lack what a kernel needs"
    assert against("0.1.15", ABORTS, LOWERS, REFUSED) == 1, "the newest may not"
    other = dataclasses.replace(ABORTS, message="something else")
    assert against("0.1.8", ABORTS, LOWERS, other) == 0
    assert against("0.1.8", ABORTS, LOWERS, ABORTS) == 1, "a near miss that fails as the reported ones do is none"
    assert against("0.1.7", LOWERS, LOWERS, ABORTS) == 0, "the rule does not speak of this release"


# measuring


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for folder in ("tl_lint", "rules"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def measure(checkout: Path, release: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(interpreter(release)), "-m", "tl_lint.verify.evidence", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    return subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.long
def test_measuring_again_gives_the_same_bytes(checkout: Path) -> None:
    [folder] = checkout.glob("rules/tlc003_*")
    file = folder / "evidence.json"
    before = file.read_bytes()
    old = Evidence.read(file, "TLC003")
    kernels = old.releases["0.1.13"].kernels
    assert kernels["bad.py::zero"] == DIES
    kernels["bad.py::zero"] = ABORTS
    del kernels["good.py::one"]
    file.write_text(old.text(), encoding="utf-8")
    ran = measure(checkout, "0.1.13", "TLC003")
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    assert re.findall("changed: (.*)", ran.stdout) == ["bad.py::zero", "good.py::one"]
    assert file.read_bytes() == before


@pytest.mark.long
def test_check_says_whether_it_is_up_to_date_and_writes_nothing(checkout: Path) -> None:
    [folder] = checkout.glob("rules/tlc002_*")
    file = folder / "evidence.json"
    ran = measure(checkout, "0.1.15", "--check", "TLC002")
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    assert "TLC002 on TileLang 0.1.15: 16 kernels lower, 10 fail, 0 are refused before; up to date" in ran.stdout
    old = Evidence.read(file, "TLC002")
    old.releases["0.1.15"].kernels["bad.py::parameter(vec=4)"] = LOWERS
    file.write_text(old.text(), encoding="utf-8")
    assert measure(checkout, "0.1.15", "--check", "TLC002").returncode == 1
    assert file.read_text(encoding="utf-8") == old.text()


@pytest.mark.long
def test_a_kernel_that_lowers_contradicts_its_rule_and_is_written_down(checkout: Path) -> None:
    [folder] = checkout.glob("rules/tlc002_*")
    old = Evidence.read(folder / "evidence.json", "TLC002")
    text = (folder / "bad.py").read_text(encoding="utf-8")
    (folder / "bad.py").write_text(
        text.replace("coalesced_width=vec)", "coalesced_width=T.int32(vec))", 1), encoding="utf-8"
    )
    ran = measure(checkout, "0.1.15", "TLC002")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "TLC002 bad.py::parameter(vec=4) lowers in 0.1.15" in ran.stdout
    new = Evidence.read(folder / "evidence.json", "TLC002")
    column = new.releases["0.1.15"]
    assert column.kernels["bad.py::parameter(vec=4)"] == LOWERS
    assert column.examples != old.releases["0.1.15"].examples
    assert {**new.releases, "0.1.15": None} == {**old.releases, "0.1.15": None}, "other releases are left alone"


@pytest.mark.long
def test_what_cannot_work_is_exit_2(checkout: Path) -> None:
    ran = measure(checkout, "0.1.15", "--check", "TLC999")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "TLC999" in ran.stderr
    [folder] = checkout.glob("rules/tlc002_*")
    (folder / "evidence.json").write_text("[]", encoding="utf-8")
    ran = measure(checkout, "0.1.15", "TLC002")
    assert ran.returncode == 2
    assert ran.stderr.count("\n") == 1
