"""fix(source, settings): lint, splice the fixes that don't collide, and again until nothing is left to apply."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tl_lint.atomic import WriteError, write_atomically
from tl_lint.config import Settings
from tl_lint.engine import lint
from tl_lint.model import Diagnostic, Edit
from tl_lint.source import Source, SourceError
from tl_lint.stack import with_deep_stack

__all__ = ["Accept", "FixResult", "WriteError", "fix", "splice", "write_atomically"]

_MOST_ROUNDS = 10

Accept = Callable[[Source, Diagnostic], bool]
"""Whether the fix of a finding in the source may be made; asked in every round, of the text that it starts with."""


@dataclass(frozen=True)
class FixResult:
    """What fixing came to.

    `source` is the file after it, the same object if nothing was changed. `applied` counts the fixes by code,
    `remaining` are the findings of `source`. If the fixes were given up, `refused` names their codes and `reason` says
    why in one line.
    """

    source: Source
    applied: Counter[str] = field(default_factory=Counter)
    remaining: Sequence[Diagnostic] = ()
    refused: tuple[str, ...] = ()
    reason: str | None = None


class _GivenUp(Exception):
    """The fixes would make the file worse; the message says how."""


def _accept_all(source: Source, diagnostic: Diagnostic) -> bool:
    return True


def fix(source: Source, settings: Settings, accept: Accept = _accept_all) -> FixResult:
    """Apply every fix that may be applied: the safe ones, and with `settings.unsafe_fixes` the unsafe ones.

    Of those, `accept` picks the ones to make; the findings of the others remain.

    Nothing is written. Where a fix leaves text that doesn't parse or can't be encoded, doesn't come to an end, or
    brings a finding that was not there, the fixes of the other codes are tried without it.
    """
    before = lint(source, settings)
    wanted = {each.code for each in before if settings.applies(each.fix) and accept(source, each)}
    if not wanted:
        return FixResult(source, remaining=before)
    try:
        return _fixed(source, settings, before, wanted, accept)
    except _GivenUp as error:
        reason = str(error)
    refused: list[str] = []
    kept: set[str] = set()
    for code in sorted(wanted) if len(wanted) > 1 else ():
        try:
            _fixed(source, settings, before, kept | {code}, accept)
            kept.add(code)
        except _GivenUp as error:
            refused.append(code)
            reason = str(error)
    if not kept:
        return FixResult(source, remaining=before, refused=tuple(sorted(wanted)), reason=reason)
    result = _fixed(source, settings, before, kept, accept)
    return FixResult(result.source, result.applied, result.remaining, tuple(refused), reason)


def _fixed(
    source: Source, settings: Settings, before: Sequence[Diagnostic], codes: set[str], accept: Accept
) -> FixResult:
    """Fix the accepted findings of `codes`; raise _GivenUp if that makes the file worse."""
    applied: Counter[str] = Counter()
    seen = {source.text}
    current, found = source, before
    for _ in range(_MOST_ROUNDS):
        offered = [each for each in found if each.code in codes and settings.applies(each.fix)]
        chosen = _chosen(each for each in offered if accept(current, each))
        if not chosen:
            return FixResult(current, applied, found)
        text = splice(current.text, [edit for each in chosen if each.fix is not None for edit in each.fix.edits])
        if text in seen:
            raise _GivenUp("the fixes do not come to an end")
        seen.add(text)
        try:
            current = Source(source.path, source.encode(text))
            if current.text != text:  # as when a line in front moves the coding cookie out of reach
                raise _GivenUp("the fixed text would not be read back as it is written")
        except SourceError as error:
            raise _GivenUp(f"the fixed text can't be written: {error.message}") from None
        applied.update(each.code for each in chosen)
        found = lint(current, settings)
        _check(before, found)
        _parse(current)
    raise _GivenUp(f"the fixes do not come to an end in {_MOST_ROUNDS} rounds")


def _parse(source: Source) -> None:
    """Raise _GivenUp if `source` does not parse; `lint` does not look at a file that lost its triggers."""
    try:
        with_deep_stack(source.parse)
    except SourceError as error:
        raise _GivenUp(f"the fixed text does not parse: {error.message}") from None


def _chosen(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return those whose edits neither overlap nor touch one before; an edit that two share counts once."""
    taken: list[Edit] = []  # sorted
    chosen: list[Diagnostic] = []
    for each in sorted(diagnostics, key=lambda found: (found.span, found.code)):
        new = [edit for edit in each.fix.edits if edit not in taken[_neighbours(taken, edit)]] if each.fix else []
        ordered = sorted(new)
        if any(_collides([edit], following) for edit, following in pairwise(ordered)):
            raise _GivenUp(f"a fix of {each.code} has edits that collide")
        if any(_collides(taken[_neighbours(taken, edit)], edit) for edit in new):
            continue
        for edit in new:
            insort(taken, edit)
        chosen.append(each)
    return chosen


def _neighbours(taken: list[Edit], edit: Edit) -> slice:
    """Return the few edits of `taken`, sorted and apart from each other, that could collide with `edit`."""
    place = bisect_left(taken, edit)
    return slice(max(0, place - 1), place + 2)


def _collides(taken: Iterable[Edit], edit: Edit) -> bool:
    return any(edit.start <= other.end and other.start <= edit.end for other in taken)


def splice(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` with `edits` made; they do not overlap, and the same one given twice is made once."""
    parts: list[str] = []
    position = 0
    for edit in sorted(set(edits)):
        parts += [text[position : edit.start], edit.text]
        position = edit.end
    return "".join([*parts, text[position:]])


def _check(before: Sequence[Diagnostic], after: Sequence[Diagnostic]) -> None:
    gained = Counter(each.code for each in after) - Counter(each.code for each in before)
    for each in after:
        if each.code in gained:
            raise _GivenUp(f"the fixed text would have a new {each.code}: {each.message}")
