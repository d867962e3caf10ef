"""Writes the table of each rule's page from its evidence.json.

python -m tools.measured_tables

A page says which rows it wants: what stands in the first two columns between the markers, a description and the kernels
that it is about ("bad: keyword, eager(vec=4); good: one"; a name without arguments means all calls of it). The rest is
written here, as are the compiler's words below.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from tl_lint.registry import load_rules
from tl_lint.verify.evidence import Evidence, evidence_of
from tl_lint.verify.examples import folder_of
from tl_lint.verify.measuring import Measured

__all__ = ["BEGIN", "END", "Row", "rows_of", "with_table"]

BEGIN = "<!-- measured: written by python -m tools.measured_tables -->\n"
END = "<!-- end of measured -->\n"


@dataclass(frozen=True)
class Row:
    """A row that a page wants: what it says, the kernels as it names them, and their keys in evidence.json."""

    description: str
    kernels: str
    keys: tuple[str, ...]


def with_table(page: str, evidence: Evidence) -> str:
    """Return the text of a page with the current table between its markers.

    Raises ValueError if it lacks them, or names a kernel that was not measured.
    """
    before, table, after = _parts(page)
    heading = _cells(table.strip().partition("\n")[0])[0]
    rows = list(_rows(table, evidence))
    words = _Words()
    body = {release: tuple(words.of(row, evidence, release) for row in rows) for release in evidence.releases}
    columns = [(list(group), cells) for cells, group in groupby(sorted(body, key=_order), key=body.__getitem__)]
    lines = [
        _line([heading, "Kernels", *(_named(releases) for releases, _ in columns)]),
        _line(["---"] * (2 + len(columns))),
        *(_line([row.description, row.kernels, *(cells[n] for _, cells in columns)]) for n, row in enumerate(rows)),
    ]
    text = "\n".join(lines) + "\n"
    if words.messages:
        text += "\n" + "".join(f"{number}. {_quoted(message)}\n" for message, number in words.messages.items())
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


def rows_of(page: str, evidence: Evidence) -> list[Row]:
    """Return the rows that a page wants; raises ValueError as `with_table` does."""
    return list(_rows(_parts(page)[1], evidence))


class _Words:
    """Says what was measured in a word or two, and numbers the messages."""

    def __init__(self) -> None:
        self.messages: dict[str, int] = {}

    def of(self, row: Row, evidence: Evidence, release: str) -> str:
        """Return the cell of a row: each thing that was measured once, "" if nothing was."""
        kernels = evidence.releases[release].kernels
        return ", ".join(self._merged(kernels[key] for key in row.keys if key in kernels))

    def _merged(self, found: Iterable[Measured]) -> Iterator[str]:
        numbers: dict[str, set[int]] = {}
        for result in found:
            numbers.setdefault(_word(result), set()).update(self._number(result))
        for word, of in sorted(numbers.items()):
            yield f"{word} ({', '.join(map(str, sorted(of)))})" if of else word

    def _number(self, result: Measured) -> set[int]:
        if not result.message:
            return set()
        return {self.messages.setdefault(result.message, len(self.messages) + 1)}


def _word(result: Measured) -> str:
    if result.other_width:
        possible = not isinstance(result.effective, int) or result.effective > 0
        return f"{result.effective} for {result.requested}" if possible else f"lowers, not with {result.requested}"
    if result.outcome == "passes":
        return "lowers"
    if result.refused:
        return "refused"
    return "abort" if result.outcome == "fails" else result.outcome.removeprefix("crashes ")


def _parts(page: str) -> tuple[str, str, str]:
    before, begin, rest = page.partition(BEGIN)
    table, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page lacks the lines {BEGIN!r} and {END!r}")
    return before, table, after


def _rows(table: str, evidence: Evidence) -> Iterator[Row]:
    known = {key for column in evidence.releases.values() for key in column.kernels}
    for line in table.strip().splitlines()[2:]:
        if not line.startswith("|"):
            return
        description, kernels = _cells(line)[:2]
        yield Row(description, kernels, tuple(_keys(kernels, known)))


def _keys(kernels: str, known: set[str]) -> Iterator[str]:
    for part in kernels.split(";"):
        file, _, names = part.partition(":")
        for name in re.findall(r"\w+(?:\([^)]*\))?", names):
            key = f"{file.strip()}.py::{name}"
            found = sorted(item for item in known if item == key or item.startswith(f"{key}("))
            if not found:
                raise ValueError(f"no such kernel was measured: {key}")
            yield from found


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _quoted(message: str) -> str:
    return f"`` {message} ``" if "`" in message else f"`{message}`"


def _named(releases: list[str]) -> str:
    return releases[0] if len(releases) == 1 else f"{releases[0]} to {releases[-1]}"


def _order(release: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", release)))


def main() -> None:
    """Write the tables of all rules."""
    for rule in load_rules():
        file = folder_of(rule) / "README.md"
        text = with_table(file.read_text(encoding="utf-8"), evidence_of(rule))
        file.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
