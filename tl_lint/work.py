"""Lints or fixes one file and says what came of it, whatever happens."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from tl_lint.config import Settings, settings_for
from tl_lint.engine import lint
from tl_lint.findings import FileReport, Finding, FoundFix, Replacement
from tl_lint.fixer import fix, write_atomically
from tl_lint.messages import internal_error
from tl_lint.model import CANNOT_ANALYSE, CANNOT_ANALYSE_NAME, Diagnostic, Position
from tl_lint.source import Source, SourceError
from tl_lint.tasks import Action, File, Run

__all__ = ["check_file", "failed"]

_START = Position(1, 0)


def check_file(file: File, run: Run, data: bytes | None = None) -> FileReport:
    """Check `file`, or `data` in its place; never raises, what goes wrong is a TLC000."""
    if file.trouble is not None:
        return failed(file, file.trouble)
    try:
        source = Source.read(file.path) if data is None else Source(file.path, data)
        settings = settings_for(file.options, run.selection)
        if run.action is Action.CHECK:
            return _report(file, source, lint(source, settings), settings)
        return _fixed(source, file, settings, run.action)
    except SourceError as error:  # it cannot be read
        return failed(file, error.message)
    except Exception as error:
        return failed(file, internal_error(error))


def failed(file: File, message: str) -> FileReport:
    """Return the report that says that `file` was not checked, and why."""
    return FileReport(
        file.path, file.shown, (Finding(CANNOT_ANALYSE, CANNOT_ANALYSE_NAME, message, _START, _START, None),)
    )


def _fixed(source: Source, file: File, settings: Settings, action: Action) -> FileReport:
    result = fix(source, settings)
    changed = result.source.data != source.data
    if changed and action is Action.WRITE:
        try:
            write_atomically(Path(file.path), result.source.data, source.data)
        except OSError as error:  # a WriteError has its reason as its text
            trouble = failed(file, f"cannot write the fixes: {error.strerror or error}")
            report = _report(file, source, lint(source, settings), settings)
            return replace(report, findings=trouble.findings + report.findings)
    report = _report(file, result.source, result.remaining, settings)
    return replace(
        report,
        applied=dict(result.applied),
        before=source.data if changed else None,
        after=result.source.data if changed else None,
        refused=result.refused,
        reason=result.reason,
    )


def _report(file: File, source: Source, diagnostics: Iterable[Diagnostic], settings: Settings) -> FileReport:
    findings = tuple(_finding(diagnostic, source.position, settings) for diagnostic in diagnostics)
    return FileReport(file.path, file.shown, findings, _text(source) if findings else None)


def _text(source: Source) -> str | None:
    try:
        return source.text
    except SourceError:
        return None


def _finding(diagnostic: Diagnostic, place: Callable[[int], Position], settings: Settings) -> Finding:
    start = place(diagnostic.span.start)
    return Finding(
        code=diagnostic.code,
        name=diagnostic.name,
        message=diagnostic.message,
        start=start,
        end=place(diagnostic.span.end),
        noqa_row=None if diagnostic.code == CANNOT_ANALYSE else start.line,
        fix=_found_fix(diagnostic, place, settings),
    )


def _found_fix(diagnostic: Diagnostic, place: Callable[[int], Position], settings: Settings) -> FoundFix | None:
    offered = diagnostic.fix
    if offered is None:
        return None
    edits = tuple(Replacement(place(edit.start), place(edit.end), edit.text) for edit in offered.edits)
    return FoundFix(offered.title, edits, offered.applicability, settings.applies(offered))
