"""From files to the requests of their kernels: what is found, what the fixes change, which arguments to try."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from tl_lint.fixer import fix
from tl_lint.source import SourceError
from tl_lint.tables import nearest
from tl_lint.verify.arguments import attempts, comments, unreadable_comments
from tl_lint.verify.found import kernels
from tl_lint.verify.machine import VerifyError
from tl_lint.verify.model import FoundKernel, Level
from tl_lint.verify.options import VerifyFile, VerifyOptions
from tl_lint.verify.requests import KernelRequest, Machine
from tl_lint.verify.suspicions import suspicions
from tl_lint.verify.touched import touches

__all__ = ["Texts", "planned", "reference_of", "texts_of", "unknown_names"]

_MAY = ("TLC002",)
"""Codes of the findings that only the traced kernel can settle."""


@dataclass(frozen=True)
class Texts:
    """A file before and after its fixes, the codes that these had, and the findings that say "may" (see suspicions)."""

    original: str
    fixed: str
    codes: tuple[str, ...]
    may: tuple[tuple[str, int, bool], ...]


def planned(options: VerifyOptions, machine: Machine) -> list[KernelRequest]:
    """Return a request for each kernel of the files and each set of arguments, in their order.

    Raises VerifyError for a --call that fits no kernel.
    """
    level = Level.RUN if options.level is None else options.level
    requests: list[KernelRequest] = []
    called: set[str] = set()
    known: list[str] = []
    for file in options.files:
        found = _found(file)
        known += [kernel.name for kernel in found]
        chosen = _chosen(file, found)
        if not chosen:
            continue
        called |= {call for call in options.calls for kernel in chosen if _calls(call, kernel)}
        requests += _of_file(file, chosen, options, machine, level)
    for call in options.calls:
        if call not in called:
            raise VerifyError(f"--call {call}: no such kernel{nearest(_callee(call), known)}")
    return requests


def unknown_names(options: VerifyOptions) -> list[str]:
    """Return, a line each, the comments and the entries of pyproject.toml that are of no kernel of their file."""
    said = []
    for file in options.files:
        known = [kernel.name for kernel in _found(file)]
        said += [
            f"{file.shown}: a comment is no call of a kernel, such as NAME(M=1024): {written}"
            for written in unreadable_comments(file.source.text)
        ]
        places = [("a comment", name) for name, _ in comments(file.source.text)]
        places += [("pyproject.toml", entry.name) for entry in file.configured]
        said += [
            f"{file.shown}: {place} names {name}, which is no kernel of this file{nearest(name, known)}"
            for place, name in dict.fromkeys(places)
            if name not in known
        ]
    return said


def _found(file: VerifyFile) -> list[FoundKernel]:
    try:
        return kernels(file.source.text, file.path)
    except (SourceError, SyntaxError, ValueError) as error:
        raise VerifyError(f"{file.shown}: {getattr(error, 'message', error)}") from None


def _chosen(file: VerifyFile, found: Sequence[FoundKernel]) -> list[FoundKernel]:
    if not file.kernels:
        return list(found)
    return [kernel for kernel in found if any(fnmatchcase(kernel.name, pattern) for pattern in file.kernels)]


def _callee(call: str) -> str:
    return call.partition("(")[0].strip()


def _calls(call: str, kernel: FoundKernel) -> bool:
    return _callee(call) == kernel.name


def _of_file(
    file: VerifyFile, chosen: Sequence[FoundKernel], options: VerifyOptions, machine: Machine, level: Level
) -> Iterator[KernelRequest]:
    texts = texts_of(file)
    configured = [(entry.name, entry.arguments) for entry in file.configured if entry.arguments is not None]
    for kernel in chosen:
        touched = texts.fixed != texts.original and touches(texts.original, texts.fixed, kernel.name)
        may = [place for place in texts.may if kernel.line <= place[1] <= kernel.end_line]
        request = KernelRequest(
            path=file.path,
            shown=file.shown,
            kernel=kernel.name,
            line=kernel.line,
            end_line=kernel.end_line,
            attempts=(),
            original=texts.original,
            machine=machine,
            level=level,
            wanted=options.level is not None,
            fixed=texts.fixed if touched else None,
            codes=texts.codes if touched else (),
            suspicions=suspicions(texts.original, may) if may else (),
            seconds=options.timeout,
            memory=options.memory,
            keep=options.keep is not None,
            seed=options.seed,
            reference=reference_of(file, kernel.name, options),
        )
        calls = [call for call in options.calls if _calls(call, kernel)]
        for alternatives in attempts(texts.original, kernel, calls, configured):
            yield replace(request, attempts=tuple(alternatives))


def reference_of(file: VerifyFile | None, kernel: str, options: VerifyOptions) -> str | None:
    """Return the reference of a kernel, a dotted name: its own in pyproject, else that for all."""
    configured = file.configured if file is not None else ()
    own = [entry.reference for entry in configured if entry.name == kernel and entry.reference]
    return own[0] if own else options.reference


def texts_of(file: VerifyFile) -> Texts:
    """Return a file as it is and with its fixes made, by its own settings. Raises VerifyError if it can't be read."""
    result = fix(file.source, file.settings)
    may = [each for each in result.remaining if each.code in _MAY]
    # Fixes keep the number of lines but for an import that they need, so the places are looked up before them.
    if result.applied:
        from tl_lint.engine import lint

        may = [each for each in lint(file.source, file.settings) if each.code in _MAY]
    places = tuple(
        (
            each.code,
            file.source.position(each.span.start).line,
            not file.settings.applies(each.fix) and each.fix is not None,
        )
        for each in may
    )
    return Texts(file.source.text, result.source.text, tuple(sorted(result.applied)), places)
