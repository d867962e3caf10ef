"""The flake8 plugin. flake8 chooses the codes and the files and honours noqa comments; this adds what it cannot know.

One thing is added to its noqa comments: at the end of a statement in brackets, one counts for all lines of the
statement, as on the command line. `--disable-noqa` switches that off too.

[tool.tl-lint] counts for `tilelang-version`, `language-modules` and `rule-paths`; flake8's own options of these names
come first.
"""
# Paths are strings here: flake8 hands them over as such.
# ruff: noqa: PTH100, PTH109, PTH120

from __future__ import annotations

import argparse
import ast
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

from tl_lint import __version__
from tl_lint.config import ConfigError, Configurations, Options, check_language_modules, settings_for
from tl_lint.messages import internal_error
from tl_lint.model import CANNOT_ANALYSE
from tl_lint.selection import ALL, Selection

if TYPE_CHECKING:
    from flake8.options.manager import OptionManager

    from tl_lint.source import Source

__all__ = ["Plugin"]

_EVERYTHING = Selection(select=(ALL,))
_Result = tuple[int, int, str, type]


@dataclass(frozen=True)
class _Chosen:
    """What flake8's options say; `stdin_name` is what it calls standard input, None where it does not read it."""

    tilelang_version: str | None = None
    language_modules: tuple[str, ...] = ()
    rule_paths: tuple[str, ...] = ()
    stdin_name: str | None = None
    disable_noqa: bool = False
    configurations: Configurations = field(default_factory=Configurations)

    def options_in(self, folder: str) -> Options:
        """Return the options for a file in `folder`. Raises ConfigError if pyproject.toml is unusable."""
        options = self.configurations.above(os.path.abspath(folder))
        return replace(
            options,
            selection=Selection(),
            per_file_ignores=(),
            tilelang_version=self.tilelang_version or options.tilelang_version,
            language_modules=self.language_modules or options.language_modules,
            rule_paths=self.rule_paths or options.rule_paths,
        )


class Plugin:
    """What flake8 makes one of for every file that it could parse."""

    name = "tl-lint"
    version = __version__
    _chosen: ClassVar[_Chosen] = _Chosen()

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:
        """`tree` is not used, but asking for it is how a plugin gets whole files; `lines` count for stdin only."""
        self._filename = filename
        self._lines = lines

    @staticmethod
    def add_options(manager: OptionManager) -> None:
        """Register the options, and the rules that are off by default as ignored by default."""
        manager.add_option(
            "--tilelang-version",
            metavar="X|installed|all",
            parse_from_config=True,
            help="The TileLang to check for: a version, a specifier, the installed one or all known ones.",
        )
        manager.add_option(
            "--tilelang-language-modules",
            metavar="MODULE,...",
            parse_from_config=True,
            comma_separated_list=True,
            help="Further modules that mean tilelang.language.",
        )
        manager.add_option(
            "--tilelang-rule-paths",
            metavar="FOLDER,...",
            parse_from_config=True,
            comma_separated_list=True,
            normalize_paths=True,
            help="Folders that hold further rules.",
        )
        manager.extend_default_ignore(_off_by_default())

    @classmethod
    def parse_options(cls, manager: OptionManager, options: argparse.Namespace, arguments: Sequence[str]) -> None:
        """Take over the values of the options; flake8 stops with one line if they or pyproject.toml are unusable."""
        from flake8.exceptions import ExecutionError

        cls._chosen = _Chosen(
            options.tilelang_version or None,
            tuple(options.tilelang_language_modules or ()),
            tuple(options.tilelang_rule_paths or ()),
            options.stdin_display_name if "-" in options.filenames else None,
            options.disable_noqa,
        )
        try:
            check_language_modules(cls._chosen.language_modules, "--tilelang-language-modules")
            settings_for(cls._chosen.options_in(os.getcwd()), _EVERYTHING)
        except ConfigError as error:
            raise ExecutionError(f"tl-lint: {error}") from None

    def run(self) -> Iterator[_Result]:
        """Yield line, column from 0, code and message of each finding; never raises, what goes wrong is a TLC000."""
        try:
            found = self._found()
        except ConfigError as error:
            found = [(1, 0, f"{CANNOT_ANALYSE} {error}")]
        except Exception as error:
            found = [(1, 0, f"{CANNOT_ANALYSE} {internal_error(error)}")]
        for line, column, text in found:
            yield line, column, text, type(self)

    def _found(self) -> list[tuple[int, int, str]]:
        from tl_lint.engine import lint
        from tl_lint.source import SourceError

        try:
            source = self._source()
        except SourceError as error:
            return [(1, 0, f"{CANNOT_ANALYSE} {error.message}")]
        options = self._chosen.options_in(os.path.dirname(os.path.abspath(self._filename)))
        if not source.holds(options.needles):
            return []
        settings = settings_for(options, _EVERYTHING)
        found = []
        for diagnostic in lint(source, settings, silence=not self._chosen.disable_noqa):
            place = source.position(diagnostic.span.start)
            found.append((place.line, place.column, f"{diagnostic.code} {diagnostic.message}"))
        return found

    def _source(self) -> Source:
        from tl_lint.source import Source

        if self._filename == self._chosen.stdin_name:
            return Source.from_text(self._filename, "".join(self._lines))
        return Source.read(self._filename)


def _off_by_default() -> list[str]:
    """Return the codes that have to be asked for; none if the rules cannot be loaded, which parse_options tells."""
    try:
        options = _Chosen().options_in(os.getcwd())
        rules = settings_for(options, _EVERYTHING).rules
    except ConfigError:
        return []
    return [rule.code for rule in rules if not rule.on_by_default]
