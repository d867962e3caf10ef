"""Findings for people, as ruff's `concise` and `full` formats write them, and the summary below them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tl_lint.findings import FileReport, Finding, FoundFix
from tl_lint.model import Applicability
from tl_lint.output.excerpt import change, excerpt, lines_of
from tl_lint.output.terminal import Piece, Printer, printable

__all__ = ["hidden_fixes", "plural", "write_concise", "write_full", "write_summary", "write_would_fix"]

_NOTES = {
    Applicability.UNSAFE: "This is an unsafe fix and may change runtime behavior",
    Applicability.DISPLAY: "This is a display-only fix and is likely to be incorrect",
}


def write_concise(reports: Iterable[FileReport], printer: Printer) -> None:
    """Write one line for each finding: path, line and column from 1, code, `[*]` where --fix would help, message."""
    colon = (":", "cyan")
    for report in reports:
        for finding in report.findings:
            place = (str(finding.start.line), colon, str(finding.start.column + 1), colon)
            printer.line((printable(report.shown), "bold"), colon, *place, " ", *_headline(finding))


def write_full(reports: Iterable[FileReport], printer: Printer) -> None:
    """Write each finding with the lines around it and what its fix would do."""
    for report in reports:
        lines = lines_of(report.text) if report.text is not None else []
        for finding in report.findings:
            printer.line(*_headline(finding, "bold"))
            width, around = excerpt(finding, lines)
            place = f"{printable(report.shown)}:{finding.start.line}:{finding.start.column + 1}"
            printer.line(" " * width, ("--> ", "bold blue"), place)
            for line in around:
                printer.line(*line)
            if finding.fix is not None and lines:
                _write_fix(finding.fix, lines, printer)
            printer.line()


def _write_fix(fix: FoundFix, lines: Sequence[str], printer: Printer) -> None:
    printer.line(("help", "bold cyan"), (f": {printable(fix.title)}", "bold"))
    for line in change(fix, lines):
        printer.line(*line)
    if fix.applicability in _NOTES:
        printer.line(("note", "bold yellow"), f": {_NOTES[fix.applicability]}")


def _headline(finding: Finding, style: str = "") -> list[Piece]:
    star: list[Piece] = []
    if finding.fix is not None and finding.fix.applies:
        star = ["[", ("*", "bold cyan"), "] "]
    return [(finding.code, "bold red"), " ", *star, (printable(finding.message), style)]


def write_summary(reports: Sequence[FileReport], printer: Printer) -> None:
    """Write how many findings there are, how many were fixed, and how many could be."""
    found = [finding for report in reports for finding in report.findings]
    fixed = sum(sum(report.applied.values()) for report in reports)
    total = len(found) + fixed
    if fixed:
        printer.line(f"Found {plural(total, 'error')} ({fixed} fixed, {len(found)} remaining).")
    elif found:
        printer.line(f"Found {plural(total, 'error')}.")
    else:
        printer.line("All checks passed!")
    applicable = sum(finding.fix is not None and finding.fix.applies for finding in found)
    hidden = hidden_fixes(reports)
    more = f"{plural(hidden, 'unsafe fix', 'unsafe fixes')} available with `--fix --unsafe-fixes`"
    if applicable:
        rest = f" ({more})." if hidden else "."
        printer.line("[", ("*", "cyan"), f"] {applicable} fixable with `--fix`{rest}")
    elif hidden:
        printer.line(f"{more}.")


def write_would_fix(reports: Sequence[FileReport], printer: Printer) -> None:
    """Write what --diff has to say besides the diff: how many findings the changes would take away."""
    fixed = sum(sum(report.applied.values()) for report in reports)
    hidden = hidden_fixes(reports)
    if fixed:
        more = f"{plural(hidden, 'additional fix', 'additional fixes')} available with `--unsafe-fixes`"
        printer.line(f"Would fix {plural(fixed, 'error')}" + (f" ({more})." if hidden else "."))
    elif hidden:
        more = f"{plural(hidden, 'fix', 'fixes')} available with `--unsafe-fixes`"
        printer.line(f"No errors would be fixed ({more}).")


def hidden_fixes(reports: Iterable[FileReport]) -> int:
    """Return how many findings have a fix that only --unsafe-fixes would make."""
    return sum(
        finding.fix is not None and not finding.fix.applies and finding.fix.applicability is Applicability.UNSAFE
        for report in reports
        for finding in report.findings
    )


def plural(number: int, one: str, many: str | None = None) -> str:
    """Return the number with its noun."""
    return f"{number} {one if number == 1 else many or one + 's'}"
