"""Writes lines made of styled pieces, in colour only where it is wanted, and never what would steer the terminal."""

from __future__ import annotations

import os
import unicodedata
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Piece", "Printer", "printable", "printed_width", "wants_colour"]

Piece = str | tuple[str, str]
"""Text, or text and the name of a style as rich writes it."""

_STEERING = {
    **{code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if code != 0x09},
    **{code: f"\\u{code:04x}" for code in (0x061C, 0x200E, 0x200F, 0x2028, 0x2029, *range(0x202A, 0x202F))},
    **{code: f"\\u{code:04x}" for code in (*range(0x2066, 0x206A), 0xFEFF)},
}
"""Control characters other than the tab, and those that change the direction of text."""


def printable(text: str) -> str:
    """Return `text` on one line, with what would steer a terminal and what has no encoding written as escapes."""
    if text.isprintable() and text.isascii():
        return text
    return text.translate(_STEERING).encode("utf-8", "backslashreplace").decode("utf-8")


def printed_width(text: str) -> int:
    """Return how many columns `text` takes in a terminal."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) != 0 for character in text)


def wants_colour(stream: IO[str]) -> bool:
    """Return whether to colour `stream`: NO_COLOR says no, then FORCE_COLOR yes, else only a capable terminal is."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


class Printer:
    """Writes to one text stream."""

    def __init__(self, stream: IO[str], colour: bool) -> None:
        """`colour` loads rich."""
        self.stream = stream
        self._console: Console | None = None
        if colour:
            from rich.console import Console

            self._console = Console(file=stream, force_terminal=True, highlight=False, markup=False, emoji=False)

    @property
    def in_colour(self) -> bool:
        """Return whether styles show."""
        return self._console is not None

    def line(self, *pieces: Piece) -> None:
        """Write one line, without spaces at its end."""
        if self._console is None:
            plain = "".join(piece if isinstance(piece, str) else piece[0] for piece in pieces)
            self.stream.write(plain.rstrip(" ") + "\n")
            return
        from rich.text import Text

        text = Text.assemble(*pieces)
        text.rstrip()
        self._console.print(text, soft_wrap=True)
