"""One file: bytes and text, encoding and newlines, offsets and places, silenced lines."""

from __future__ import annotations

import codecs
import re
import stat
import tokenize
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tl_lint.messages import one_line
from tl_lint.model import Position, Span

if TYPE_CHECKING:
    import libcst as cst

    from tl_lint.noqa import Noqa

__all__ = ["Source", "SourceError"]

_NEWLINE = re.compile(r"\r\n|\r|\n")
_FIRST_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)?")


class SourceError(Exception):
    """A file can't be read, decoded, parsed or encoded; `message` is one line.

    `offset` is where, in code points of the text, 0 if unknown. `unreadable` tells that the system gave no bytes.
    """

    def __init__(self, message: str, offset: int = 0, unreadable: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.unreadable = unreadable


class Source:
    """The content of one file. Offsets count code points of `text`, which has every newline as it is and no BOM."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.data = data

    @classmethod
    def read(cls, path: str) -> Source:
        """Return the file at `path`. Raises SourceError if there are no bytes to be had; never waits on a pipe."""
        try:
            if not stat.S_ISREG(Path(path).stat().st_mode):
                raise SourceError("not a regular file", unreadable=True)
            return cls(path, Path(path).read_bytes())
        except (OSError, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            raise SourceError(f"cannot be read: {reason}", unreadable=True) from None

    @classmethod
    def from_text(cls, path: str, text: str) -> Source:
        """Return a source for `text` that something else has decoded already."""
        text = text.removeprefix("\ufeff")
        source = cls(path, text.encode("utf-8", "surrogatepass"))
        source.__dict__["text"] = text
        source.__dict__["encoding"] = "utf-8"
        return source

    def holds(self, needles: Iterable[bytes]) -> bool:
        """Return whether the bytes hold one of `needles`."""
        return any(needle in self.data for needle in needles)

    # ------------------------------------------------------------------ text

    @cached_property
    def encoding(self) -> str:
        """The codec that Python reads the file with: by its mark, its cookie, or UTF-8. Raises SourceError."""
        try:
            encoding, _ = tokenize.detect_encoding(_cookie_lines(self.data).__next__)
            if not codecs.lookup(encoding)._is_text_encoding:
                raise SourceError(f"cannot be decoded: {encoding} is no text encoding")
        except (SyntaxError, LookupError, ValueError) as error:
            raise SourceError(f"cannot be decoded: {one_line(error)}") from None
        return encoding

    @cached_property
    def text(self) -> str:
        """The decoded text. Raises SourceError."""
        try:
            text = self.data.decode(self.encoding)
        except SourceError:
            raise
        except Exception as error:  # a codec may raise what it likes
            raise SourceError(f"cannot be decoded: {one_line(error)}") from None
        if "\0" in text:
            raise SourceError("holds a NUL byte", text.index("\0"))
        return text

    def encode(self, text: str) -> bytes:
        """Return `text` in the encoding of the file, its byte order mark in front if it had one.

        Raises SourceError if the encoding lacks a character, or if it would not give the file's own bytes back.
        """
        try:
            if self.text.encode(self.encoding) != self.data:
                raise SourceError(f"{self.encoding} does not give the bytes of the file back")
            return text.encode(self.encoding)
        except ValueError as error:
            raise SourceError(f"cannot be encoded: {one_line(error)}") from None

    # ------------------------------------------------------------------ tree

    def parse(self) -> cst.Module:
        """Return LibCST's tree. Raises SourceError; has to be called inside `with_deep_stack`."""
        return self._module

    @cached_property
    def _module(self) -> cst.Module:
        from tl_lint.parsing import ParseError, parse

        text = self.text
        try:
            return parse(text)
        except ParseError as error:
            line = min(error.line, len(self._starts))
            raise SourceError(error.message, self.offset(Position(max(line, 1), error.column))) from None

    def spans(self, nodes: Collection[cst.CSTNode]) -> dict[cst.CSTNode, Span]:
        """Return where `nodes` of the parsed tree stand, their own brackets left out. Raises SourceError."""
        from tl_lint.parsing import ParseError, spans

        try:
            return spans(self.parse(), self.text, nodes)
        except ParseError as error:
            raise SourceError(error.message) from None

    # ------------------------------------------------------------------ places

    @cached_property
    def _starts(self) -> list[int]:
        """The offsets at which lines start: after CRLF, LF or CR, as Python's tokenizer and flake8 count them."""
        return [0, *(match.end() for match in _NEWLINE.finditer(self.text))]

    def position(self, offset: int) -> Position:
        """Return the line (from 1) and column (from 0) of an offset; the start of a file that has no text."""
        try:
            line = bisect_right(self._starts, offset)
        except SourceError:
            return Position(1, 0)
        return Position(line, offset - self._starts[line - 1])

    def offset(self, position: Position) -> int:
        """Return the offset of a place; a column beyond the line's end means the end."""
        start = self._starts[position.line - 1]
        following = self._starts[position.line] if position.line < len(self._starts) else len(self.text)
        return min(start + position.column, following)

    def silenced(self, code: str, line: int) -> bool:
        """Return whether a noqa comment in the logical line of `line`, one as flake8 knows it, silences `code`."""
        if "noqa" not in self._lowered:  # most files: neither tokenized nor flake8 loaded
            return False
        return self._noqa.silences(code, line)

    @cached_property
    def _lowered(self) -> str:
        return self.text.lower()

    @cached_property
    def _noqa(self) -> Noqa:
        from tl_lint.noqa import Noqa

        return Noqa(self.path, self.text)


def _cookie_lines(data: bytes) -> Iterator[bytes]:
    """Yield the lines that can hold a coding cookie as Python looks at them: a carriage return ends one, any byte may
    stand beside it. `tokenize` by itself refuses both.
    """
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    position = len(mark)
    for before in (mark, b""):
        match = _FIRST_LINE.match(data, position)
        assert match is not None
        yield before + match[0].decode("ascii", "replace").replace("\ufffd", "?").encode()
        position = match.end()
