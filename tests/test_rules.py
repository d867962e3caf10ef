"""Every folder of rules/: its files, its findings, its fixes. Adding a folder is all it takes to be tested here."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from tl_lint.config import Settings
from tl_lint.engine import lint
from tl_lint.fixer import fix
from tl_lint.model import Applicability
from tl_lint.registry import load_rules
from tl_lint.releases import KNOWN, Target
from tl_lint.source import Source

RULES = Path(__file__).resolve().parent.parent / "rules"
FOLDERS = sorted(file.parent for file in RULES.glob("*/rule.py"))
KERNELS = [file for folder in FOLDERS for name in ("bad", "good") for file in [folder / f"{name}.py"]]
_SECTIONS = [
    "What it does", "Why it matters", "Example", "Instead", "Fix safety", "Known limits", "Measured", "References",
]  # fmt: skip


def _label(path: Path) -> str:
    return f"{path.parent.name.partition('_')[0]}-{path.stem}" if path.suffix else path.name.partition("_")[0]


def _found(path: Path) -> Counter[tuple[int, str]]:
    source = Source.read(str(path))
    return Counter((source.position(each.span.start).line, each.code) for each in lint(source, Settings()))


def _marked(path: Path) -> Counter[tuple[int, str]]:
    found: Counter[tuple[int, str]] = Counter()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        marker = re.search(r"# expect: (.*)$", line)
        found.update((number, code) for code in (marker[1].split() if marker else ()))
    return found


def test_the_folders_are_those_of_the_registry() -> None:
    codes = [folder.name.partition("_")[0].upper() for folder in FOLDERS]
    assert codes == [rule.code for rule in load_rules()]


@pytest.mark.parametrize("folder", FOLDERS, ids=_label)
def test_a_folder_holds_what_a_rule_needs(folder: Path) -> None:
    names = {file.name for file in folder.iterdir() if file.is_file()}
    assert {"rule.py", "README.md", "bad.py", "good.py"} <= names
    assert len((folder / "rule.py").read_text(encoding="utf-8").splitlines()) <= 60
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == _SECTIONS


@pytest.mark.parametrize("path", KERNELS, ids=_label)
def test_the_findings_are_the_marked_ones(path: Path) -> None:
    assert _found(path) == _marked(path)


@pytest.mark.parametrize("folder", FOLDERS, ids=_label)
def test_bad_has_findings_of_the_rule_and_good_has_none(folder: Path) -> None:
    code = folder.name.partition("_")[0].upper()
    assert any(found == code for _, found in _found(folder / "bad.py"))
    assert not _found(folder / "good.py")


@pytest.mark.parametrize("folder", FOLDERS, ids=_label)
def test_fixing_bad_writes_fixed_and_good_stays(folder: Path) -> None:
    for name, answer in (("bad.py", "fixed.py"), ("good.py", "good.py")):
        source = Source.read(str(folder / name))
        result = fix(source, Settings())
        expected = folder / answer if (folder / answer).exists() else folder / name
        assert result.source.data == expected.read_bytes()
        assert result.reason is None
        assert fix(result.source, Settings()).source is result.source


def _without_wrappers(tree: ast.AST) -> str:
    """Return a dump of a tree with `X.IntImm("int32", value)` and `X.int32(value)` taken off, and imports left out."""

    class Unwrapped(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            return node.args[-1] if name in ("IntImm", "int32") and node.args else node

        def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
            node.names = [alias for alias in node.names if alias.name not in ("IntImm", "int32")]
            return node

    return ast.dump(Unwrapped().visit(tree))


@pytest.mark.parametrize("path", KERNELS, ids=_label)
@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
def test_a_fix_changes_nothing_but_the_widths(path: Path, unsafe: bool) -> None:
    source = Source.read(str(path))
    result = fix(source, Settings(unsafe_fixes=unsafe))
    guards = re.sub(r"(\S+) if \1 is not None else None", r"\1", result.source.text) if unsafe else result.source.text
    before, after = ast.parse(source.text), ast.parse(guards)
    if not unsafe or " is not None else None" not in result.source.text:
        assert _without_wrappers(before) == _without_wrappers(after)
    assert (result.source.text == source.text) == (not result.applied)


@pytest.mark.parametrize("release", [*map(str, KNOWN), "all"])
def test_every_message_is_one_short_line_that_says_what_to_write(release: str) -> None:
    settings = Settings(target=Target.parse(release))
    messages = [each.message for folder in FOLDERS for each in lint(Source.read(str(folder / "bad.py")), settings)]
    assert messages
    for message in messages:
        assert len(message) < 120, message
        assert "\n" not in message
        assert "coalesced_width" in message
        assert re.search(r"; (write|use|leave) ", message), message


def test_zero_is_told_as_the_targeted_release_takes_it() -> None:
    text = 'import tilelang.language as T\nT.Parallel(4, coalesced_width=T.IntImm("int32", 0))\n'
    told = {}
    for release in ("0.1.8", "0.1.14", "0.1.15", "all"):
        (found,) = lint(Source("kernel.py", text.encode()), Settings(target=Target.parse(release)))
        told[release] = found.message
    assert "SIGFPE" in told["0.1.8"] and "SIGFPE" in told["0.1.14"]
    assert "SIGFPE" not in told["0.1.15"] and "aborts" in told["0.1.15"]
    assert "SIGFPE" in told["all"] and "0.1.14" in told["all"]


def test_no_rule_holds_for_a_release_before_it_was_measured() -> None:
    settings = Settings(target=Target.parse("0.1.7"))
    assert not any(lint(Source.read(str(folder / "bad.py")), settings) for folder in FOLDERS)


@pytest.mark.parametrize("folder", FOLDERS, ids=_label)
def test_what_a_rule_says_of_its_fixes_is_what_it_offers(folder: Path) -> None:
    rule = next(rule for rule in load_rules() if rule.code == folder.name.partition("_")[0].upper())
    found = lint(Source.read(str(folder / "bad.py")), Settings())
    offered = {each.fix.applicability for each in found if each.code == rule.code and each.fix is not None}
    best = Applicability.SAFE if Applicability.SAFE in offered else Applicability.UNSAFE if offered else None
    assert rule.fixable == best
