"""What the documents say is so: every command runs, every sample is real output, every list is complete."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.front import environment
from tests.tilelang_environment import interpreter
from tl_lint.config import KEYS
from tl_lint.registry import load_rules, rule_page
from tl_lint.releases import KNOWN, Target
from tl_lint.rule import Rule
from tools.rule_index import with_index

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("rules/*/README.md")])
RULES = load_rules()
SECTIONS = (
    "What it does",
    "Why it matters",
    "Example",
    "Instead",
    "Fix safety",
    "Known limits",
    "Measured",
    "References",
)
MARKER = re.compile(r"  # expect: .*$")

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


def block(label: str) -> str:
    """Return the fenced block of the README that follows the comment `label`."""
    found = re.findall(rf"^<!-- {re.escape(label)} -->\n```\w+\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert len(found) == 1, label
    return str(found[0])


def folder_of(rule: Rule) -> Path:
    [folder] = ROOT.glob(f"rules/{rule.code.lower()}_*/")
    return folder


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell command of the README in `folder`, with the commands of the running environment in front."""
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]])
    environment["NO_COLOR"] = "1"
    return subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    """The README's kernel, as scale.py in a folder of its own."""
    file = tmp_path / "scale.py"
    file.write_text(block("example: kernel"), encoding="utf-8")
    return file


# the samples of the README


def test_the_lint_sample_is_what_the_command_prints(kernel: Path) -> None:
    command, _, expected = block("example: lint").partition("\n")
    ran = run(command.removeprefix("$ "), kernel.parent)
    assert (ran.stdout, ran.returncode) == (expected, 1)


def test_the_fixed_sample_is_what_the_fix_writes(kernel: Path) -> None:
    before = kernel.read_text(encoding="utf-8").splitlines()
    ran = run("tl-lint check --fix scale.py", kernel.parent)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    after = kernel.read_text(encoding="utf-8").splitlines()
    [changed] = [new for old, new in zip(before, after, strict=True) if old != new]
    assert changed == block("example: fixed").rstrip("\n")


@pytest.mark.long
def test_the_compiler_sample_is_what_the_compiler_says_and_the_fixed_kernel_compiles(kernel: Path) -> None:
    fixed = kernel.with_name("fixed.py")
    line = block("example: fixed")
    text, replaced = re.subn(r"^.* in T\.Parallel\(.*\n", line, kernel.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert replaced == 1
    fixed.write_text(text, encoding="utf-8")
    [before, after] = verified(kernel, fixed)
    assert block("example: compiler").strip().rpartition(": ")[2] in before["original"]["message"]
    assert before["verdict"] == "fix-confirmed"
    assert (after["verdict"], after["effective_width"]) == ("ok", 4)


def verified(*files: Path) -> list[dict[str, Any]]:
    """Return the rows that the verifier gives to files of one kernel each."""
    command = [str(interpreter(str(KNOWN[-1]))), "-m", "tl_lint", "verify", *map(str, files), "--no-cache"]
    options = ["--level", "lower", "--output-format", "json"]
    ran = subprocess.run([*command, *options], env=environment(), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    rows: list[dict[str, Any]] = json.loads(ran.stdout)
    return sorted(rows, key=lambda row: [file.name for file in files].index(Path(row["path"]).name))


def test_the_compiler_sample_is_the_one_of_the_rule() -> None:
    assert block("example: compiler").strip().rpartition(": ")[2] in rule_page(RULES[0])


# the commands of the README


@pytest.mark.long
def test_the_demo_lints_and_fixes_in_a_fresh_checkout(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns(".*", "build", "dist", "__pycache__"))
    ran = run(block("command: demo"), checkout)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "seed_bare_int.py:10:50: TLC001" in ran.stdout
    assert re.search(r'^\+.*coalesced_width=T\.IntImm\("int32", 4\)', ran.stdout, re.MULTILINE)
    for copy in (checkout / "build" / "demo").iterdir():
        original = ROOT / "tests" / "cases" / "coalesced_width" / copy.name
        untouched = checkout / original.relative_to(ROOT)
        assert untouched.read_bytes() == original.read_bytes()
        fixed = original.with_suffix(".fixed.py")
        expected = (fixed if fixed.exists() else original).read_text(encoding="utf-8").splitlines()
        assert copy.read_text(encoding="utf-8").splitlines() == [MARKER.sub("", line) for line in expected]


def test_ci_runs_the_test_command_word_for_word() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    [extraction] = re.findall(r"^command=.*$", script, re.MULTILINE)
    ran = subprocess.run(
        ["bash", "-c", f'{extraction}\nprintf %s "$command"'], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout == block("command: test").strip() == "python3 -m tools.test"
    assert script.rstrip().endswith('exec bash -euo pipefail -c "$command" </dev/null')
    assert "pytest" not in script


def commands(label: str) -> Iterator[str]:
    for line in block(label).splitlines():
        yield line.partition("  #")[0].rstrip()


@pytest.mark.parametrize("command", [*commands("commands: quickstart"), *commands("commands: flake8")])
def test_the_commands_of_the_quickstart_work(kernel: Path, command: str) -> None:
    source = kernel.parent / "src"
    source.mkdir()
    kernel.rename(source / kernel.name)
    ran = run(command, kernel.parent)
    reports = {"tl-lint check": 1, "tl-lint check --diff src": 1, "flake8 --select TLC src": 1}
    assert ran.returncode == reports.get(command, 0), ran.stdout + ran.stderr
    assert not ran.stderr.startswith("usage")
    assert ("TLC001" in ran.stdout) is (command not in ("tl-lint check --diff src", "tl-lint check --fix src"))
    assert ("IntImm" in (source / kernel.name).read_text(encoding="utf-8")) is ("--fix" in command)


@pytest.mark.parametrize(("name", "code"), [("clean.py", 0), ("scale.py", 1), ("absent.py", 2)])
def test_the_exit_codes(kernel: Path, name: str, code: int) -> None:
    (kernel.parent / "clean.py").write_text("import tilelang\n")
    assert re.search(rf"^\| {code} \| ", README, re.MULTILINE)
    assert run(f"tl-lint check {name}", kernel.parent).returncode == code
    assert run(f"tl-lint check --exit-zero {name}", kernel.parent).returncode == (0 if code == 1 else code)


@pytest.mark.long
def test_the_pre_commit_hook_fixes_and_then_passes(kernel: Path) -> None:
    folder = kernel.parent
    (folder / ".pre-commit-config.yaml").write_text(block("example: pre-commit"), encoding="utf-8")
    assert run("git init -q . && git add .", folder).returncode == 0
    first = run("pre-commit run --all-files", folder)
    assert (first.returncode, "files were modified by this hook" in first.stdout) == (1, True), first.stdout
    assert 'T.IntImm("int32", 4)' in kernel.read_text(encoding="utf-8")
    second = run("git add . && pre-commit run --all-files", folder)
    assert second.returncode == 0, second.stdout


def test_ruff_keeps_our_noqa_only_when_told(tmp_path: Path) -> None:
    source = "value = 1  # noqa: TLC001\n"
    file = tmp_path / "kernel.py"
    file.write_text(source)
    (tmp_path / "pyproject.toml").write_text(block("example: ruff"))
    command = "ruff check --no-cache --select RUF100,RUF102 --fix"
    assert run(f"{command} kernel.py", tmp_path).returncode == 0
    assert file.read_text() == source
    assert run(f"{command} --isolated kernel.py", tmp_path).returncode == 0
    assert file.read_text() == "value = 1\n"


# the lists


def test_the_index_of_rules_is_current() -> None:
    assert with_index(README) == README, "run: python -m tools.rule_index"


def test_the_configuration_table_has_a_row_for_each_key() -> None:
    table = README.partition("<!-- configuration: one row a key -->\n")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE) == list(KEYS)


def test_the_releases_are_the_known_ones() -> None:
    assert f"The rules hold for {Target.parse('all').described}" in README


def test_the_changelog_names_each_code_once_as_a_line_of_its_own() -> None:
    listed = re.findall(r"^- (TLC\d{3}): ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == ["TLC000", *(rule.code for rule in RULES)]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.relative_to(ROOT).as_posix())
def test_documents_name_no_unknown_code_and_link_to_what_exists(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    assert set(re.findall(r"TLC\d{3}", text)) <= {"TLC000", *(rule.code for rule in RULES)}
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
    assert [link for link in links if "://" not in link and not (document.parent / link).exists()] == []


# the folder of a rule


@each_rule
def test_a_rule_folder_is_named_after_the_rule_and_complete(rule: Rule) -> None:
    folder = folder_of(rule)
    assert folder.name == f"{rule.code.lower()}_{rule.name.replace('-', '_')}"
    files = {file.name for file in folder.iterdir() if file.is_file()}
    required = {"rule.py", "README.md", "bad.py", "good.py"}
    assert required <= files <= required | {"fixed.py", "evidence.json"}
    assert rule.fixable or "fixed.py" not in files


@each_rule
def test_the_page_of_a_rule_has_the_sections_of_all_pages(rule: Rule) -> None:
    page = rule_page(rule)
    assert page.startswith(f"# {rule.name} ({rule.code})\n")
    headings = re.findall(r"^## (.+)$", re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    assert headings == list(SECTIONS)


@each_rule
def test_the_code_of_a_page_is_taken_from_the_kernels(rule: Rule) -> None:
    sources = [
        [MARKER.sub("", line) for line in (folder_of(rule) / name).read_text(encoding="utf-8").splitlines()]
        for name in ("bad.py", "good.py", "fixed.py")
        if (folder_of(rule) / name).exists()
    ]
    excerpts = re.findall(r"^```python\n(.*?)^```$", rule_page(rule), re.MULTILINE | re.DOTALL)
    assert excerpts
    for excerpt in excerpts:
        lines = excerpt.splitlines()
        assert any(is_excerpt(lines, source) for source in sources), excerpt


def is_excerpt(lines: list[str], source: list[str]) -> bool:
    """Return whether `lines` stand in `source` one after the other, however far they are indented there."""
    wanted = dedent("\n".join(lines))
    return any(
        dedent("\n".join(source[start : start + len(lines)])) == wanted for start in range(len(source) - len(lines) + 1)
    )
