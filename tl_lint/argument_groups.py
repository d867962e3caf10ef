"""Options that several subcommands share, and the types of their values."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeVar

__all__ = ["add_codes", "add_configuration", "add_excludes", "path", "positive", "value"]

Value = TypeVar("Value")


def add_codes(group: argparse._ArgumentGroup) -> None:
    """Add the options that choose rules."""
    for option, text in (
        ("--select", "check these codes only; a prefix such as TLC0 will do, ALL is every one"),
        ("--ignore", "leave these codes out; TLC000 always stays"),
        ("--extend-select", "check these codes too"),
    ):
        group.add_argument(option, action="append", metavar="CODE,...", help=text)


def add_excludes(group: argparse._ArgumentGroup) -> None:
    """Add the options that pass over files."""
    for option, text in (
        ("--exclude", "pass over these files and folders instead of the configured ones"),
        ("--extend-exclude", "pass over these files and folders too"),
    ):
        group.add_argument(option, action="append", metavar="GLOB,...", help=text)
    group.add_argument("--force-exclude", action="store_true", help="pass over excluded files that PATH names, too")


def add_configuration(group: argparse._ArgumentGroup) -> None:
    """Add the options that say which configuration file counts."""
    group.add_argument(
        "--config", type=path, metavar="FILE", help="read [tool.tl-lint] of this TOML file for every PATH"
    )
    group.add_argument("--isolated", action="store_true", help="read no configuration file")


def path(text: str) -> str:
    """Return `text`; an empty one comes from a shell variable that is not set and would mean the working folder."""
    if not text or "\0" in text:
        raise argparse.ArgumentTypeError(
            "a path cannot be empty" if not text else "a path cannot hold a null character"
        )
    return text


def positive(text: str) -> int:
    """Return the whole number above 0 that `text` writes."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return int(text)


def value(parse: Callable[[str], Value]) -> Callable[[str], Value]:
    """Return a type for argparse that shows the message of the ValueError which `parse` raises."""

    def parsed(text: str) -> Value:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parsed
