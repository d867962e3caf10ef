"""The rows of a verification for people: one a kernel as it comes, in groups by file, and a summary below."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from tl_lint.messages import one_line
from tl_lint.output.terminal import Piece, Printer, printable
from tl_lint.output.text import plural
from tl_lint.output.verify_results import results
from tl_lint.verify.applying import Applied
from tl_lint.verify.model import Check, Level, Outcome, Row, Verdict

__all__ = ["RowPrinter", "write_applied", "write_summary"]

_STYLES = {
    Verdict.OK: "green",
    Verdict.FIX_CONFIRMED: "bold green",
    Verdict.FIX_HARMLESS: "green",
    Verdict.FAILS: "bold red",
    Verdict.FIX_REJECTED: "bold red",
    Verdict.NOT_INSTANTIATED: "yellow",
    Verdict.NOT_REACHED: "yellow",
}
_ORDER = tuple(_STYLES)
_SOURCES = {
    "call": "--call",
    "pyproject": "pyproject.toml",
    "comment": "comment",
    "defaults": "defaults",
    "file": "call in the file",
    "autotune": "autotuner's config",
    "driver": "--driver",
    "guess": "guess",
}
_VERDICT_WIDTH = max(len(verdict.value) for verdict in Verdict)
_LEVEL_WIDTH = max(len(str(level)) for level in Level)
_INDENT = " " * (2 + _VERDICT_WIDTH + 2)
_LONGEST = 300


class RowPrinter:
    """Writes rows as they come, the name of their file in front of the first one."""

    def __init__(self, printer: Printer, shown: Callable[[str], str]) -> None:
        """`shown` says how people are to read the paths of the rows."""
        self._printer = printer
        self._shown = shown
        self._path: str | None = None

    def write(self, row: Row) -> None:
        """Write one row at once."""
        if row.path != self._path:
            self._path = row.path
            self._printer.line((printable(self._shown(row.path)), "bold"))
        self._printer.line(*_headline(row))
        for line in _details(row):
            self._printer.line(_INDENT, *line)
        self._printer.stream.flush()


def _headline(row: Row) -> list[Piece]:
    level = str(row.level) if row.level > Level.NONE else "-"
    pieces: list[Piece] = [
        "  ",
        (f"{row.verdict.value:<{_VERDICT_WIDTH}}  ", _STYLES[row.verdict]),
        (f"{level:<{_LEVEL_WIDTH}}  ", "cyan"),
        (printable(row.kernel), "bold"),
    ]
    source = _SOURCES.get(row.args_source, row.args_source)
    if row.args or row.args_source not in ("", "defaults"):
        pieces.append(f"({_short(row.args)})")
        pieces += [" ", (f"[{printable(source)}]", "yellow" if row.args_source == "guess" else "dim")]
    width = _width(row)
    return [*pieces, f" {width}"] if width else pieces


def _width(row: Row) -> str:
    if row.requested_width is None:
        return ""
    requested = _listed(row.requested_width)
    if row.effective_width is None:
        return f"width {requested} asked for"
    if row.effective_width == row.requested_width:
        return f"width {requested}"
    return f"width {requested} asked for, {_listed(row.effective_width)} used"


def _listed(width: int | list[int | None]) -> str:
    if isinstance(width, int):
        return str(width)
    return ", ".join("?" if each is None else str(each) for each in width)


def _details(row: Row) -> Iterable[list[Piece]]:
    """Yield the lines below a row: what came of each version where that is not plain, checks, results of a run."""
    versions = {"original": row.original, "fixed": row.fixed, "control": row.control}
    built = {name: outcome for name, outcome in versions.items() if outcome is not None}
    said: set[str] = set()
    if row.fixed is not None or any(not outcome.passes for outcome in built.values()):
        for name, outcome in built.items():
            said |= {one_line(outcome.message), outcome.outcome, one_line(f"{outcome.outcome}: {outcome.message}")}
            yield [(f"{name:<9} ", "dim"), *_outcome(outcome)]
    rest = _unsaid(one_line(row.message), said)
    if rest:
        yield [_short(rest)]
    for check in row.checks:
        if check.verdict != "ok":
            yield _check(check)
    for text in results(row.facts):
        yield [_short(text)]
    imported = all(outcome.facts.get("stage") != "import" for outcome in built.values())
    if row.verdict is Verdict.NOT_INSTANTIATED and imported:
        yield [
            (
                f"say how to build it: --call '{printable(row.kernel)}(...)' or `# tl-lint: verify ...` in the file",
                "dim",
            )
        ]


def _unsaid(message: str, said: Iterable[str]) -> str:
    """Return what `message` says beyond the longest of the texts that stand above it."""
    repeated = max((text for text in said if message.startswith(text)), key=len, default="")
    rest = message[len(repeated) :].strip()
    return rest[1:-1] if repeated and rest.startswith("(") and rest.endswith(")") else rest


def _outcome(outcome: Outcome) -> list[Piece]:
    if outcome.passes:
        return [("passes", "green"), f" {outcome.level}"]
    style = "yellow" if outcome.outcome in ("not-instantiated", "not-reached") else "red"
    stage = outcome.facts.get("stage") or str(Level(min(outcome.level + 1, Level.RUN)))
    pieces: list[Piece] = [(printable(outcome.outcome), style), f" at {printable(str(stage))}"]
    message = one_line(outcome.message)
    return [*pieces, ": ", _short(message)] if message else pieces


def _check(check: Check) -> list[Piece]:
    style = "red" if check.verdict == "fails" else "yellow"
    place = "" if check.line is None else f" (line {check.line})"
    return [(printable(check.verdict), style), f" {printable(check.name)}{place}: ", _short(one_line(check.message))]


def _short(text: str) -> str:
    text = printable(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def write_summary(rows: Sequence[Row], printer: Printer, reasons: Mapping[Level, str]) -> None:
    """Write how many kernels got which verdict, how far they came, and why not further.

    `reasons` says in one line for a level why this machine cannot reach it.
    """
    if not rows:
        printer.line("No kernels found.")
        return
    counts = Counter(row.verdict for row in rows)
    pieces: list[Piece] = [f"{plural(len(rows), 'kernel')} in {plural(len({row.path for row in rows}), 'file')}: "]
    for number, verdict in enumerate(verdict for verdict in _ORDER if counts[verdict]):
        pieces += [", " if number else "", (f"{counts[verdict]} {verdict.value}", _STYLES[verdict])]
    printer.line(*pieces, ".")
    levels = Counter(row.level for row in rows)
    reached = ", ".join(f"{levels[level]} {level}" for level in sorted(levels, reverse=True))
    where = next((f" with TileLang {row.tilelang} for {row.target}" for row in rows if row.tilelang and row.target), "")
    printer.line(printable(f"Levels reached{where}: {reached}."))
    highest = max(levels)
    for level, reason in sorted(reasons.items()):
        if level > highest:
            printer.line(printable(f"Not reached here: {level}: {one_line(reason)}."))


def write_applied(applied: Iterable[Applied], printer: Printer) -> None:
    """Write which fixes were made, and which were not and why."""
    for file in applied:
        name = printable(file.shown)
        if file.trouble:
            printer.line((name, "bold"), (" left as it was", "yellow"), f": {printable(one_line(file.trouble))}")
        elif file.made:
            made = ", ".join(f"{count} {code}" for code, count in sorted(file.made.items()))
            number = sum(file.made.values())
            printer.line(
                (name, "bold"), (f" fixed: {plural(number, 'verified fix', 'verified fixes')}", "green"), f" ({made})"
            )
        for left in file.left:
            place = f":{left.line}" if left.line else ""
            printer.line((f"{name}{place}", "bold"), f": {left.code} not fixed: {printable(one_line(left.reason))}")
