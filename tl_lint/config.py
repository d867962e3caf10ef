"""[tool.tl-lint] of pyproject.toml, the command line's changes to it, and the settings that come out.

Options hold what was written, type-checked; no rule is loaded for them, so that a run that finds nothing to lint never
pays for LibCST. Settings hold the rules and decide which of them count for a file.
"""
# Paths are strings here: looked up for every folder of a walk.
# ruff: noqa: PTH100, PTH109, PTH118, PTH119, PTH120

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from tl_lint.globs import FilePattern
from tl_lint.messages import one_line
from tl_lint.model import Applicability, Fix
from tl_lint.regular import read_regular
from tl_lint.selection import DEFAULT, NOTHING_SAID, Selection, codes_of, is_known, selected
from tl_lint.tables import ConfigError, Reader, nearest
from tl_lint.verify_config import NOT_CONFIGURED, VerifyConfig, verify_config

if TYPE_CHECKING:
    from tl_lint.releases import Target
    from tl_lint.rule import Rule

__all__ = [
    "KEYS", "ConfigError", "Configurations", "Options", "Overrides", "Settings", "check_language_modules",
    "read_options", "settings_for", "validate",
]  # fmt: skip

_SECTION = "[tool.tl-lint]"


def _built_in_rules() -> tuple[Rule, ...]:
    return _rules(())


def _needles(language_modules: Iterable[str]) -> tuple[bytes, ...]:
    # The last part alone: `from package import language` never spells the dotted name.
    return (b"tilelang", *(name.rpartition(".")[2].encode() for name in language_modules))


def _all_releases() -> Target:
    from tl_lint.releases import Target

    return Target.parse("all")


@dataclass(frozen=True)
class Options:
    """What one configuration file says, or nothing. Relative paths in it start at `root`, an absolute path."""

    selection: Selection = NOTHING_SAID
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[FilePattern, ...] = ()
    extend_exclude: tuple[FilePattern, ...] = ()
    tilelang_version: str | None = None
    language_modules: tuple[str, ...] = ()
    rule_paths: tuple[str, ...] = ()
    unsafe_fixes: bool = False
    verify: VerifyConfig = NOT_CONFIGURED
    root: str | None = None
    file: str | None = None

    @property
    def needles(self) -> tuple[bytes, ...]:
        """Return the bytes of which a file has to hold one to be worth parsing."""
        return _needles(self.language_modules)


@dataclass(frozen=True)
class Overrides:
    """What the command line says; None where it says nothing."""

    selection: Selection = NOTHING_SAID
    exclude: tuple[FilePattern, ...] | None = None
    extend_exclude: tuple[FilePattern, ...] = ()
    tilelang_version: str | None = None
    unsafe_fixes: bool | None = None

    def over(self, options: Options) -> Options:
        """Return `options` with everything changed that has to do with files, versions and fixes, not with codes."""
        return replace(
            options,
            exclude=options.exclude if self.exclude is None else self.exclude,
            extend_exclude=options.extend_exclude + self.extend_exclude,
            tilelang_version=options.tilelang_version if self.tilelang_version is None else self.tilelang_version,
            unsafe_fixes=options.unsafe_fixes if self.unsafe_fixes is None else self.unsafe_fixes,
        )


@dataclass(frozen=True)
class Settings:
    """Everything that linting a file depends on. Without arguments: the defaults, for all known releases."""

    rules: tuple[Rule, ...] = field(default_factory=_built_in_rules)
    select: tuple[str, ...] = DEFAULT
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[FilePattern, ...] = ()
    extend_exclude: tuple[FilePattern, ...] = ()
    target: Target = field(default_factory=_all_releases)
    language_modules: tuple[str, ...] = ()
    rule_paths: tuple[str, ...] = ()
    unsafe_fixes: bool = False
    root: Path | None = None

    @property
    def needles(self) -> tuple[bytes, ...]:
        """Return the bytes of which a file has to hold one to be worth parsing."""
        return _needles(self.language_modules)

    def applies(self, fix: Fix | None) -> bool:
        """Return whether there is a `fix`, and one to apply: a safe one, or an unsafe one where those are wanted."""
        wanted = (Applicability.SAFE, Applicability.UNSAFE) if self.unsafe_fixes else (Applicability.SAFE,)
        return fix is not None and fix.applicability in wanted

    def enabled(self, path: str) -> tuple[Rule, ...]:
        """Return the rules that are selected for the file `path` and hold for a targeted release, sorted by code."""
        chosen = selected((Selection(self.select, self.ignore, self.extend_select),), self.rules)
        absolute = os.path.abspath(path)
        for pattern, codes in self.per_file_ignores:
            if self._applies(pattern, absolute):
                chosen = chosen.difference(*(codes_of(code, self.rules) for code in codes))
        return tuple(rule for rule in self.rules if rule.code in chosen and self.target.holds(rule.releases))

    def _applies(self, pattern: str, absolute: str) -> bool:
        negated = pattern.startswith("!")
        root = str(self.root) if self.root is not None else os.getcwd()
        matcher = FilePattern(pattern[negated:], root)
        return matcher.matches(absolute, os.path.basename(absolute)) is not negated


class Configurations:
    """Finds the options that hold for a folder: the nearest pyproject.toml at or above it with a [tool.tl-lint]."""

    def __init__(self, overrides: Overrides | None = None, file: str | None = None, isolated: bool = False) -> None:
        """`file` is used for every folder instead of the nearest one, `isolated` uses none. Raises ConfigError."""
        self.overrides = overrides or Overrides()
        self._nothing = self.overrides.over(Options())
        self._by_folder: dict[str, Options] = {}
        self._fixed = self._nothing if isolated else None
        if file is not None and not isolated:
            try:
                options = read_options(os.path.abspath(file))
            except FileNotFoundError:
                raise ConfigError(f"{file}: no such file") from None
            if options is None:
                raise ConfigError(f"{file}: no {_SECTION} in it")
            self._fixed = self.overrides.over(options)

    def above(self, folder: str) -> Options:
        """Return the options for the absolute `folder`, looking upwards. Raises ConfigError if they are unusable."""
        if self._fixed is not None:
            return self._fixed
        passed = []
        found = self._by_folder.get(folder)
        while found is None:
            passed.append(folder)
            parent = os.path.dirname(folder)
            found = self._own(folder) or (self._nothing if parent == folder else self._by_folder.get(parent))
            folder = parent
        self._by_folder.update(dict.fromkeys(passed, found))
        return found

    def within(self, folder: str, outer: Options) -> Options:
        """Return the options for `folder`, known to hold a pyproject.toml, where `outer` holds for the one above."""
        if self._fixed is not None:
            return self._fixed
        found = self._own(folder)
        return outer if found is None else found

    def _own(self, folder: str) -> Options | None:
        try:
            options = read_options(os.path.join(folder, "pyproject.toml"))
        except FileNotFoundError:
            return None
        return None if options is None else self.overrides.over(options)


@lru_cache(maxsize=64)
def settings_for(options: Options, selection: Selection = NOTHING_SAID) -> Settings:
    """Return the settings that `options` ask for, `selection` being the command line's choice of codes.

    Loads the rules. Raises ConfigError for an unknown code, an unusable version or a rule that cannot be loaded.
    """
    from tl_lint.releases import ReleaseError, resolve

    rules = _rules(options.rule_paths)
    described = options.file or "the configuration"
    _check_codes(options.selection, rules, described, "extend-select")
    for _, codes in options.per_file_ignores:
        _check(codes, rules, f"`per-file-ignores` of {described}")
    _check_codes(selection, rules, "the command line", "--extend-select")
    try:
        target = resolve(None, options.tilelang_version)
    except ReleaseError as error:
        raise ConfigError(str(error)) from None
    layers = (options.selection, selection)
    return Settings(
        rules=rules,
        select=tuple(sorted(selected(layers, rules))),
        per_file_ignores=options.per_file_ignores,
        exclude=options.exclude,
        extend_exclude=options.extend_exclude,
        target=target,
        language_modules=options.language_modules,
        rule_paths=options.rule_paths,
        unsafe_fixes=options.unsafe_fixes,
        root=None if options.root is None else Path(options.root),
    )


def validate(options: Options, selection: Selection) -> None:
    """Raise ConfigError if `options` or the command line's `selection` are unusable.

    Loads the rules only where there is a code, a rule path or a version to judge.
    """
    selections = {selection, options.selection} - {NOTHING_SAID}
    if selections or options.per_file_ignores or options.rule_paths or options.tilelang_version is not None:
        settings_for(options, selection)


@lru_cache(maxsize=8)
def _rules(rule_paths: tuple[str, ...]) -> tuple[Rule, ...]:
    from tl_lint.registry import RegistryError, load_rules

    try:
        return load_rules(rule_paths)
    except RegistryError as error:
        raise ConfigError(str(error)) from None


def check_language_modules(names: Iterable[str], described: str) -> None:
    """Raise ConfigError, which calls the option `described`, if one of `names` is a module of TileLang itself."""
    for name in names:
        if name == "tilelang" or f"{name}.".startswith("tilelang.language."):
            raise ConfigError(f"{described}: {name!r} is already known; only modules of yours belong here")


def _check_codes(selection: Selection, rules: Iterable[Rule], described: str, extend: str) -> None:
    dashes = "--" if extend.startswith("--") else ""
    for key, codes in ((f"{dashes}select", selection.select or ()), (f"{dashes}ignore", selection.ignore)):
        _check(codes, rules, f"`{key}` of {described}")
    _check(selection.extend_select, rules, f"`{extend}` of {described}")


def _check(codes: Iterable[str], rules: Iterable[Rule], described: str) -> None:
    for code in codes:
        if not is_known(code, rules):
            raise ConfigError(f"unknown rule code {code!r} in {described}{nearest(code, [r.code for r in rules])}")


def read_options(file: str) -> Options | None:
    """Return what [tool.tl-lint] of the TOML `file` (an absolute path) says, None if it has no such table.

    Raises FileNotFoundError if there is no such file, ConfigError if it cannot be read or says something unusable.
    """
    try:
        data = read_regular(file)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(file) from None
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror}") from None
    if b"tl-lint" not in data:  # someone else's: not even parsed
        return None
    table = _table(file, data)
    return None if table is None else _parsed(file, table)


def _table(file: str, data: bytes) -> dict[str, object] | None:
    import sys

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        document = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # ValueError alone: a number with thousands of digits
        raise ConfigError(f"{file}: not valid TOML: {one_line(error)}") from None
    tool = document.get("tool")
    table = tool.get("tl-lint") if isinstance(tool, dict) else None
    if table is None or isinstance(table, dict):
        return table
    raise ConfigError(f"{file}: tool.tl-lint has to be a table")


def _parsed(file: str, table: dict[str, object]) -> Options:
    root = os.path.dirname(file)
    read = Reader(file, _SECTION, table)
    read.check_keys(KEYS)
    select = read.strings("select") if "select" in table else None
    version = read.string("tilelang-version")
    check_language_modules(read.strings("language-modules"), f"{file}: `language-modules` in {_SECTION}")
    return Options(
        selection=Selection(select, read.strings("ignore"), read.strings("extend-select")),
        per_file_ignores=read.ignores("per-file-ignores", root),
        exclude=read.patterns("exclude", root),
        extend_exclude=read.patterns("extend-exclude", root),
        tilelang_version=version,
        language_modules=read.strings("language-modules"),
        rule_paths=tuple(os.path.join(root, path) for path in read.strings("rule-paths")),
        unsafe_fixes=read.boolean("unsafe-fixes"),
        verify=verify_config(file, table.get("verify", {}), root),
        root=root,
        file=file,
    )


KEYS = (
    "select", "ignore", "extend-select", "per-file-ignores", "exclude", "extend-exclude", "tilelang-version",
    "language-modules", "rule-paths", "unsafe-fixes", "verify",
)  # fmt: skip
