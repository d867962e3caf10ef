"""Path patterns of `exclude` and `per-file-ignores`, with the meaning that ruff gives them."""
# Paths are strings here: matched against every entry of a walk, where pathlib costs more than the match.
# ruff: noqa: PTH117, PTH120

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property

__all__ = ["FilePattern", "GlobError"]


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
        raise GlobError(f"malformed pattern {glob!r}: {error.msg}") from None


def _translated(glob: str) -> str:
    """Return the regular expression of `glob`; raise GlobError if a bracket or brace is not closed."""
    parts: list[str] = []
    depth = index = 0
    while index < len(glob):
        character, index = glob[index], index + 1
        if character == "*":
            part, index = _stars(glob, index - 1)
        elif character == "?":
            part = "."
        elif character == "[":
            part, index = _character_class(glob, index)
        elif character == "{":
            part, depth = "(?:", depth + 1
        elif character == "}" and depth:
            part, depth = ")", depth - 1
        elif character == "," and depth:
            part = "|"
        elif character == "\\" and index < len(glob):
            part, index = re.escape(glob[index]), index + 1
        else:
            part = re.escape(character)
        parts.append(part)
    if depth:
        raise GlobError(f"malformed pattern {glob!r}: '{{' is not closed")
    return "".join(parts)


def _stars(glob: str, start: int) -> tuple[str, int]:
    """Return the expression of the run of stars at `start` and where it ends."""
    end = start
    while end < len(glob) and glob[end] == "*":
        end += 1
    whole_part = end - start == 2 and (start == 0 or glob[start - 1] == "/")
    if whole_part and glob[end : end + 1] == "/":
        return "(?:.*/)?", end + 1
    return (".+" if whole_part and end == len(glob) else ".*"), end


def _character_class(glob: str, start: int) -> tuple[str, int]:
    """Return the expression of the class whose content begins at `start` and where it ends."""
    first = start + 1 if glob[start : start + 1] in ("!", "^") else start
    end = glob.find("]", first + 1)
    if end < 0:
        raise GlobError(f"malformed pattern {glob!r}: '[' is not closed")
    content = re.sub(r"([\\\[\]^&~|])", r"\\\1", glob[first:end])
    return f"[{'^' if first > start else ''}{content}]", end + 1
