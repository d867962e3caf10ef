"""From a driver's command to the requests of the kernels that it builds: as they are, and with their fixes made."""

from __future__ import annotations

import ast
import functools
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from tl_lint.runner import shown
from tl_lint.verify.driving import Captured, Drive, captured, paired
from tl_lint.verify.found import kernels
from tl_lint.verify.isolation import Isolation, Limits
from tl_lint.verify.lines import last_line
from tl_lint.verify.machine import VerifyError
from tl_lint.verify.model import Attempt, Level
from tl_lint.verify.options import VerifyFile, VerifyOptions
from tl_lint.verify.planning import Texts, reference_of, texts_of
from tl_lint.verify.requests import KernelRequest, Machine
from tl_lint.verify.suspicions import suspicions
from tl_lint.verify.touched import touches

__all__ = ["Driven", "driven"]

_TIMES = 5
"""How many times the limit of one version of a kernel the whole command may take."""


@dataclass(frozen=True)
class Driven:
    """A request for each kernel that a command builds, and `warnings`: lines on what of it is not among them."""

    requests: list[KernelRequest]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class _Runs:
    """A kernel of the first run, and the same one with the fixes made, and with ints coerced in place of fixes."""

    original: Captured
    fixed: Captured | None
    coerced: Captured | None


def driven(options: VerifyOptions, machine: Machine, isolation: Isolation) -> Driven:
    """Return a request for each kernel that `options.driver` has TileLang compile, in the order in which it does.

    The command runs once; where a file of `options.files` has a fix, twice more: with the fixed texts, and with ints
    made IntImm by T.Parallel itself. Where some of the files are asked for by kernel (PATH::KERNEL), the others are
    left out. The command may take five times the seconds that one version of a kernel may. Raises VerifyError if it
    compiles nothing.
    """
    texts = {file.path: texts_of(file) for file in options.files}
    fixed = {path: text.fixed for path, text in texts.items() if text.fixed != text.original}
    drive = _drive(options, machine, isolation, {})
    if not drive.kernels:
        raise VerifyError(drive.message)
    again = _drive(options, machine, isolation, fixed).kernels if fixed else ()
    coerced = _drive(options, machine, isolation, {}, coerce=True).kernels if fixed else ()
    runs = [
        _Runs(original, other, third)
        for (original, other), (_, third) in zip(
            paired(drive.kernels, again), paired(drive.kernels, coerced), strict=True
        )
    ]
    files = {file.path: file for file in options.files}
    wanted = [each for each in _distinct(runs) if _is_wanted(each.original, files)]
    requests = [_request(each, files.get(each.original.path), texts, options, machine) for each in wanted]
    return Driven(requests, (*_missing(drive), *_without_fixes(wanted, files)))


def _missing(drive: Drive) -> Iterable[str]:
    """Return, a line each, what of a command's kernels is not verified."""
    for (path, name), count in drive.left_out.items():
        kernels_left = "one more kernel" if count == 1 else f"{count} more kernels"
        yield f"{shown(path)}::{name}: {kernels_left} of the driver command left out: too many of this name"
    if drive.outcome != "ends":
        last = last_line(drive.log)
        how = f"{drive.outcome}{': ' if last else ''}{last}"
        yield f"the driver command did not come to its end, and what it would build after that is missing: {how}"


def _without_fixes(runs: Iterable[_Runs], files: Mapping[str, VerifyFile]) -> Iterable[str]:
    """Return, a line each, the files of kernels whose fixes are not tried, as they are not among the given ones."""
    for path in dict.fromkeys(each.original.path for each in runs):
        if path not in files:
            yield f"{shown(path)} is not under the given paths: its kernels are verified as they are, without fixes"


def _drive(
    options: VerifyOptions, machine: Machine, isolation: Isolation, texts: Mapping[str, str], coerce: bool = False
) -> Drive:
    limits = Limits(options.timeout * _TIMES, options.memory)
    command = shlex.join(options.driver)
    try:
        return captured(command, texts, limits, isolation, coerce=coerce, architecture=machine.architecture)
    except (ValueError, OSError) as error:
        raise VerifyError(f"--driver: {error}") from None


def _distinct(runs: Iterable[_Runs]) -> list[_Runs]:
    """Leave out what was built again just the same."""
    known: dict[tuple[str | None, ...], _Runs] = {}
    for each in runs:
        kernel = each.original
        known.setdefault((kernel.path, kernel.name, kernel.arguments, kernel.tir, kernel.error), each)
    return list(known.values())


def _is_wanted(kernel: Captured, files: Mapping[str, VerifyFile]) -> bool:
    if not any(file.kernels for file in files.values()):
        return True
    file = files.get(kernel.path)
    return file is not None and any(fnmatchcase(kernel.name, pattern) for pattern in file.kernels)


def _request(
    runs: _Runs, file: VerifyFile | None, texts: Mapping[str, Texts], options: VerifyOptions, machine: Machine
) -> KernelRequest:
    kernel = runs.original
    text = texts.get(kernel.path)
    fixed = _fixed(runs, text)
    first, last = _extent(text.original if text is not None else "", kernel)
    may = [place for place in text.may if first <= place[1] <= last] if text is not None else []
    return KernelRequest(
        path=kernel.path,
        shown=file.shown if file is not None else shown(kernel.path),
        kernel=kernel.name,
        line=first,
        end_line=last,
        attempts=(Attempt(kernel.arguments, "driver"),),
        original=text.original if text is not None else "",
        machine=machine,
        level=Level.RUN if options.level is None else options.level,
        wanted=options.level is not None,
        codes=text.codes if text is not None and fixed is not None else (),
        tir=kernel.tir,
        error=kernel.error,
        fixed_tir=fixed.tir if fixed is not None else None,
        fixed_error=fixed.error if fixed is not None else "",
        coerced_tir=runs.coerced.tir if runs.coerced is not None and fixed is not None else None,
        suspicions=suspicions(text.original, may) if text is not None and may else (),
        seconds=options.timeout,
        memory=options.memory,
        keep=options.keep is not None,
        seed=options.seed,
        reference=reference_of(file, kernel.name, options),
    )


def _extent(text: str, kernel: Captured) -> tuple[int, int]:
    """Return the lines of a kernel in the text of its file: of its factory, or of its function wherever that stands."""
    functions = _functions(text)
    found = [(first, last) for name, first, last in functions if name == kernel.name and first <= kernel.line <= last]
    found += [(first, last) for name, first, last in functions if not name and first == kernel.line]
    return found[0] if found else (kernel.line, kernel.line)


@functools.lru_cache(maxsize=4)
def _functions(text: str) -> list[tuple[str, int, int]]:
    """Return the name and the lines of each kernel of a text, and of each function, with "" for a name."""
    named = [(kernel.name, kernel.line, kernel.end_line) for kernel in kernels(text)]
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    firsts = [min([node.lineno, *(item.lineno for item in node.decorator_list)]) for node in nodes]
    return named + [("", first, node.end_lineno or first) for first, node in zip(firsts, nodes, strict=True)]


def _fixed(runs: _Runs, text: Texts | None) -> Captured | None:
    """Return the fixed kernel, None if no fix touches it."""
    if text is None or text.fixed == text.original or runs.fixed is None:
        return None
    return runs.fixed if touches(text.original, text.fixed, runs.original.name) else None
