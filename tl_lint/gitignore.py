"""What git would ignore: nested .gitignore files, those of the folders above, and .git/info/exclude.

pathspec reads the patterns. It answers for whole paths: a pattern that means a folder also matches what lies in it. A
walk asks about one entry after the other, where that would be wrong (`*`, `!*/`, `!kernel.py`), so each line is asked
for the entry itself. What is left apart from git: classes such as `[[:alpha:]]` and reversed ranges are not known, and
below a folder that a later line takes back, a line with `**` in the middle still ignores.
"""
# Paths are strings here: asked about every entry of a walk.
# ruff: noqa: PTH110, PTH118, PTH120, PTH206

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Protocol

from pathspec import GitIgnoreSpec

from tl_lint.regular import read_regular

__all__ = ["Ignored", "entering", "rules_above"]

_FILE = ".gitignore"


class _Matcher(Protocol):
    """What is used of pathspec's pattern classes, whose names and places differ between its releases."""

    def match_file(self, file: str) -> object: ...


@dataclass(frozen=True)
class IgnorePattern:
    """One line of a .gitignore. `ignores` is false for a line that begins with `!`."""

    ignores: bool
    folders_only: bool
    anchored: bool
    recursive: bool
    matcher: _Matcher

    @classmethod
    def parse(cls, line: str) -> IgnorePattern | None:
        """Return the pattern that `line` (without its end) holds; None for a comment, nothing, or nonsense."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                patterns = list(GitIgnoreSpec.from_lines([line]).patterns)
        except ValueError:
            return None
        if not patterns or patterns[0].include is None:
            return None
        text = line.rstrip(" ").removeprefix("!")
        inner = text.removesuffix("/").removeprefix("**/")
        return cls(bool(patterns[0].include), text.endswith("/"), "/" in inner, "**" in inner, patterns[0])

    def matches(self, path: str, is_folder: bool) -> bool:
        """Return whether the pattern means `path` itself, relative to the folder of the .gitignore, with slashes."""
        if self.folders_only and not is_folder:
            return False
        slash = "/" if self.folders_only else ""
        parent, _, name = path.rpartition("/")
        if not self.anchored:
            return self.matcher.match_file(name + slash) is not None
        if self.matcher.match_file(path + slash) is None:
            return False
        return self.recursive or not parent or self.matcher.match_file(parent + slash) is None


@dataclass(frozen=True)
class Ignored:
    """The patterns written for one folder, and behind them those of the folders above, which count for less."""

    folder: str
    patterns: tuple[IgnorePattern, ...]
    outer: Ignored | None = None

    def covers(self, path: str, is_folder: bool) -> bool:
        """Return whether the absolute `path`, somewhere below `folder`, is ignored by itself.

        Whether a folder above `path` is ignored is not asked: a walk never gets that far.
        """
        rules: Ignored | None = self
        while rules is not None:
            relative = path[len(rules.folder.rstrip(os.sep)) + 1 :]
            if os.sep != "/":
                relative = relative.replace(os.sep, "/")
            for pattern in reversed(rules.patterns):
                if pattern.matches(relative, is_folder):
                    return pattern.ignores
            rules = rules.outer
        return False


def rules_above(folder: str) -> Ignored | None:
    """Return what the folders above the absolute `folder` say, up to the root of its repository.

    None without a repository, and None where they ignore `folder` itself: somebody asked for it all the same.
    """
    root = _repository(folder)
    if root is None or root == folder:
        return None
    rules: Ignored | None = None
    here = root
    for part in os.path.relpath(folder, root).split(os.sep):
        rules = entering(here, rules, os.path.exists(os.path.join(here, _FILE)), here == root)
        here = os.path.join(here, part)
        if rules is not None and rules.covers(here, is_folder=True):
            return None
    return rules


def entering(
    folder: str, outer: Ignored | None, has_file: bool, is_repository: bool, named: bool = False
) -> Ignored | None:
    """Return the rules for what lies in the absolute `folder`, where `outer` holds around it.

    `has_file` says that it holds a .gitignore, `is_repository` that it holds a .git (a repository of its own knows
    nothing of the rules around it), `named` that the user asked for it: then a .gitignore that does nothing but ignore
    the whole folder, as virtual environments have, is not heeded.
    """
    rules = None if is_repository else outer
    if is_repository:
        rules = _extended(rules, folder, _exclude_file(folder))
    if has_file:
        rules = _extended(rules, folder, os.path.join(folder, _FILE), named)
    return rules


def _extended(outer: Ignored | None, folder: str, file: str, named: bool = False) -> Ignored | None:
    patterns = _patterns(file)
    if not patterns or (named and _ignores_everything(patterns)):
        return outer
    return Ignored(folder, patterns, outer)


def _ignores_everything(patterns: tuple[IgnorePattern, ...]) -> bool:
    """Return whether nothing is left over, whatever it is called; an exception from the rule leaves something."""
    return all(pattern.ignores for pattern in patterns) and any(
        pattern.matches("any name at all", is_folder=False) for pattern in patterns
    )


def _patterns(file: str) -> tuple[IgnorePattern, ...]:
    """Return the patterns in `file`, none if it cannot be read."""
    try:
        data = read_regular(file)
    except (OSError, ValueError):  # ValueError: a null character in the path that .git names
        return ()
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    parsed = (IgnorePattern.parse(os.fsdecode(line.removesuffix(b"\r"))) for line in lines)
    return tuple(pattern for pattern in parsed if pattern is not None)


def _repository(folder: str) -> str | None:
    here = folder
    while not os.path.exists(os.path.join(here, ".git")):
        parent = os.path.dirname(here)
        if parent == here:
            return None
        here = parent
    return here


def _exclude_file(root: str) -> str:
    """Return the path of info/exclude; .git is a file that points elsewhere in a worktree or a submodule."""
    directory = os.path.join(root, ".git")
    pointer = _first_line(directory)
    if pointer.startswith("gitdir:"):
        directory = os.path.join(root, pointer.removeprefix("gitdir:").strip())
        directory = os.path.join(directory, _first_line(os.path.join(directory, "commondir")))
    return os.path.join(directory, "info", "exclude")


def _first_line(file: str) -> str:
    try:
        return os.fsdecode(read_regular(file).partition(b"\n")[0].rstrip(b"\r"))
    except (OSError, ValueError):  # ValueError: a null character in the path that .git names
        return ""
