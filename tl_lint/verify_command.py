"""`tl-lint verify`: turns arguments into one call of the verifier, writes its rows, and the fixes that it confirmed."""

from __future__ import annotations

import argparse
import contextlib
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from tl_lint.atomic import write_atomically
from tl_lint.config import ConfigError, Configurations
from tl_lint.fixer import fix
from tl_lint.output.junit import as_junit
from tl_lint.output.terminal import Printer, printable, wants_colour
from tl_lint.output.verify_json import as_json
from tl_lint.output.verify_text import RowPrinter, write_applied, write_summary
from tl_lint.progress import Bar
from tl_lint.runner import shown
from tl_lint.selection import Selection
from tl_lint.verify.applying import Applied, apply
from tl_lint.verify.keeping import keep_file, keep_row, make_folder
from tl_lint.verify.model import Level, Row
from tl_lint.verify.options import DEFAULT_TIMEOUT, VerifyFile, VerifyOptions
from tl_lint.verify.verifying import VerifyError
from tl_lint.verify.verifying import verify as run_verifier
from tl_lint.verify_config import VerifyConfig
from tl_lint.verify_files import Gathered, common_folder, gathered
from tl_lint.verify_status import exit_status

__all__ = ["options_of", "verify"]


def verify(
    arguments: argparse.Namespace, configurations: Configurations, selection: Selection, file: TextIO | None
) -> int:
    """Carry out `verify` and return its exit status; results go to `file`, to standard output where it is None.

    Raises ConfigError for a mistake in the arguments or the configuration, and where nothing can be verified at all.
    """
    if "-" in arguments.paths:
        raise ConfigError("verify reads files only, not standard input")
    if arguments.fix and arguments.shard is not None:
        raise ConfigError("--fix and --shard exclude each other: a shard does not know what the others reject")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # of the files that are read, as in "\d"
        configured = configurations.above(common_folder(arguments.paths)).verify
        found = gathered(arguments.paths, configurations, selection, arguments.force_exclude)
        return _verified(arguments, configured, found, file or sys.stdout)


def options_of(arguments: argparse.Namespace, configured: VerifyConfig, files: Sequence[VerifyFile]) -> VerifyOptions:
    """Return what the verifier is to do: as the arguments say, else as `configured`, else by default."""
    level = arguments.level or configured.level or "best"
    kind, _, address = arguments.executor.partition(":")
    return VerifyOptions(
        files=tuple(files),
        level=None if level == "best" else Level.named(level),
        target=(arguments.target or configured.target or "cuda").replace(":", " -arch="),
        calls=tuple(arguments.call),
        fix=arguments.fix,
        timeout=arguments.timeout or configured.timeout or DEFAULT_TIMEOUT,
        memory=arguments.memory or configured.memory,
        jobs=arguments.jobs,
        shard=arguments.shard,
        driver=arguments.driver,
        ray=address if kind == "ray" else None,
        keep=arguments.keep,
        cache=not arguments.no_cache,
        seed=next((seed for seed in (arguments.seed, configured.seed) if seed is not None), 0),
        reference=arguments.reference or configured.reference,
    )


def _verified(arguments: argparse.Namespace, configured: VerifyConfig, found: Gathered, stream: TextIO) -> int:
    options = options_of(arguments, configured, found.files)
    output = _Output(arguments, stream)
    keeper = _Keeper(options.keep)
    for trouble in found.troubles:
        output.say(f"error: {trouble.shown}: {trouble.message}")
    if not found.any_file and not options.driver:
        output.warn("No Python files found under the given path(s)")
    rows, reasons = _rows(options, output, keeper)
    if not rows and found.any_file and not found.troubles:
        output.warn("No kernels found under the given path(s)")
    applied = _applied(options, rows) if options.fix else ()
    output.finish(rows, found, applied, reasons)
    keeper.files(options, rows)
    if keeper.trouble:
        output.say(f"error: {keeper.trouble}")
    # Of a driver's run the files that matter are those that it compiles kernels of.
    troubled = bool((found.troubles and not options.driver) or keeper.trouble)
    return exit_status(rows, options, arguments.strict or configured.strict, troubled, applied)


def _rows(options: VerifyOptions, output: _Output, keeper: _Keeper) -> tuple[Sequence[Row], Mapping[Level, str]]:
    """Return the rows, each of them written as it comes, and why this machine cannot reach some levels."""
    if not options.files and not options.driver:
        return [], {}
    try:
        with Bar(0, wanted=not output.quiet, label="Verifying") as bar:

            def on_row(row: Row) -> None:
                bar.hide()
                output.row(row)
                keeper.row(row)
                bar.advance(1)

            verification = run_verifier(options, on_row, bar.expect)
    except VerifyError as error:
        raise ConfigError(str(error)) from None
    for warning in verification.warnings:
        output.warn(warning)
    return verification.rows, verification.machine.limits


def _applied(options: VerifyOptions, rows: Sequence[Row]) -> Sequence[Applied]:
    """Write the confirmed fixes of all files and return what became of them, of those that had something to fix."""
    applied = []
    for file in options.files:
        own = [row for row in rows if row.path == file.path]
        if own:
            applied.append(apply(file, own, write_atomically))
    return [each for each in applied if each.says_something]


class _Keeper:
    """Writes what --keep asks for, as far as that works."""

    def __init__(self, folder: str | None) -> None:
        """Make the folder, before anything is built. Raises ConfigError."""
        self._folder = None if folder is None else Path(folder)
        self.trouble = ""
        if self._folder is not None:
            try:
                make_folder(self._folder)
            except OSError as error:
                raise ConfigError(f"cannot write {folder}: {error.strerror or error}") from None

    def row(self, row: Row) -> None:
        """Keep what a row says, as soon as it is known."""
        if self._folder is not None:
            with self._noting():
                keep_row(self._folder, shown(row.path), row, as_json([row]))

    def files(self, options: VerifyOptions, rows: Sequence[Row]) -> None:
        """Keep the files that have fixes, with those made."""
        if self._folder is None:
            return
        for file in options.files:
            if any(row.path == file.path and row.fixed is not None for row in rows):
                with self._noting():
                    keep_file(self._folder, file.shown, fix(file.source, file.settings).source.data)

    @contextlib.contextmanager
    def _noting(self) -> Iterator[None]:
        """Note the first failure: the results must not be lost to it."""
        try:
            yield
        except OSError as error:
            path = error.filename or self._folder
            self.trouble = self.trouble or f"cannot write {path}: {error.strerror or error}"


class _Output:
    """Writes rows, and what is said besides, in the wanted format."""

    def __init__(self, arguments: argparse.Namespace, stream: TextIO) -> None:
        self.quiet: bool = arguments.quiet
        self._format: str = arguments.output_format
        self._stream = stream
        self._printer = Printer(stream, self._format == "text" and wants_colour(stream))
        self._rows = RowPrinter(self._printer, shown)

    def say(self, line: str) -> None:
        """Write a line to standard error."""
        sys.stderr.write(f"{printable(line)}\n")

    def warn(self, message: str) -> None:
        """Write a warning to standard error, unless nothing but results is wanted."""
        if not self.quiet:
            self.say(f"warning: {message}")

    def row(self, row: Row) -> None:
        """Write a row at once where the format allows it."""
        if self._format == "text":
            self._rows.write(row)

    def finish(
        self, rows: Sequence[Row], found: Gathered, applied: Sequence[Applied], reasons: Mapping[Level, str]
    ) -> None:
        """Write what comes when all rows are there."""
        if self._format == "json":
            self._stream.write(as_json(rows) + "\n")
        elif self._format == "junit":
            troubles = [(trouble.shown, trouble.message) for trouble in found.troubles]
            self._stream.write(as_junit(rows, shown, troubles) + "\n")
        elif not self.quiet:
            write_summary(rows, self._printer, reasons)
        if not self.quiet:
            write_applied(applied, self._printer if self._format == "text" else Printer(sys.stderr, False))
        self._stream.flush()
