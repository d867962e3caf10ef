"""Finds the rules: rules/*/rule.py, then the entry-point group `tl_lint.rules`, then a project's `rule-paths`."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata
from pathlib import Path
from types import ModuleType

import libcst as cst
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from tl_lint.messages import one_line
from tl_lint.model import CANNOT_ANALYSE
from tl_lint.rule import Rule

__all__ = ["ENTRY_POINTS", "RegistryError", "load_rules", "rule_page"]

ENTRY_POINTS = "tl_lint.rules"
"""The entry-point group in which other distributions name their rules: a Rule class, or a module that holds one."""

_CODE = re.compile(r"TLC[0-9]{3}")  # flake8 hands us no other code: the plugin's entry point is called TLC
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class RegistryError(Exception):
    """A rule cannot be loaded or is not well formed; its message is one line."""


def load_rules(rule_paths: Iterable[str | Path] = ()) -> tuple[Rule, ...]:
    """Return one instance of every rule, sorted by code.

    `rule_paths` are folders that hold rule folders, or rule folders themselves; the code in their rule.py is run.
    Raises RegistryError if a rule cannot be imported, is not well formed, or takes another one's code or name.
    """
    by_code: dict[str, Rule] = {}
    by_name: dict[str, Rule] = {}
    for rule_class in (*_built_in(), *_from_entry_points(), *_from_paths(rule_paths)):
        rule = _checked(rule_class)
        for taken, key in ((by_code, rule.code), (by_name, rule.name)):
            if key in taken:
                raise RegistryError(f"two rules are called {key}: {_where(type(taken[key]))} and {_where(rule_class)}")
            taken[key] = rule
    return tuple(by_code[code] for code in sorted(by_code))


def rule_page(rule: Rule) -> str:
    """Return the Markdown page of `rule`: the README.md beside its rule.py, or its summary where there is none."""
    page = Path(inspect.getfile(type(rule))).with_name("README.md")
    if not page.is_file():
        return f"# {rule.name} ({rule.code})\n\n{rule.summary}.\n"
    return page.read_text(encoding="utf-8")


def _built_in() -> Iterator[type[Rule]]:
    package = importlib.import_module("tl_lint.rules")
    for folder in _rule_folders(map(Path, package.__path__)):
        try:
            module = importlib.import_module(f"{package.__name__}.{folder.name}.rule")
        except Exception as error:
            raise _cannot_load(folder / "rule.py", error) from error
        yield _only_rule(module, folder / "rule.py")


def _from_entry_points() -> Iterator[type[Rule]]:
    for entry_point in sorted(metadata.entry_points(group=ENTRY_POINTS), key=lambda point: (point.name, point.value)):
        described = f"the entry point {entry_point.name} = {entry_point.value}"
        try:
            loaded = entry_point.load()
        except Exception as error:
            raise _cannot_load(described, error) from error
        if isinstance(loaded, ModuleType):
            loaded = _only_rule(loaded, described)
        if not (isinstance(loaded, type) and issubclass(loaded, Rule)):
            raise RegistryError(f"{described} is neither a Rule class nor a module that holds one")
        yield loaded


def _from_paths(rule_paths: Iterable[str | Path]) -> Iterator[type[Rule]]:
    for given in rule_paths:
        path = Path(given).resolve()
        if not path.is_dir():
            raise RegistryError(f"rule path is not a folder: {given}")
        folders = [path] if (path / "rule.py").is_file() else _rule_folders([path])
        if not folders:
            raise RegistryError(f"rule path holds no rule: {given}; expected rule.py or FOLDER/rule.py in it")
        for folder in folders:
            file = folder / "rule.py"
            yield _only_rule(_module_at(file), file)


def _rule_folders(parents: Iterable[Path]) -> list[Path]:
    return sorted(file.parent for parent in parents for file in parent.glob("*/rule.py"))


def _module_at(file: Path) -> ModuleType:
    """Import `file` once, under a name that no import statement can mean."""
    name = f"tl_lint.rule-paths.{hashlib.sha256(str(file).encode()).hexdigest()[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise RegistryError(f"cannot load the rule {file}: not a Python source file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up while it runs
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise _cannot_load(file, error) from error
    return module


def _only_rule(module: ModuleType, described: str | Path) -> type[Rule]:
    """Return the one concrete Rule that `module` itself defines, whatever it imports."""
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Rule)
        and value.__module__ == module.__name__
        and not inspect.isabstract(value)
    ]
    if len(set(found)) != 1:
        names = ", ".join(sorted({value.__name__ for value in found})) or "none"
        raise RegistryError(f"{described} has to define exactly one rule, a class derived from Rule: found {names}")
    return found[0]


def _checked(rule_class: type[Rule]) -> Rule:
    """Return an instance of `rule_class`; raise RegistryError if an attribute is missing or not as Rule describes."""
    for attribute in ("code", "name", "summary", "releases", "triggers"):
        if not hasattr(rule_class, attribute):
            raise RegistryError(f"{_where(rule_class)} lacks the attribute {attribute}")
    fault = _fault(rule_class)
    if fault is not None:
        raise RegistryError(f"{_where(rule_class)}: {fault}")
    try:
        return rule_class()
    except Exception as error:
        raise _cannot_load(_where(rule_class), error) from error


def _fault(rule_class: type[Rule]) -> str | None:
    """Return what is wrong with the attributes of `rule_class`, None if nothing is."""
    for attribute, value in (
        ("code", rule_class.code),
        ("name", rule_class.name),
        ("summary", rule_class.summary),
        ("releases", rule_class.releases),
    ):
        if not isinstance(value, str):
            return f"{attribute} {value!r} is not a string"
    if not _CODE.fullmatch(rule_class.code) or rule_class.code == CANNOT_ANALYSE:
        return f"code {rule_class.code!r} is not TLC and three digits, {CANNOT_ANALYSE} excepted"
    if not _NAME.fullmatch(rule_class.name):
        return f"name {rule_class.name!r} is not in kebab case"
    if not rule_class.summary.strip() or "\n" in rule_class.summary or rule_class.summary.endswith("."):
        return f"summary {rule_class.summary!r} is not one sentence on one line without a full stop"
    try:
        SpecifierSet(rule_class.releases)
    except InvalidSpecifier:
        return f"releases {rule_class.releases!r} is not a PEP 440 specifier"
    if not _is_tuple_of(rule_class.triggers, _is_trigger):
        return f"triggers {rule_class.triggers!r} is not a tuple of bytes, at least one"
    if not _is_tuple_of(rule_class.node_types, _is_node_type):
        return f"node_types {rule_class.node_types!r} is not a tuple of LibCST classes, at least one"
    return None


def _is_tuple_of(value: object, accepted: Callable[[object], bool]) -> bool:
    return isinstance(value, tuple) and bool(value) and all(map(accepted, value))


def _is_trigger(value: object) -> bool:
    return isinstance(value, bytes) and bool(value)


def _is_node_type(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, cst.CSTNode)


def _where(rule_class: type[Rule]) -> str:
    return f"{rule_class.__name__} in {inspect.getfile(rule_class)}"


def _cannot_load(described: str | Path, error: Exception) -> RegistryError:
    """Return the error that says in one line what stopped the import of `described`."""
    reason = one_line(error)
    return RegistryError(f"cannot load {described}: {type(error).__name__}{': ' if reason else ''}{reason}")
