"""TLC001: the coalesced_width of T.Parallel is not an IntImm."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tl_lint.arithmetic import Kind, Value
from tl_lint.int_imm import Verdict, first_wrong, wrap
from tl_lint.kernels import WIDTH_LOOPS, WIDTH_TAKERS, File, fitted
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
        assert isinstance(node, cst.Call)
        width = file.coalesced_width(node)
        if width is None or width.function not in WIDTH_LOOPS:
            return
        found = first_wrong(file, width, Verdict.IS_NOT)
        if found is None:
            return
        arm, arms = found
        fix = wrap(file, width, arms, WIDTH_TAKERS)
        value = arm.wrong[0]
        instead = file.code(fix.replacements[0].new[0]) if fix is not None else ""
        template = f"T.{width.function} aborts on coalesced_width `{{}}`, {_what(value)}; "
        template += "write `{}`" if instead else 'write e.g. T.IntImm("int32", 4){}'
        yield self.report(arm.carried.place, fitted(template, file.code(arm.expression), instead), fix)


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
