"""`tl-lint check`: runs the linter over files or standard input and writes what came of it where it belongs."""
# Paths are strings here: surrogates in file names pass through os.path unharmed.
# ruff: noqa: PTH100, PTH120

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from typing import TextIO

from tl_lint.config import ConfigError, Configurations
from tl_lint.findings import FileReport
from tl_lint.model import CANNOT_ANALYSE
from tl_lint.output.terminal import Printer, printable, wants_colour
from tl_lint.progress import Bar
from tl_lint.runner import check_files, check_text, find_files
from tl_lint.selection import Selection
from tl_lint.tasks import Action, Run

__all__ = ["check", "leave_stdout"]

_NAMELESS = "-"


def check(
    arguments: argparse.Namespace, configurations: Configurations, selection: Selection, file: TextIO | None
) -> int:
    """Carry out `check` and return its exit status; findings go to `file`, to standard output where it is None.

    Raises ConfigError if the configuration of one of the files is unusable.
    """
    if arguments.paths == ["-"]:
        return _check_stdin(arguments, configurations, selection, file)
    candidates = find_files(arguments.paths or ["."], configurations, arguments.force_exclude)
    if not candidates and not arguments.quiet:
        sys.stderr.write("warning: No Python files found under the given path(s)\n")
    action = Action.COMPUTE if arguments.diff else Action.WRITE if arguments.fix else Action.CHECK
    with Bar(len(candidates), wanted=not arguments.quiet) as bar:
        reports = check_files(candidates, Run(selection, action), arguments.jobs, bar.advance)
    return _tell(reports, arguments, file or sys.stdout)


def _check_stdin(
    arguments: argparse.Namespace, configurations: Configurations, selection: Selection, file: TextIO | None
) -> int:
    if sys.stdin is None:
        raise ConfigError("standard input is closed")
    data = sys.stdin.buffer.read()
    path = _NAMELESS if arguments.stdin_filename is None else os.path.abspath(arguments.stdin_filename)
    options = configurations.above(os.path.dirname(os.path.abspath(path)))
    action = Action.COMPUTE if arguments.diff or arguments.fix else Action.CHECK
    report = check_text(path, data, options, Run(selection, action))
    if arguments.diff or not arguments.fix:
        return _tell([report], arguments, file or sys.stdout)
    sys.stdout.buffer.write(data if report.after is None else report.after)
    sys.stdout.buffer.flush()
    return _tell([report], arguments, file or sys.stderr)


def _tell(reports: Sequence[FileReport], arguments: argparse.Namespace, stream: TextIO) -> int:
    """Write the reports as the arguments want them and return the exit status; a reader that left early is no error."""
    if not arguments.quiet:
        for report in reports:
            _warn_of_refusals(report)
    try:
        if arguments.diff:
            _write_diffs(reports, arguments, stream)
        else:
            _write_findings(reports, arguments, stream)
        stream.flush()
    except BrokenPipeError:
        leave_stdout()
    return _status(reports, arguments)


def _status(reports: Sequence[FileReport], arguments: argparse.Namespace) -> int:
    if any(finding.code == CANNOT_ANALYSE for report in reports for finding in report.findings):
        return 2
    if arguments.diff:
        left = any(report.after is not None for report in reports)
    else:
        left = any(report.findings for report in reports)
    return int(left and not arguments.exit_zero)


def _warn_of_refusals(report: FileReport) -> None:
    if report.refused:
        codes = ", ".join(sorted(set(report.refused)))
        why = f": {report.reason}" if report.reason else ""
        sys.stderr.write(f"warning: {printable(f'{report.shown}: no fix made for {codes}{why}')}\n")


def _write_findings(reports: Sequence[FileReport], arguments: argparse.Namespace, stream: TextIO) -> None:
    from tl_lint.output.text import write_summary

    as_json = arguments.output_format == "json"
    printer = Printer(stream, not as_json and wants_colour(stream))
    if arguments.statistics:
        from tl_lint.output.statistics import statistics, statistics_as_json, write_statistics

        found = statistics(reports)
        if as_json:
            stream.write(statistics_as_json(found) + "\n")
        else:
            write_statistics(found, printer)
    elif as_json:
        from tl_lint.output.json import as_json as findings_as_json

        stream.write(findings_as_json(reports) + "\n")
    else:
        _write_text(reports, arguments.output_format, printer)
    if not as_json and not arguments.quiet:
        write_summary(reports, printer)


def _write_text(reports: Sequence[FileReport], output_format: str, printer: Printer) -> None:
    from tl_lint.output.text import write_concise, write_full

    full = output_format == "full" or (output_format == "text" and printer.stream.isatty())
    (write_full if full else write_concise)(reports, printer)


def _write_diffs(reports: Sequence[FileReport], arguments: argparse.Namespace, stream: TextIO) -> None:
    """Write the diffs to `stream` and everything else to standard error."""
    from tl_lint.output.diff import unified, write_coloured
    from tl_lint.output.text import write_concise, write_would_fix

    printer = Printer(stream, wants_colour(stream))
    for report in reports:
        if report.after is None:
            continue
        diff = unified(report, named=report.path != _NAMELESS)
        if printer.in_colour:
            write_coloured(diff, printer)
        else:
            stream.flush()
            stream.buffer.write(diff + b"\n")
            stream.buffer.flush()
    errors = Printer(sys.stderr, wants_colour(sys.stderr))
    for report in reports:
        failures = tuple(finding for finding in report.findings if finding.code == CANNOT_ANALYSE)
        write_concise([FileReport(report.path, report.shown, failures)], errors)
    if not arguments.quiet:
        write_would_fix(reports, errors)


def leave_stdout() -> None:
    """Keep the interpreter from failing once more when it flushes a closed pipe at its end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
