"""The unified diff of what fixes changed, in the bytes of the file, as `patch` and `git apply` read it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import diff_bytes, unified_diff

from tl_lint.findings import FileReport
from tl_lint.output.terminal import Printer, printable

__all__ = ["unified", "write_coloured"]

_NO_NEWLINE = b"\n\\ No newline at end of file\n"
_ESCAPES = {
    **{byte: b"\\%03o" % byte for byte in (*range(0x20), *range(0x7F, 0x100))},
    **{byte: b"\\%c" % letter for byte, letter in zip(b'\a\b\t\n\v\f\r"\\', b'abtnvfr"\\', strict=True)},
}


def unified(report: FileReport, named: bool = True) -> bytes:
    """Return the diff from `report.before` to `report.after`, without the header lines if the text has no name."""
    before, after = ((data or b"").split(b"\n") for data in (report.before, report.after))
    return b"".join(_lines(before, after, _quoted(report.shown) if named else None))


def _quoted(name: str) -> bytes:
    """Return `name` as git writes it in a header: in quotes, with C's escapes, where it could be misread."""
    encoded = os.fsencode(name.replace(os.sep, "/"))
    if printable(name) == name and not set(encoded) & set(b'\t"\\'):
        return encoded + (b"\t" if b" " in encoded else b"")  # the tab says where a name with spaces ends
    return b'"' + b"".join(_ESCAPES.get(byte, b"%c" % byte) for byte in encoded) + b'"'


def _lines(before: list[bytes], after: list[bytes], name: bytes | None) -> Iterator[bytes]:
    old, new = _ended(before), _ended(after)
    lines = diff_bytes(unified_diff, old, new, name or b"", name or b"")
    for index, line in enumerate(lines):
        if index < 2 and name is None:
            continue
        yield line if line.endswith(b"\n") else line + _NO_NEWLINE


def _ended(lines: list[bytes]) -> list[bytes]:
    """Return the lines with their ends; the last one has none if the file does not end with a newline."""
    *whole, rest = lines
    return [line + b"\n" for line in whole] + ([rest] if rest else [])


def write_coloured(diff: bytes, printer: Printer) -> None:
    """Write the diff to a terminal: coloured, and with what would steer the terminal written as escapes."""
    styles = {"+": "green", "-": "red", "@": "cyan"}
    for line in diff.decode("utf-8", "backslashreplace").removesuffix("\n").split("\n"):
        style = "bold" if line.startswith(("+++ ", "--- ")) else styles.get(line[:1], "")
        printer.line((printable(line.removesuffix("\r")), style))
