"""The arguments of the command line. Where ruff has the same option, it means the same."""
# Paths are strings here: os.getcwd() and the runner speak of strings.
# ruff: noqa: PTH109

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from typing import NoReturn

from tl_lint import __version__
from tl_lint.argument_groups import add_codes, add_configuration, add_excludes, path, positive
from tl_lint.config import ConfigError, Overrides
from tl_lint.globs import FilePattern, GlobError
from tl_lint.output.terminal import printable
from tl_lint.selection import Selection
from tl_lint.verify_arguments import add_doctor, add_verify

__all__ = ["overrides_of", "parse", "selection_of"]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """End the process with status 2 after one line, as every other mistake does."""
        sys.stderr.write(f"tl-lint: error: {printable(message)}; see `{self.prog} --help`\n")
        raise SystemExit(2)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the parsed `arguments`, those of the process for None. Raises SystemExit for --help and mistakes."""
    parser = _Parser(
        prog="tl-lint",
        description="Finds the mistakes in TileLang kernels before the compiler does.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"tl-lint {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_check(commands.add_parser("check", help="look for mistakes in files and folders", allow_abbrev=False))
    add_verify(commands.add_parser("verify", help="prove kernels and fixes on the compiler", allow_abbrev=False))
    add_doctor(commands.add_parser("doctor", help="measure what holds in this environment", allow_abbrev=False))
    explain = commands.add_parser("explain", help="print the page of a rule", allow_abbrev=False)
    explain.add_argument("code", metavar="CODE", help="such as TLC001")
    rules = commands.add_parser("rules", help="list the rules", allow_abbrev=False)
    rules.add_argument("--output-format", choices=("text", "json"), default="text", help="default: text")
    return parser.parse_args(arguments)


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        type=path,
        metavar="PATH",
        help="files and folders to check; - is standard input (default: .)",
    )
    parser.add_argument("--fix", action="store_true", help="write the safe fixes into the files")
    parser.add_argument(
        "--unsafe-fixes", action=argparse.BooleanOptionalAction, default=None, help="make the unsafe fixes too"
    )
    parser.add_argument(
        "--diff", action="store_true", help="print what --fix would change, and change nothing; 1 if there is a change"
    )
    _add_selection(parser.add_argument_group("rules"))
    _add_output(parser.add_argument_group("output"))
    _add_files(parser.add_argument_group("files"))


def _add_selection(group: argparse._ArgumentGroup) -> None:
    add_codes(group)
    group.add_argument(
        "--tilelang-version",
        metavar="X|installed|all",
        help="the TileLang to check for: a version, a specifier such as '>=0.1.13', the installed one, or all known "
        "ones (default: the configured one, else the installed one, else all)",
    )


def _add_output(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--output-format",
        choices=("text", "full", "concise", "json"),
        default="text",
        help="text is full at a terminal and concise elsewhere (default: text)",
    )
    group.add_argument("-o", "--output-file", type=path, metavar="FILE", help="write the findings to FILE")
    group.add_argument("--statistics", action="store_true", help="print how often each code was found instead")
    group.add_argument("-e", "--exit-zero", action="store_true", help="exit with 0 where findings would make it 1")
    group.add_argument("-q", "--quiet", action="store_true", help="print the findings and nothing else")


def _add_files(group: argparse._ArgumentGroup) -> None:
    add_excludes(group)
    group.add_argument("--stdin-filename", type=path, metavar="FILE", help="what to call standard input")
    group.add_argument("-j", "--jobs", type=positive, metavar="N", help="number of processes (default: as it pays)")
    group.add_argument("-n", "--no-cache", action="store_true", help="accepted; there is no cache yet")
    add_configuration(group)


def selection_of(arguments: argparse.Namespace) -> Selection:
    """Return the choice of codes that the arguments of `check` or `verify` make."""
    return Selection(
        None if arguments.select is None else _listed(arguments.select),
        _listed(arguments.ignore or ()),
        _listed(arguments.extend_select or ()),
    )


def overrides_of(arguments: argparse.Namespace) -> Overrides:
    """Return what else the arguments of `check` or `verify` change in the configuration.

    Raises ConfigError for a bad pattern.
    """
    return Overrides(
        exclude=None if arguments.exclude is None else _patterns("--exclude", arguments.exclude),
        extend_exclude=_patterns("--extend-exclude", arguments.extend_exclude or ()),
        tilelang_version=getattr(arguments, "tilelang_version", None),
        unsafe_fixes=arguments.unsafe_fixes,
    )


def _patterns(option: str, given: Iterable[str]) -> tuple[FilePattern, ...]:
    try:
        return tuple(FilePattern(pattern, os.getcwd()).check() for pattern in _listed(given))
    except GlobError as error:
        raise ConfigError(f"{option}: {error}") from None


def _listed(given: Iterable[str]) -> tuple[str, ...]:
    return tuple(part.strip() for value in given for part in value.split(","))
