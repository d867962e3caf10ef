"""TLC001: the coalesced_width of T.Parallel is not an IntImm."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tl_lint.arithmetic import Kind, Value
from tl_lint.coalesced_width import judged
from tl_lint.int_imm import Verdict
from tl_lint.kernels import File
from tl_lint.messages import shortened_to_fit
from tl_lint.model import Applicability
from tl_lint.rule import Report, Rule


class CoalescedWidthNotIntImm(Rule):
    """C++ reads the annotation with `as<IntImmNode>()`, and a Python number reaches it as it is."""

    code = "TLC001"
    name = "coalesced-width-not-intimm"
    summary = "coalesced_width of T.Parallel is not an IntImm, so compilation aborts"
    releases = ">=0.1.8"
    triggers = (b"coalesced_width",)
    fixable = Applicability.SAFE

    def check(self, node: cst.CSTNode, file: File) -> Iterator[Report]:
        """Judge the width that a call of T.Parallel reads."""
        found = judged(file, node, Verdict.IS_NOT)
        if found is None:
            return
        arm, value = found.arm, found.arm.wrong[0]
        example = "" if found.fix is not None else "e.g. "
        template = f"T.{found.function} aborts on coalesced_width `{{}}`, {_what(value)}; write {example}`{{}}`"
        message = shortened_to_fit(template, file.code(arm.expression), found.instead)
        yield self.report(arm.carried.place, message, found.fix)


def _what(value: Value) -> str:
    if value.restorable:
        return "a traced name"
    return _KINDS.get(value.kind, f"a {value.kind.value}")


_KINDS = {
    Kind.INT: "a Python int",
    Kind.NONE: "None in annotations",
    Kind.TIR: "not a constant integer",
    Kind.OTHER: "not an integer",
}
