"""TLC002: the coalesced_width of T.Parallel may be a Python int."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tl_lint.coalesced_width import judged
from tl_lint.int_imm import Verdict
from tl_lint.kernels import File
from tl_lint.messages import shortened_to_fit
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
        found = judged(file, node, Verdict.MAY_BE_INT)
        if found is None:
            return
        template = f"coalesced_width `{{}}` may be an int, on which T.{found.function} aborts; write `{{}}`"
        message = shortened_to_fit(template, file.code(found.arm.expression), found.instead)
        yield self.report(found.arm.carried.place, message, found.fix)
