"""The lines around a finding, and what a fix would make of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from tl_lint.findings import Finding, FoundFix, Replacement
from tl_lint.output.terminal import Piece, printable, printed_width

__all__ = ["Line", "change", "excerpt", "lines_of"]

_CONTEXT = 2
_GUTTER = "bold blue"
_TAB = "    "
Line = list[Piece]
_Row = tuple[int | None, Line]
"""A line number, and what stands to the right of it; a row without a number is laid out under the ones that have."""


def lines_of(text: str) -> list[str]:
    """Return the lines of a Python file, without their ends; form feeds and the like end no line."""
    lines = _parts(text)
    return lines if lines[-1] else lines[:-1]


def _parts(text: str) -> list[str]:
    return re.split(r"\r\n|\r|\n", text)


def excerpt(finding: Finding, lines: Sequence[str]) -> tuple[int, list[Line]]:
    """Return the lines around `finding`, what it points at underlined, and the width of their numbers.

    Of a finding that spans lines, the first one is underlined. There is none if it lies behind the last line.
    """
    at = finding.start.line
    if at > len(lines):
        return 0, []
    first, last = max(1, at - _CONTEXT), min(len(lines), at + _CONTEXT)
    while first < at and not lines[first - 1].strip():
        first += 1
    while last > at and not lines[last - 1].strip():
        last -= 1
    rows: list[_Row] = [_bar()]
    for number in range(first, last + 1):
        rows.append(_bar(f" {_expanded(lines[number - 1])}", number=number))
        if number == at:
            rows.append(_bar(" ", *_underline(finding, lines[at - 1])))
    if last > at:
        rows.append(_bar())
    return _laid_out(rows)


def _underline(finding: Finding, line: str) -> Line:
    before = printed_width(_expanded(line[: finding.start.column]))
    end = finding.end.column if finding.end.line == finding.start.line else len(line)
    marked = printed_width(_expanded(line[finding.start.column : end]))
    return [" " * before, ("^" * max(1, marked), "bold red")]


def change(fix: FoundFix, lines: Sequence[str]) -> list[Line]:
    """Return what `fix` takes away and puts in, each with a line of context and the new line numbers."""
    grown = 0
    whole = [*lines, ""]  # what follows the last newline, where something may be put in
    rows: list[_Row] = [_bar()]
    for index, group in enumerate(_groups(fix.edits)):
        if index:
            rows.append((None, [(" ...", _GUTTER)]))
        first = max(1, group[0].start.line - 1)
        old = whole[first - 1 : group[-1].end.line + 1]
        new = _edited(old, group, first)
        behind_the_end = len(whole) + grown + len(new) - len(old)
        rows.extend(row for row in _compared(old, new, first + grown) if row != _bar(" ", number=behind_the_end))
        grown += len(new) - len(old)
    return _laid_out([*rows, _bar()])[1]


def _groups(edits: Sequence[Replacement]) -> list[list[Replacement]]:
    """Return the edits in order, those that would share a line of context together."""
    groups: list[list[Replacement]] = []
    for edit in sorted(edits, key=lambda edit: edit.start):
        if groups and edit.start.line <= groups[-1][-1].end.line + 2:
            groups[-1].append(edit)
        else:
            groups.append([edit])
    return groups


def _edited(old: list[str], edits: Sequence[Replacement], first: int) -> list[str]:
    """Return the lines `old`, whose first one is line `first`, after `edits`."""
    new = list(old)
    for edit in reversed(edits):
        start, end = edit.start.line - first, edit.end.line - first
        tail = new[end][edit.end.column :] if end < len(new) else ""
        new[start : end + 1] = _parts(new[start][: edit.start.column] + edit.text + tail)
    return new


def _compared(old: list[str], new: list[str], first: int) -> Iterator[_Row]:
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for index, (kind, old_start, old_end, new_start, new_end) in enumerate(blocks):
        if kind == "equal":
            shown = range(new_start, new_end)
            if index == 0:
                shown = shown[-1:]
            elif index == len(blocks) - 1:
                shown = shown[:1]
            for number in shown:
                yield _bar(f" {printable(new[number])}", number=first + number)
            continue
        for line in old[old_start:old_end]:
            yield None, [" ", (f"- {printable(line)}", "red")]
        for number in range(new_start, new_end):
            yield first + number, [" ", (f"+ {printable(new[number])}", "green")]


def _bar(*right: Piece, number: int | None = None) -> _Row:
    return number, [(" |", _GUTTER), *right]


def _laid_out(rows: Sequence[_Row]) -> tuple[int, list[Line]]:
    """Return the width of the line numbers, and the rows with them."""
    width = max((len(str(number)) for number, _ in rows if number is not None), default=1)
    return width, [[(f"{'' if number is None else number:>{width}}", _GUTTER), *right] for number, right in rows]


def _expanded(line: str) -> str:
    return printable(line.replace("\t", _TAB))
