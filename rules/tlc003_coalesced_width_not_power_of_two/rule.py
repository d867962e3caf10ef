"""TLC003: a coalesced_width is not a positive power of two."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tl_lint.coalesced_width import is_bad, width_of
from tl_lint.int_imm import arms_of, known_numbers
from tl_lint.kernels import File
from tl_lint.messages import shortened_to_fit
from tl_lint.rule import Report, Rule

_CHECKED_SINCE = ">=0.1.15"


class CoalescedWidthNotPowerOfTwo(Rule):
    """Up to 0.1.14 the planner divides by the width before it looks at it."""

    code = "TLC003"
    name = "coalesced-width-not-power-of-two"
    summary = "coalesced_width is not a positive power of two: the compiler aborts, dies, or uses another width"
    releases = ">=0.1.8"
    triggers = (b"coalesced_width",)

    def check(self, node: cst.CSTNode, file: File) -> Iterator[Report]:
        """Judge the width that a call of T.Parallel, T.copy, T.async_copy or T.copy_cluster reads."""
        width = width_of(file, node)
        for arm in arms_of(file, width) if width is not None else ():
            bad = [number for number in known_numbers(arm.values) if is_bad(number)]
            if bad:
                template = f"coalesced_width {{}} is no positive power of two: {_outcome(bad[0], file)}{{}}"
                message = shortened_to_fit(template, str(bad[0]), "; use 1, 2, 4 or 8")
                yield self.report(arm.carried.place, message)
                return


def _outcome(width: int, file: File) -> str:
    """Return what the targeted releases do with a bad width, as measured."""
    before = "SIGFPE kills TileLang" if width == 0 else "TileLang aborts"
    since = "aborts" if width <= 0 else "narrows it"
    if file.target.every(_CHECKED_SINCE):
        return f"TileLang {since}"
    if width < 0 or not file.target.holds(_CHECKED_SINCE):
        return before
    return f"{before} up to 0.1.14, then {'it ' if width == 0 else ''}{since}"
