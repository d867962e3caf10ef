"""Path patterns of `exclude` and `per-file-ignores`, with the meaning that ruff gives them."""
# Paths are strings here: matched against every entry of a walk, where pathlib costs more than the match.
# ruff: noqa: PTH117, PTH120

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count, pairwise

__all__ = ["FilePattern", "GlobError"]


_FOLDERS = ".*(?<=/)"
"""Any number of folders, none included: what comes before it ends with a separator."""

_GAPS = {".*": ".*?", ".+": ".+?", _FOLDERS: ".*?(?<=/)"}
"""The expressions of any length, each with the one that takes as little as it can."""

_MOST_ALTERNATIVES = 1000
_LONGEST_SHOWN = 100


class GlobError(ValueError):
    """The pattern is malformed; the message is one line."""


@dataclass(frozen=True)
class FilePattern:
    """A glob, relative to the folder `root` unless it is absolute.

    `*` and `?` match a separator too, `**/` any number of folders, `[ab]`, `[!ab]`, `{a,b}` and a backslash before a
    special character work as usual. A pattern without a separator is also matched against the name alone.
    """

    pattern: str
    root: str

    def matches(self, path: str, name: str) -> bool:
        """Return whether the absolute `path`, whose last part is `name`, is meant."""
        if self._on_name is not None and self._on_name.match(name):
            return True
        return self._on_path.match(_with_slashes(path)) is not None

    def check(self) -> FilePattern:
        """Return the pattern itself; raise GlobError if it is malformed."""
        _ = self._on_path
        return self

    @cached_property
    def _on_name(self) -> re.Pattern[str] | None:
        return None if "/" in _with_slashes(self.pattern) else _compiled(self.pattern, "")

    @cached_property
    def _on_path(self) -> re.Pattern[str]:
        glob = _with_slashes(os.path.normpath(self.pattern))
        if os.path.isabs(self.pattern):
            return _compiled(glob, "")
        base = self.root
        while glob.startswith("../"):
            base, glob = os.path.dirname(base), glob[3:]
        if glob == ".":  # the root itself and nothing below it
            return re.compile(re.escape(_with_slashes(base)) + r"\Z")
        return _compiled(glob, re.escape(_with_slashes(base).rstrip("/") + "/"))


def _with_slashes(path: str) -> str:
    return path if os.sep == "/" else path.replace(os.sep, "/")


def _compiled(glob: str, prefix: str) -> re.Pattern[str]:
    try:
        return re.compile(prefix + _translated(glob) + r"\Z", re.DOTALL)
    except re.error as error:
        raise _malformed(glob, error.msg) from None


def _malformed(glob: str, reason: str) -> GlobError:
    shown = repr(glob if len(glob) <= _LONGEST_SHOWN else f"{glob[:_LONGEST_SHOWN]}...")
    return GlobError(f"malformed pattern {shown}: {reason}")


def _translated(glob: str) -> str:
    """Return the regular expression of `glob`, which takes linear time; raise GlobError if `glob` is malformed."""
    numbers = count()
    return f"(?:{'|'.join(_expression(parts, numbers) for parts in _alternatives(glob))})"


def _expression(parts: list[str], numbers: Iterator[int]) -> str:
    """Return the expression of `parts` in a row, none of which is tried at a second place once the next gap is met.

    What stands between two gaps has a fixed length. Its first place is then as good as any, as what comes after it
    begins with a gap: a lookahead finds that place and a group keeps it (Python 3.10 has no atomic groups).
    """
    gaps = [index for index, part in enumerate(parts) if part in _GAPS] or [len(parts)]
    written = parts[: gaps[0]]
    for start, end in pairwise(gaps):
        name = f"g{next(numbers)}"
        written.append(f"(?=(?P<{name}>{_GAPS[parts[start]]}{''.join(parts[start + 1 : end])}))(?P={name})")
    return "".join([*written, *parts[gaps[-1] :]])


def _alternatives(glob: str) -> list[list[str]]:
    """Return what `glob` stands for with its braces written out: expressions of one character each, and gaps."""
    outer: list[tuple[list[list[str]], list[list[str]]]] = []  # for each open brace: before it, and within it so far
    current: list[list[str]] = [[]]
    index = 0
    while index < len(glob):
        character = glob[index]
        if character == "{":
            outer.append((current, []))
            current, index = [[]], index + 1
        elif character == "," and outer:
            outer[-1][1].extend(current)
            current, index = [[]], index + 1
        elif character == "}" and outer:
            before, within = outer.pop()
            within.extend(current)
            if len(before) * len(within) > _MOST_ALTERNATIVES:
                raise _malformed(glob, f"more than {_MOST_ALTERNATIVES} alternatives")
            current, index = [first + second for first in before for second in within], index + 1
        else:
            part, index = _part(glob, index)
            for parts in current:
                parts.append(part)
    if outer:
        raise _malformed(glob, "'{' is not closed")
    return current


def _part(glob: str, start: int) -> tuple[str, int]:
    """Return the expression of what begins at `start`, other than a brace, and where it ends."""
    character = glob[start]
    if character == "*":
        return _stars(glob, start)
    if character == "?":
        return ".", start + 1
    if character == "[":
        return _character_class(glob, start + 1)
    if character == "\\" and start + 1 < len(glob):
        return re.escape(glob[start + 1]), start + 2
    return re.escape(character), start + 1


def _stars(glob: str, start: int) -> tuple[str, int]:
    """Return the expression of the run of stars at `start` and where it ends."""
    end = start
    while end < len(glob) and glob[end] == "*":
        end += 1
    whole_part = end - start == 2 and (start == 0 or glob[start - 1] == "/")
    if whole_part and glob[end : end + 1] == "/":
        return _FOLDERS, end + 1
    return (".+" if whole_part and end == len(glob) else ".*"), end


def _character_class(glob: str, start: int) -> tuple[str, int]:
    """Return the expression of the class whose content begins at `start` and where it ends."""
    first = start + 1 if glob[start : start + 1] in ("!", "^") else start
    end = glob.find("]", first + 1)
    if end < 0:
        raise _malformed(glob, "'[' is not closed")
    content = re.sub(r"([\\\[\]^&~|])", r"\\\1", glob[first:end])
    return f"[{'^' if first > start else ''}{content}]", end + 1
