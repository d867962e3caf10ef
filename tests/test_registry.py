"""Where rules are found, and what is said of one that cannot be loaded."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import tl_lint.rules
from tl_lint.registry import RegistryError, load_rules, rule_page

ROOT = Path(__file__).resolve().parent.parent

RULE = """
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from tl_lint.rule import Report, Rule

if TYPE_CHECKING:
    from tl_lint.kernels import File


class {class_name}(Rule):
    code = "{code}"
    name = "{name}"
    summary = "A rule of the tests"
    releases = ">=0.1.8"
    triggers = (b"T.serial",)

    def check(self, node: cst.CSTNode, file: File) -> Iterator[Report]:
        yield self.report(node, "found")
"""


def rule_source(code: str = "TLC980", name: str = "of-the-tests", class_name: str = "OfTheTests") -> str:
    return RULE.format(code=code, name=name, class_name=class_name)


def write_rule(parent: Path, folder: str, source: str) -> Path:
    """Write `source` as the rule.py of `parent`/`folder` and return that folder."""
    place = parent / folder
    place.mkdir(parents=True)
    (place / "rule.py").write_text(source, encoding="utf-8")
    return place


def built_in_codes() -> set[str]:
    """The codes that the names of the rule folders say."""
    return {folder.parent.name.partition("_")[0].upper() for folder in ROOT.glob("rules/*/rule.py")}


def refused(*rule_paths: Path) -> str:
    """Load these rule paths, which has to be refused, and return the one line that says why."""
    with pytest.raises(RegistryError) as caught:
        load_rules(rule_paths)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# built-in rules


def test_every_rule_folder_is_a_rule_sorted_by_code() -> None:
    codes = [rule.code for rule in load_rules()]
    assert codes
    assert set(codes) == built_in_codes()
    assert codes == sorted(codes)


def test_a_built_in_rule_is_an_ordinary_module() -> None:
    for rule in load_rules():
        module = type(rule).__module__
        assert module.startswith(f"tl_lint.rules.{rule.code.lower()}_")
        assert module.endswith(".rule")
        assert getattr(sys.modules[module], type(rule).__name__) is type(rule)


def test_the_page_of_a_rule_is_the_readme_beside_it() -> None:
    for rule in load_rules():
        [page] = ROOT.glob(f"rules/{rule.code.lower()}_*/README.md")
        assert rule_page(rule) == page.read_text(encoding="utf-8")


def test_a_broken_built_in_rule_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = write_rule(tmp_path, "tlc979_broken", "import no_such_module_at_all\n")
    monkeypatch.setattr(tl_lint.rules, "__path__", [*tl_lint.rules.__path__, str(tmp_path)])
    said = refused()
    assert said == f"cannot load {place / 'rule.py'}: ModuleNotFoundError: No module named 'no_such_module_at_all'"


# rule paths


def test_a_rule_path_may_be_a_rule_folder_or_hold_some(tmp_path: Path) -> None:
    single = write_rule(tmp_path, "single", rule_source("TLC981", "single", "Single"))
    write_rule(tmp_path / "several", "one", rule_source("TLC983", "one", "One"))
    write_rule(tmp_path / "several", "two", rule_source("TLC982", "two", "Two"))
    (tmp_path / "several" / "not_a_rule").mkdir()
    rules = load_rules([tmp_path / "several", str(single)])
    assert [rule.code for rule in rules if rule.code >= "TLC98"] == ["TLC981", "TLC982", "TLC983"]
    assert {rule.code for rule in rules} > built_in_codes()


def test_loading_a_rule_path_again_gives_the_same_class(tmp_path: Path) -> None:
    place = write_rule(tmp_path, "rule", rule_source())
    assert type(load_rules([place])[-1]) is type(load_rules([place])[-1])


def test_a_rule_path_may_be_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_rule(tmp_path, "rules/rule", rule_source())
    monkeypatch.chdir(tmp_path)
    assert load_rules(["rules"])[-1].code == "TLC980"


def test_a_rule_without_a_page_has_its_summary_for_one(tmp_path: Path) -> None:
    place = write_rule(tmp_path, "rule", rule_source())
    rule = load_rules([place])[-1]
    assert rule_page(rule) == "# of-the-tests (TLC980)\n\nA rule of the tests.\n"
    (place / "README.md").write_text("# Página\n", encoding="utf-8")
    assert rule_page(rule) == "# Página\n"


def test_classes_that_a_rule_imports_or_derives_from_are_not_counted(tmp_path: Path) -> None:
    source = rule_source() + "\n\nAlias = OfTheTests\n"
    source = source.replace("class OfTheTests(Rule)", "class Base(Rule):\n    pass\n\n\nclass OfTheTests(Base)")
    assert load_rules([write_rule(tmp_path, "rule", source)])[-1].code == "TLC980"


def test_a_rule_path_that_is_missing_or_empty(tmp_path: Path) -> None:
    assert refused(tmp_path / "nowhere") == f"rule path is not a folder: {tmp_path / 'nowhere'}"
    assert refused(tmp_path) == f"rule path holds no rule: {tmp_path}; expected rule.py or FOLDER/rule.py in it"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def broken(:\n", "SyntaxError: invalid syntax"),
        ("import no_such_module_at_all\n", "ModuleNotFoundError: No module named 'no_such_module_at_all'"),
        ("raise RuntimeError('one\\n  two')\n", "RuntimeError: one two"),
        ("raise RuntimeError\n", "RuntimeError"),
    ],
)
def test_a_rule_path_that_does_not_import(tmp_path: Path, source: str, said: str) -> None:
    place = write_rule(tmp_path, "rule", source)
    assert refused(place).startswith(f"cannot load {place / 'rule.py'}: {said}")


def test_a_rule_path_that_failed_is_read_again(tmp_path: Path) -> None:
    place = write_rule(tmp_path, "rule", "raise RuntimeError\n")
    refused(place)
    (place / "rule.py").write_text(rule_source())
    assert load_rules([place])[-1].code == "TLC980"


# what a rule has to be


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('    summary = "A rule of the tests"\n', "", "lacks the attribute summary"),
        ('    code = "TLC980"\n', "", "lacks the attribute code"),
        ('code = "TLC980"', "code = 980", "code 980 is not a string"),
        ('code = "TLC980"', 'code = "ABC980"', "code 'ABC980' is not TLC and three digits"),
        ('code = "TLC980"', 'code = "TLC98"', "code 'TLC98' is not TLC and three digits"),
        ('code = "TLC980"', 'code = "TLC9800"', "code 'TLC9800' is not TLC and three digits"),
        ('code = "TLC980"', 'code = "TLC000"', "code 'TLC000' is not TLC and three digits, TLC000 excepted"),
        ('name = "of-the-tests"', 'name = "Of The Tests"', "name 'Of The Tests' is not in kebab case"),
        ('"A rule of the tests"', '"A rule of the tests."', "is not one sentence on one line without a full stop"),
        ('">=0.1.8"', '"0.1.8 or later"', "releases '0.1.8 or later' is not a PEP 440 specifier"),
        ('(b"T.serial",)', "()", "triggers () is not a tuple of bytes, at least one"),
        ('(b"T.serial",)', '("T.serial",)', "triggers ('T.serial',) is not a tuple of bytes, at least one"),
        ('(b"T.serial",)', '(b"",)', "triggers (b'',) is not a tuple of bytes, at least one"),
        (
            '    triggers = (b"T.serial",)',
            '    triggers = (b"T.serial",)\n    node_types = (int,)',
            "node_types (<class 'int'>,) is not a tuple of LibCST classes, at least one",
        ),
        (
            "    def check",
            "    def __init__(self) -> None:\n        raise RuntimeError('no')\n\n    def check",
            "RuntimeError: no",
        ),
    ],
)
def test_a_rule_that_is_not_well_formed(tmp_path: Path, old: str, new: str, said: str) -> None:
    source = rule_source()
    assert old in source
    place = write_rule(tmp_path, "rule", source.replace(old, new))
    message = refused(place)
    assert said in message
    assert f"OfTheTests in {place / 'rule.py'}" in message


def test_a_file_with_no_rule_or_two(tmp_path: Path) -> None:
    none = write_rule(tmp_path, "none", "from tl_lint.rule import Rule\n")
    assert refused(none).endswith("has to define exactly one rule, a class derived from Rule: found none")
    two = write_rule(tmp_path, "two", rule_source() + "\n\nclass Another(OfTheTests):\n    pass\n")
    assert refused(two).endswith("a class derived from Rule: found Another, OfTheTests")


def test_a_rule_without_check_is_no_rule(tmp_path: Path) -> None:
    source = rule_source().replace("def check", "def look")
    assert "found none" in refused(write_rule(tmp_path, "rule", source))


def test_two_rules_of_one_code_or_one_name(tmp_path: Path) -> None:
    first = write_rule(tmp_path, "first", rule_source("TLC980", "first", "First"))
    same_code = write_rule(tmp_path, "code", rule_source("TLC980", "second", "Second"))
    same_name = write_rule(tmp_path, "name", rule_source("TLC981", "first", "Third"))
    assert refused(first, same_code) == (
        f"two rules are called TLC980: First in {first / 'rule.py'} and Second in {same_code / 'rule.py'}"
    )
    assert refused(first, same_name).startswith("two rules are called first: ")
    assert refused(first, first).startswith("two rules are called TLC980: ")


def test_a_project_cannot_take_the_code_of_a_built_in_rule(tmp_path: Path) -> None:
    taken = min(built_in_codes())
    assert refused(write_rule(tmp_path, "rule", rule_source(taken))).startswith(f"two rules are called {taken}: ")


# rules of other distributions


def write_distribution(site: Path, value: str, module: str, source: str) -> None:
    """Lay an installed distribution with the rule `value` into `site`."""
    (site / f"{module}.py").write_text(source, encoding="utf-8")
    metadata = site / f"{module}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[tl_lint.rules]\n{module} = {value}\n")


@pytest.mark.parametrize("suffix", ["", ":FromElsewhere"], ids=["module", "class"])
def test_an_entry_point_names_a_class_or_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    module = f"rule_from_elsewhere{'_class' if suffix else ''}"
    source = rule_source("TLC985", "from-elsewhere", "FromElsewhere")
    write_distribution(tmp_path, module + suffix, module, source)
    monkeypatch.syspath_prepend(str(tmp_path))
    rules = load_rules()
    assert rules[-1].code == "TLC985"
    assert {rule.code for rule in rules} == {*built_in_codes(), "TLC985"}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("missing_module", "ModuleNotFoundError: No module named 'missing_module'"),
        ("rule_that_fails:Absent", "AttributeError: module 'rule_that_fails' has no attribute 'Absent'"),
        ("rule_that_fails:NUMBER", "is neither a Rule class nor a module that holds one"),
        ("rule_that_fails", "has to define exactly one rule, a class derived from Rule: found none"),
    ],
)
def test_an_entry_point_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, said: str) -> None:
    write_distribution(tmp_path, value, "rule_that_fails", "NUMBER = 4\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    message = refused()
    assert f"the entry point rule_that_fails = {value}" in message
    assert said in message
