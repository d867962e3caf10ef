"""The command line: `tl-lint check`, `verify`, `doctor`, `explain` and `rules`.

Its options and exit codes are a contract.
"""
# Paths are strings here: surrogates in file names pass through os.path unharmed.
# ruff: noqa: PTH109, PTH123

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TextIO

from tl_lint.arguments import overrides_of, parse, selection_of
from tl_lint.config import ConfigError, Configurations, settings_for, validate
from tl_lint.messages import internal_error
from tl_lint.model import CANNOT_ANALYSE
from tl_lint.output.terminal import Printer, printable, wants_colour

__all__ = ["main"]

_INTERRUPTED = 130
_STDIN = "-"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, with the arguments of the process for None, and return the exit status.

    0: nothing left to report. 1: findings remain, or --diff printed a change. 2: a mistake in the arguments or the
    configuration, input that cannot be read or parsed, or a failure of tl-lint itself.
    """
    _make_streams_safe()
    try:
        parsed = parse(arguments)
        _check_working_folder()
        status = _COMMANDS[parsed.command](parsed)
        sys.stdout.flush()
        return status
    except ConfigError as error:
        return _failed(str(error))
    except BrokenPipeError:
        from tl_lint.checking import leave_stdout

        leave_stdout()
        return 0
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OSError as error:
        return _failed(f"{error.filename or 'standard output'}: {error.strerror or error}")
    except Exception as error:
        return _failed(internal_error(error))


def _make_streams_safe() -> None:
    """Have what a stream cannot encode written as escapes; a stream that was closed swallows everything."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        getattr(sys, name).reconfigure(errors="backslashreplace")


def _check_working_folder() -> None:
    try:
        os.getcwd()
    except OSError as error:
        raise ConfigError(f"the working folder cannot be found: {error.strerror}") from None


def _failed(message: str) -> int:
    sys.stderr.write(f"tl-lint: error: {printable(message)}\n")
    return 2


def _check(arguments: argparse.Namespace) -> int:
    if arguments.diff and arguments.statistics:
        raise ConfigError("--diff and --statistics exclude each other")
    if _STDIN in arguments.paths and len(arguments.paths) > 1:
        raise ConfigError("- (standard input) cannot be combined with other paths")
    from tl_lint.checking import check

    configurations = Configurations(overrides_of(arguments), arguments.config, arguments.isolated)
    selection = selection_of(arguments)
    validate(configurations.above(os.getcwd()), selection)
    if CANNOT_ANALYSE in selection.ignore and not arguments.quiet:
        sys.stderr.write(f"warning: {CANNOT_ANALYSE} cannot be ignored: it says that a file was not checked\n")
    with _report_stream(arguments.output_file) as stream:
        return check(arguments, configurations, selection, stream)


def _verify(arguments: argparse.Namespace) -> int:
    from tl_lint.verify_command import verify

    configurations = Configurations(overrides_of(arguments), arguments.config, arguments.isolated)
    selection = selection_of(arguments)
    validate(configurations.above(os.getcwd()), selection)
    with _report_stream(arguments.output_file) as stream:
        return verify(arguments, configurations, selection, stream)


def _doctor(arguments: argparse.Namespace) -> int:
    from tl_lint.doctor_command import doctor

    return doctor(arguments)


@contextlib.contextmanager
def _report_stream(file: str | None) -> Iterator[TextIO | None]:
    """Yield the file to write findings to, None where it is not a file."""
    if file is None:
        yield None
        return
    with contextlib.ExitStack() as stack:
        try:
            stream = stack.enter_context(open(file, "w", encoding="utf-8", errors="backslashreplace", newline=""))
        except OSError as error:
            raise ConfigError(f"cannot write {file}: {error.strerror}") from None
        yield stream


def _explain(arguments: argparse.Namespace) -> int:
    page = _page(arguments.code.upper())
    if sys.stdout.isatty() and wants_colour(sys.stdout):
        from rich.console import Console
        from rich.markdown import Markdown

        Console(file=sys.stdout).print(Markdown(page))
    else:
        sys.stdout.write(page)
    return 0


def _page(code: str) -> str:
    from tl_lint.pages import CANNOT_ANALYSE_PAGE
    from tl_lint.registry import rule_page

    if code == CANNOT_ANALYSE:
        return CANNOT_ANALYSE_PAGE
    rules = settings_for(Configurations().above(os.getcwd())).rules
    for rule in rules:
        if rule.code == code:
            return rule_page(rule)
    known = ", ".join((CANNOT_ANALYSE, *(rule.code for rule in rules)))
    raise ConfigError(f"no rule has the code {code!r}; there are {known}")


def _rules(arguments: argparse.Namespace) -> int:
    rules = settings_for(Configurations().above(os.getcwd())).rules
    if arguments.output_format == "json":
        described = [
            {
                "code": rule.code,
                "name": rule.name,
                "summary": rule.summary,
                "releases": rule.releases,
                "fixable": None if rule.fixable is None else rule.fixable.value,
                "on_by_default": rule.on_by_default,
            }
            for rule in rules
        ]
        sys.stdout.write(json.dumps(described, indent=2) + "\n")
        return 0
    printer = Printer(sys.stdout, wants_colour(sys.stdout))
    width = max((len(rule.name) for rule in rules), default=0)
    for rule in rules:
        fix = f"{rule.fixable.value} fix" if rule.fixable is not None else "no fix"
        off = "" if rule.on_by_default else " (off by default)"
        name = f" {rule.name:<{width}} "
        printer.line((rule.code, "bold red"), (name, "bold"), f"{rule.summary} ({rule.releases}, {fix}){off}")
    return 0


_COMMANDS = {"check": _check, "verify": _verify, "doctor": _doctor, "explain": _explain, "rules": _rules}
