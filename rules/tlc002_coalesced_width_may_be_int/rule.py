"""TLC002: the coalesced_width of T.Parallel may be a Python int."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tl_lint.int_imm import Verdict, first_wrong, wrap
from tl_lint.kernels import WIDTH_LOOPS, WIDTH_TAKERS, File, fitted
from tl_lint.model import Applicability
from tl_lint.rule import Report, Rule


class CoalescedWidthMayBeInt(Rule):
    """Nothing in the file says what the value is; if a caller passes the int that the signature asks for, it aborts."""

    code = "TLC002"
    name = "coalesced-width-may-be-int"
    summary = "coalesced_width of T.Parallel may be a Python int, and compilation would abort"
    releases = ">=0.1.8"
    triggers = (b"coalesced_width",)
    fixable = Applicability.UNSAFE

    def check(self, node: cst.CSTNode, file: File) -> Iterator[Report]:
        """Judge the width that a call of T.Parallel reads."""
        assert isinstance(node, cst.Call)
        width = file.coalesced_width(node)
        if width is None or width.function not in WIDTH_LOOPS:
            return
        found = first_wrong(file, width, Verdict.MAY_BE_INT)
        if found is None:
            return
        arm, arms = found
        fix = wrap(file, width, arms, WIDTH_TAKERS)
        instead = file.code(fix.replacements[0].new[0]) if fix is not None else "T.int32(...)"
        template = f"coalesced_width `{{}}` may be an int, on which T.{width.function} aborts; write `{{}}`"
        yield self.report(arm.carried.place, fitted(template, file.code(arm.expression), instead), fix)
