"""One line of a .gitignore, with the meaning that git gives it.

The libraries for this answer for whole paths: they cannot say whether a pattern means an entry itself or a folder above
it, and a walk that asks about one entry after the other needs just that (`*`, `!*/`, `!kernel.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["IgnorePattern", "parse_pattern"]

_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": " \\t", "cntrl": "\\x00-\\x1f\\x7f", "digit": "0-9",
    "graph": "!-~", "lower": "a-z", "print": " -~", "punct": "!-/:-@\\[-`{-~", "space": "\\s", "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}  # fmt: skip
_NEVER = r"(?!)"


@dataclass(frozen=True)
class IgnorePattern:
    """`ignores` is false for a line that begins with `!`."""

    ignores: bool
    folders_only: bool
    anchored: bool
    expression: re.Pattern[str]

    def matches(self, path: str, is_folder: bool) -> bool:
        """Return whether the pattern means `path` itself, relative to the folder of the .gitignore, with slashes."""
        if self.folders_only and not is_folder:
            return False
        return self.expression.match(path if self.anchored else path[path.rfind("/") + 1 :]) is not None


def parse_pattern(line: str) -> IgnorePattern | None:
    """Return the pattern that `line` (without its end) holds; None for a comment or nothing."""
    if line.startswith("#"):
        return None
    line = _without_trailing_spaces(line)
    ignores = not line.startswith("!")
    pattern = line if ignores else line[1:]
    folders_only = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    if not pattern:
        return None
    anchored = "/" in pattern
    expression = _translated(pattern.removeprefix("/"), anchored)
    return IgnorePattern(ignores, folders_only, anchored, re.compile(expression + r"\Z", re.DOTALL))


def _without_trailing_spaces(line: str) -> str:
    kept = line.rstrip(" ")
    backslashes = len(kept) - len(kept.rstrip("\\"))
    return kept + " " if kept != line and backslashes % 2 else kept


def _translated(pattern: str, anchored: bool) -> str:
    """Return the regular expression of `pattern`; one that never matches if it is malformed, as in git."""
    parts: list[str] = []
    index = 0
    while index < len(pattern):
        character = pattern[index]
        if character == "*":
            part, index = _stars(pattern, index, anchored)
        elif character == "?":
            part, index = "[^/]", index + 1
        elif character == "[":
            part, index = _character_class(pattern, index + 1)
        elif character == "\\":
            part, index = (re.escape(pattern[index + 1]) if index + 1 < len(pattern) else _NEVER), index + 2
        else:
            part, index = re.escape(character), index + 1
        parts.append(part)
    return "".join(parts)


def _stars(pattern: str, start: int, anchored: bool) -> tuple[str, int]:
    """Return the expression of the run of stars at `start` and where it ends."""
    end = start
    while end < len(pattern) and pattern[end] == "*":
        end += 1
    bounded = end - start >= 2 and anchored and (start == 0 or pattern[start - 1] == "/")
    if bounded and end == len(pattern):
        return ".*", end
    if bounded and pattern[end] == "/":
        return "(?:.*/)?", end + 1
    return "[^/]*", end


def _character_class(pattern: str, start: int) -> tuple[str, int]:
    """Return the expression of the class whose content begins at `start` and where it ends."""
    index = start + 1 if pattern[start : start + 1] in ("!", "^") else start
    negated, first = index > start, index
    parts: list[str] = []
    while index < len(pattern) and (pattern[index] != "]" or index == first):
        named = re.compile(r"\[:([a-z]*):\]").match(pattern, index)
        if named:
            if named[1] not in _CLASSES:
                return _NEVER, len(pattern)
            parts.append(_CLASSES[named[1]])
            index = named.end()
            continue
        low, index = _member(pattern, index)
        parts.append(re.escape(low))
        if pattern[index : index + 1] == "-" and pattern[index + 1 : index + 2] not in ("", "]"):
            high, index = _member(pattern, index + 1)
            if low <= high:  # from high to low, only the first one counts
                parts.append(f"{re.escape(low)}-{re.escape(high)}")
    if index >= len(pattern):
        return _NEVER, len(pattern)
    return f"(?!/)[{'^' if negated else ''}{''.join(parts)}]", index + 1


def _member(pattern: str, index: int) -> tuple[str, int]:
    if pattern[index] == "\\" and index + 1 < len(pattern):
        index += 1
    return pattern[index], index + 1
