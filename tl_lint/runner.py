"""Finds the files to check, passes over those that cannot hold TileLang, and has the others checked."""
# Paths are strings here: this is the loop that the speed of a clean run depends on.
# ruff: noqa: PTH100, PTH109, PTH110, PTH112, PTH113, PTH116, PTH118, PTH119, PTH120, PTH123, PTH206

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tl_lint.config import Configurations, Options, settings_for, validate
from tl_lint.gitignore import Ignored, entering, rules_above
from tl_lint.tasks import File, Run

if TYPE_CHECKING:
    from tl_lint.findings import FileReport

__all__ = ["Candidate", "check_files", "check_text", "find_files", "may_hold_tilelang", "shown"]

_SUFFIXES = (".py", ".pyw")
_SKIPPED = frozenset({"__pycache__", "node_modules", "site-packages"})
_WORTH_PROCESSES = 400_000
"""Bytes of TileLang files below which starting processes costs more than it saves."""


@dataclass(frozen=True)
class Candidate:
    """A file that was found: its absolute path and the options that hold for it.

    `regular` is false for what has to be read once only (a pipe), `trouble` says why it cannot be read at all.
    """

    path: str
    options: Options
    regular: bool = True
    trouble: str | None = None


@dataclass(frozen=True)
class _Folder:
    path: str
    real: str
    options: Options
    ignored: Ignored | None
    named: bool = False


def find_files(paths: Iterable[str], configurations: Configurations, force_exclude: bool = False) -> list[Candidate]:
    """Return the files that `paths` name or hold, each one once, sorted by the parts of its path.

    What is named is taken regardless of every rule, but with `force_exclude` not where it is excluded. A folder is
    walked whatever it is called; symbolic links to folders are not followed, so that a loop ends. Raises ConfigError
    for an unusable pyproject.toml on the way.
    """
    found: dict[str, Candidate] = {}  # by real path
    given = list(paths)
    for named in given:
        path = _absolute(named)
        real = os.path.realpath(path)
        options = configurations.above(path if os.path.isdir(path) else os.path.dirname(path))
        if force_exclude and _is_excluded(path, options):
            continue
        if os.path.isdir(path):
            for real_file, candidate in _walk(_Folder(path, real, options, rules_above(real), True), configurations):
                found.setdefault(real_file, candidate)
        else:
            regular = os.path.isfile(path) or not os.path.exists(path)
            found.setdefault(real, Candidate(path, options, regular))
    candidates = list(found.values())
    if len(given) > 1:
        candidates.sort(key=lambda candidate: candidate.path.split(os.sep))
    return candidates


def _is_excluded(path: str, options: Options) -> bool:
    """Return whether the absolute `path`, or a folder above it, is excluded."""
    patterns = (*options.exclude, *options.extend_exclude)
    above, name = os.path.split(path)
    while patterns and name:
        if any(pattern.matches(path, name) for pattern in patterns):
            return True
        path = above
        above, name = os.path.split(path)
    return False


def _absolute(path: str) -> str:
    """Return the absolute path, with `..` taken out as the file system means it, not as text."""
    if os.pardir in path.split(os.sep):
        path = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    return os.path.abspath(path)


def _walk(start: _Folder, configurations: Configurations) -> Iterator[tuple[str, Candidate]]:
    """Yield the files in and below `start` in order, with their real paths."""
    waiting: list[_Folder | tuple[str, Candidate]] = [start]
    while waiting:
        item = waiting.pop()
        if isinstance(item, tuple):
            yield item
        else:
            waiting.extend(reversed(_entries(item, configurations)))


def _entries(folder: _Folder, configurations: Configurations) -> list[_Folder | tuple[str, Candidate]]:
    """Return what is to be read or entered in `folder`, sorted by name; nothing if the folder is to be passed over."""
    try:
        with os.scandir(folder.path) as scanned:
            entries = sorted(scanned, key=lambda entry: entry.name)
    except OSError as error:
        trouble = f"cannot read the folder: {error.strerror}"
        return [(folder.real, Candidate(folder.path, folder.options, trouble=trouble))]
    special = {entry.name for entry in entries} & {"pyvenv.cfg", "pyproject.toml", ".gitignore", ".git"}
    if "pyvenv.cfg" in special and not folder.named:
        return []
    options = folder.options
    if "pyproject.toml" in special and not folder.named:
        options = configurations.within(folder.path, options)
    ignored = folder.ignored
    if ".gitignore" in special or ".git" in special:
        ignored = entering(folder.real, ignored, ".gitignore" in special, ".git" in special, folder.named)
    excluded = (*options.exclude, *options.extend_exclude)
    kept: list[_Folder | tuple[str, Candidate]] = []
    for entry in entries:
        name = entry.name
        if name.endswith(_SUFFIXES) and (real := _real_file(entry, folder.real)) is not None:
            item: _Folder | tuple[str, Candidate] = (real, Candidate(entry.path, options))
        elif name[0] != "." and name not in _SKIPPED and entry.is_dir(follow_symlinks=False):
            item = _Folder(entry.path, os.path.join(folder.real, name), options, ignored)
        else:
            continue
        if excluded and any(pattern.matches(entry.path, name) for pattern in excluded):
            continue
        if ignored is not None and ignored.covers(os.path.join(folder.real, name), isinstance(item, _Folder)):
            continue
        kept.append(item)
    return kept


def _real_file(entry: os.DirEntry[str], folder: str) -> str | None:
    """Return the real path of a file or of a link to one, a dangling one included; None for everything else."""
    if entry.is_file(follow_symlinks=False):
        return os.path.join(folder, entry.name)
    if entry.is_symlink() and (os.path.isfile(entry.path) or not os.path.exists(entry.path)):
        return os.path.realpath(entry.path)
    return None


def check_files(
    candidates: Sequence[Candidate], run: Run, jobs: int | None, advance: Callable[[int], None]
) -> list[FileReport]:
    """Check those of `candidates` that may hold TileLang and return their reports, in order.

    `jobs` is the number of processes; None leaves it to the amount of work. `advance` is told how many files have been
    done since it was last called. Raises ConfigError if the options of a file are unusable.
    """
    for options in {id(candidate.options): candidate.options for candidate in candidates}.values():
        validate(options, run.selection)
    wanted = [candidate for candidate in candidates if may_hold_tilelang(candidate)]
    advance(len(candidates) - len(wanted))
    if not wanted:
        return []
    from tl_lint.work import check_file

    for options in {candidate.options for candidate in wanted}:
        settings_for(options, run.selection)  # fails here, before anything is written, and is loaded before a fork
    files = [File(found.path, shown(found.path), found.options, found.trouble) for found in wanted]
    processes = _processes(files, jobs)
    if processes > 1:
        from tl_lint.processes import check_in_processes

        return check_in_processes(files, run, processes, advance)
    reports = []
    for file in files:
        reports.append(check_file(file, run))
        advance(1)
    return reports


def check_text(path: str, data: bytes, options: Options, run: Run) -> FileReport:
    """Check the bytes `data` as if the file `path` held them ("-" for a text without a name).

    Nothing is written. Raises ConfigError if the options are unusable.
    """
    from tl_lint.findings import FileReport

    file = File(path, path if path == "-" else shown(path), options)
    validate(options, run.selection)
    if not any(needle in data for needle in options.needles):
        return FileReport(file.path, file.shown)
    from tl_lint.work import check_file

    settings_for(options, run.selection)
    return check_file(file, run, data)


def shown(path: str) -> str:
    """Return how people are to read the absolute `path`: relative to the working folder if it lies in there."""
    here = os.path.join(os.getcwd(), "")
    return path[len(here) :] if path.startswith(here) and path != here else path


def may_hold_tilelang(candidate: Candidate) -> bool:
    """Return whether the file holds the bytes that make it worth decoding, or has trouble to be told of."""
    if candidate.trouble is not None or not candidate.regular:
        return True
    try:
        with open(candidate.path, "rb", buffering=0) as stream:
            data = stream.read()
    except OSError:
        return True
    return any(needle in data for needle in candidate.options.needles)


def _processes(files: Sequence[File], jobs: int | None) -> int:
    if jobs is not None:
        return min(jobs, len(files))
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if min(available, len(files)) < 2 or sum(map(_size, files)) < _WORTH_PROCESSES:
        return 1
    return min(available, len(files))


def _size(file: File) -> int:
    try:
        return os.stat(file.path).st_size
    except OSError:
        return 0
