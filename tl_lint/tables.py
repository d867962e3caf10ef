"""Takes what is expected out of the tables of pyproject.toml, and says what is wrong with anything else."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from tl_lint.globs import FilePattern, GlobError

__all__ = ["ConfigError", "Reader", "nearest"]


class ConfigError(Exception):
    """The configuration is unusable; the message is one line that says where and what to write."""


def nearest(given: str, known: Iterable[str]) -> str:
    """Return the end of a message, "; did you mean 'x'?", or "" where nothing known is like what was `given`."""
    import difflib

    close = difflib.get_close_matches(given, list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""


@dataclass(frozen=True)
class Reader:
    """Takes values of the type that is asked for out of the table `section` of `file`; ConfigError for another one."""

    file: str
    section: str
    table: dict[str, object]

    def wrong(self, key: str, expected: str) -> ConfigError:
        """Return the error that says what the value of `key` has to be."""
        return ConfigError(f"{self.file}: `{key}` in {self.section} has to be {expected}")

    def check_keys(self, known: Collection[str]) -> None:
        """Raise ConfigError if the table holds a key that is not `known`."""
        for key in self.table:
            if key not in known:
                raise ConfigError(f"{self.file}: unknown key {key!r} in {self.section}{nearest(key, known)}")

    def strings(self, key: str) -> tuple[str, ...]:
        """Return a list of strings, () where there is none."""
        return self._strings(key, self.table.get(key, []), "a list of strings")

    def _strings(self, key: str, value: object, expected: str) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(key, expected)
        if not all(value):
            raise self.wrong(key, f"{expected}, none of them empty")
        if any("\0" in item for item in value):
            raise self.wrong(key, f"{expected}, none of them with a null character")
        return tuple(value)

    def string(self, key: str) -> str | None:
        """Return a string, None where there is none."""
        value = self.table.get(key)
        if value is not None and not isinstance(value, str):
            raise self.wrong(key, "a string")
        return value

    def boolean(self, key: str) -> bool:
        """Return true or false, false where there is neither."""
        value = self.table.get(key, False)
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false")
        return value

    def number(self, key: str) -> int | float | None:
        """Return a finite number, None where there is none."""
        value = self.table.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise self.wrong(key, "a number")
        return value

    def patterns(self, key: str, root: str) -> tuple[FilePattern, ...]:
        """Return a list of file patterns, relative to `root`."""
        return tuple(self.pattern(key, pattern, root) for pattern in self.strings(key))

    def ignores(self, key: str, root: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return a table of file patterns, each with a list of codes."""
        expected = "a table of file patterns, each with a list of codes"
        value = self.table.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key, expected)
        self._strings(key, list(value), expected)
        for pattern in value:
            self.pattern(key, pattern.removeprefix("!"), root)
        return tuple((pattern, self._strings(key, codes, expected)) for pattern, codes in value.items())

    def pattern(self, key: str, pattern: str, root: str) -> FilePattern:
        """Return the file `pattern`, relative to `root`, that stands at `key`."""
        try:
            return FilePattern(pattern, root).check()
        except GlobError as error:
            raise ConfigError(f"{self.file}: `{key}` in {self.section}: {error}") from None
