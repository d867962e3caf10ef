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
from tl_lint.config import ConfigError, Overrides
from tl_lint.globs import FilePattern, GlobError
from tl_lint.output.terminal import printable
from tl_lint.selection import Selection

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
    explain = commands.add_parser("explain", help="print the page of a rule", allow_abbrev=False)
    explain.add_argument("code", metavar="CODE", help="such as TLC001")
    rules = commands.add_parser("rules", help="list the rules", allow_abbrev=False)
    rules.add_argument("--output-format", choices=("text", "json"), default="text", help="default: text")
    return parser.parse_args(arguments)


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        type=_path,
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
    for option, text in (
        ("--select", "check these codes only; a prefix such as TLC0 will do, ALL is every one"),
        ("--ignore", "leave these codes out; TLC000 always stays"),
        ("--extend-select", "check these codes too"),
    ):
        group.add_argument(option, action="append", metavar="CODE,...", help=text)
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
    group.add_argument("-o", "--output-file", type=_path, metavar="FILE", help="write the findings to FILE")
    group.add_argument("--statistics", action="store_true", help="print how often each code was found instead")
    group.add_argument("-e", "--exit-zero", action="store_true", help="exit with 0 where findings would make it 1")
    group.add_argument("-q", "--quiet", action="store_true", help="print the findings and nothing else")


def _add_files(group: argparse._ArgumentGroup) -> None:
    for option, text in (
        ("--exclude", "pass over these files and folders instead of the configured ones"),
        ("--extend-exclude", "pass over these files and folders too"),
    ):
        group.add_argument(option, action="append", metavar="GLOB,...", help=text)
    group.add_argument("--force-exclude", action="store_true", help="pass over excluded files that PATH names, too")
    group.add_argument("--stdin-filename", type=_path, metavar="FILE", help="what to call standard input")
    group.add_argument("-j", "--jobs", type=_positive, metavar="N", help="number of processes (default: as it pays)")
    group.add_argument("-n", "--no-cache", action="store_true", help="accepted; there is no cache yet")
    group.add_argument(
        "--config", type=_path, metavar="FILE", help="read [tool.tl-lint] of this TOML file for every PATH"
    )
    group.add_argument("--isolated", action="store_true", help="read no configuration file")


def _path(text: str) -> str:
    """Return `text`; an empty one comes from a shell variable that is not set and would mean the working folder."""
    if not text or "\0" in text:
        raise argparse.ArgumentTypeError(
            "a path cannot be empty" if not text else "a path cannot hold a null character"
        )
    return text


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return int(text)


def selection_of(arguments: argparse.Namespace) -> Selection:
    """Return the choice of codes that the arguments of `check` make."""
    return Selection(
        None if arguments.select is None else _listed(arguments.select),
        _listed(arguments.ignore or ()),
        _listed(arguments.extend_select or ()),
    )


def overrides_of(arguments: argparse.Namespace) -> Overrides:
    """Return what else the arguments of `check` change in the configuration. Raises ConfigError for a bad pattern."""
    return Overrides(
        exclude=None if arguments.exclude is None else _patterns("--exclude", arguments.exclude),
        extend_exclude=_patterns("--extend-exclude", arguments.extend_exclude or ()),
        tilelang_version=arguments.tilelang_version,
        unsafe_fixes=arguments.unsafe_fixes,
    )


def _patterns(option: str, given: Iterable[str]) -> tuple[FilePattern, ...]:
    try:
        return tuple(FilePattern(pattern, os.getcwd()).check() for pattern in _listed(given))
    except GlobError as error:
        raise ConfigError(f"{option}: {error}") from None


def _listed(given: Iterable[str]) -> tuple[str, ...]:
    return tuple(part.strip() for value in given for part in value.split(","))
