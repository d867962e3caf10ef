"""Which fixes of a file were verified, what it reads with them made, and the writing of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tl_lint.fixer import fix, splice
from tl_lint.verify.found import kernels
from tl_lint.verify.model import FoundKernel, Row, Verdict
from tl_lint.verify.touched import touches

if TYPE_CHECKING:
    from tl_lint.model import Diagnostic
    from tl_lint.source import Source
    from tl_lint.verify.options import VerifyFile

__all__ = ["Applied", "LeftFix", "apply", "planned"]

_PROVED = (Verdict.FIX_CONFIRMED, Verdict.FIX_HARMLESS)


@dataclass(frozen=True)
class LeftFix:
    """A fix that was not made: the code and the line (from 1) of its finding in the text as written, and why not."""

    code: str
    line: int
    reason: str


@dataclass(frozen=True)
class Applied:
    """What became of the fixes of one file.

    `made` counts the fixes by code; `before` and `after` are the file's bytes, None where nothing changes. `trouble`
    says in one line why the file was left as it was although there was something to fix, "" if it was not; `unwritten`
    that the reason is that it could not be written.
    """

    path: str
    shown: str
    made: dict[str, int] = field(default_factory=dict)
    before: bytes | None = None
    after: bytes | None = None
    left: tuple[LeftFix, ...] = ()
    trouble: str = ""
    unwritten: bool = False

    @property
    def says_something(self) -> bool:
        """Return whether there was anything to fix."""
        return bool(self.made or self.left or self.trouble)


def apply(file: VerifyFile, rows: Iterable[Row], write: Callable[[str, bytes, bytes], None]) -> Applied:
    """Write the verified fixes of `file` with `write`, such as `write_atomically`, and return what became of them.

    `rows` are those of this file. Does not raise: a file that cannot be written is trouble.
    """
    plan = planned(file, rows)
    if plan.before is None or plan.after is None:
        return plan
    try:
        write(plan.path, plan.after, plan.before)
    except OSError as error:  # a WriteError has its reason as its text
        why = f"cannot be written: {error.strerror or error}"
        return replace(plan, made={}, before=None, after=None, left=(), trouble=why, unwritten=True)
    return plan


def planned(file: VerifyFile, rows: Iterable[Row]) -> Applied:
    """Return what the verified fixes make of `file`; nothing is written.

    One rejected fix leaves the whole file as it is. Otherwise a fix is made if it stands in a kernel all of whose rows
    that had a result were confirmed or harmless, or, outside of all kernels, if it changes what such a kernel uses.
    """
    verdicts: dict[str, set[Verdict]] = defaultdict(set)
    for row in rows:
        verdicts[row.kernel].add(row.verdict)
    nothing = Applied(file.path, file.shown)
    rejected = [name for name, those in verdicts.items() if Verdict.FIX_REJECTED in those]
    if rejected:
        return replace(nothing, trouble=f"a fix was rejected: {', '.join(rejected)}")
    judge = _Judge(verdicts)
    result = fix(file.source, file.settings, judge.accepts)
    wanted = [each for each in result.remaining if file.settings.applies(each.fix)]
    left = tuple(
        LeftFix(each.code, result.source.position(each.span.start).line, judge.reason(result.source, each))
        for each in wanted
        if each.code not in result.refused
    )
    if result.refused and not result.applied:
        return replace(nothing, left=left, trouble=f"no fix made for {', '.join(result.refused)}: {result.reason}")
    if result.source.data == file.source.data:
        return replace(nothing, left=left)
    left += tuple(LeftFix(code, 0, result.reason or "given up") for code in result.refused)
    return replace(nothing, made=dict(result.applied), before=file.source.data, after=result.source.data, left=left)


class _Judge:
    """Decides for a finding whether its fix was verified."""

    def __init__(self, verdicts: dict[str, set[Verdict]]) -> None:
        self._verdicts = verdicts
        self._proved = [name for name, those in verdicts.items() if those & set(_PROVED) and Verdict.FAILS not in those]

    def accepts(self, source: Source, finding: Diagnostic) -> bool:
        """Return whether the fix of `finding`, one of `source`, was part of a kernel that was verified."""
        return not self.reason(source, finding)

    def reason(self, source: Source, finding: Diagnostic) -> str:
        """Return why the fix of `finding` is not to be made, "" if it is."""
        around = _innermost(kernels(source.text, source.path), source.position(finding.span.start).line)
        if around is not None:
            return "" if around.name in self._proved else self._said_of(around.name)
        if self._touches_proved(source, finding):
            return ""
        return "it touches no kernel that was verified"

    def _said_of(self, name: str) -> str:
        those = self._verdicts.get(name)
        if not those:
            return f"{name} was not verified"
        return f"{name} is {', '.join(sorted(verdict.value for verdict in those))}"

    def _touches_proved(self, source: Source, finding: Diagnostic) -> bool:
        after = splice(source.text, finding.fix.edits if finding.fix is not None else ())
        try:
            return any(touches(source.text, after, name) for name in self._proved)
        except SyntaxError:  # by itself the fix would not parse: not what was verified
            return False


def _innermost(found: Sequence[FoundKernel], line: int) -> FoundKernel | None:
    around = [kernel for kernel in found if kernel.line <= line <= kernel.end_line]
    return max(around, key=lambda kernel: kernel.line, default=None)
