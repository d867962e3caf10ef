"""From PATH[::KERNEL] to the files that a verification is to read: found as `check` finds them, read once, parsed."""
# Paths are strings here: the runner speaks of strings.
# ruff: noqa: PTH100, PTH110, PTH112, PTH119, PTH120

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from tl_lint.config import ConfigError, Configurations, Options, settings_for, validate
from tl_lint.messages import one_line
from tl_lint.runner import Candidate, find_files, may_hold_tilelang, shown
from tl_lint.selection import Selection
from tl_lint.source import Source, SourceError
from tl_lint.tables import nearest
from tl_lint.verify.found import kernels
from tl_lint.verify.options import ConfiguredKernel, VerifyFile

__all__ = ["Gathered", "Trouble", "common_folder", "gathered"]


@dataclass(frozen=True)
class Trouble:
    """A file that could not be looked at: how to call it, and why in one line."""

    shown: str
    message: str


@dataclass
class Gathered:
    """The files to verify, those that could not be read, and whether there was any Python file at all."""

    files: list[VerifyFile] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)
    any_file: bool = False


@dataclass(frozen=True)
class _Given:
    """One PATH[::KERNEL] of the command line."""

    text: str
    path: str
    kernel: str | None


def gathered(
    paths: Sequence[str], configurations: Configurations, selection: Selection, force_exclude: bool
) -> Gathered:
    """Return the files that `paths` name or hold and that may hold TileLang, in order.

    Raises ConfigError for an unusable configuration and for a KERNEL that is in none of the files of its PATH.
    """
    given = [_split(path) for path in paths or (".",)]
    result = Gathered()
    patterns = _Patterns(given, configurations, force_exclude)
    for candidate in find_files([each.path for each in given], configurations, force_exclude):
        result.any_file = True
        if candidate.trouble is not None:
            result.troubles.append(Trouble(shown(candidate.path), candidate.trouble))
            continue
        validate(candidate.options, selection)
        if not may_hold_tilelang(candidate):
            continue
        try:
            file = _read(candidate, selection)
            names = [kernel.name for kernel in kernels(file.source.text, file.path)]
        except SourceError as error:
            result.troubles.append(Trouble(shown(candidate.path), error.message))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            result.troubles.append(Trouble(shown(candidate.path), _unparsable(error)))
        else:
            chosen = patterns.of(file.path, names)
            if chosen is not None:
                result.files.append(_with_kernels(file, chosen))
    patterns.check_all_were_found(bool(result.troubles))
    return result


def common_folder(paths: Sequence[str]) -> str:
    """Return the folder whose configuration counts for the run as a whole: the one that all `paths` are in."""
    given = [os.path.abspath(_split(path).path) for path in paths or (".",)]
    try:
        common = os.path.commonpath([path if os.path.isdir(path) else os.path.dirname(path) for path in given])
    except ValueError:  # on two drives
        return os.path.abspath(os.curdir)
    return common


def _split(text: str) -> _Given:
    path, separator, kernel = text.rpartition("::")
    if not separator or os.path.exists(text):
        return _Given(text, text, None)
    if not path or not kernel:
        raise ConfigError(f"{text}: write PATH::KERNEL, with a file or a folder in front and a kernel's name behind")
    return _Given(text, path, kernel)


class _Patterns:
    """Knows which kernels the command line wants of which file, and which of its names fitted none."""

    def __init__(self, given: Sequence[_Given], configurations: Configurations, force_exclude: bool) -> None:
        self._of_path: dict[str, list[_Given]] = {}
        self._named = [each for each in given if each.kernel is not None]
        self._matched: set[_Given] = set()
        self._known: dict[_Given, list[str]] = {each: [] for each in self._named}
        if not self._named:
            return
        for each in given:
            for candidate in find_files([each.path], configurations, force_exclude):
                self._of_path.setdefault(os.path.realpath(candidate.path), []).append(each)

    def of(self, path: str, names: Sequence[str]) -> tuple[str, ...] | None:
        """Return the patterns for a file whose kernels have these `names`: () for all, None for no kernel at all."""
        given = self._of_path.get(os.path.realpath(path), ())
        chosen = []
        for each in given:
            if each.kernel is None:
                continue
            self._known[each] += names
            if any(fnmatchcase(name, each.kernel) for name in names):
                self._matched.add(each)
                chosen.append(each.kernel)
        if not self._named or any(each.kernel is None for each in given):
            return ()
        return tuple(dict.fromkeys(chosen)) or None

    def check_all_were_found(self, incomplete: bool) -> None:
        """Raise ConfigError for a name that fits no kernel, unless it may be in a file that could not be read."""
        for each in self._named:
            if each in self._matched or incomplete:
                continue
            known = list(dict.fromkeys(self._known[each]))
            hint = nearest(each.kernel or "", known)
            if not hint:
                hint = f"; there are {', '.join(known)}" if known else "; no kernel was found there"
            raise ConfigError(f"{each.text}: no such kernel{hint}")


def _read(candidate: Candidate, selection: Selection) -> VerifyFile:
    return VerifyFile(
        candidate.path,
        shown(candidate.path),
        Source.read(candidate.path),
        settings_for(candidate.options, selection),
        configured=tuple(_configured(candidate.path, candidate.options)),
    )


def _with_kernels(file: VerifyFile, patterns: tuple[str, ...]) -> VerifyFile:
    return VerifyFile(file.path, file.shown, file.source, file.settings, patterns, file.configured)


def _configured(path: str, options: Options) -> Iterable[ConfiguredKernel]:
    for entry in options.verify.kernels:
        if entry.path.matches(path, os.path.basename(path)):
            yield ConfiguredKernel(entry.name, entry.args, entry.reference)


def _unparsable(error: Exception) -> str:
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {one_line(error.msg)} (line {error.lineno})"
    return f"{type(error).__name__}: {one_line(error) or 'too deeply nested'}"
