"""TLC001: the coalesced_width of T.Parallel is not an IntImm."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tl_lint.arithmetic import Kind, Value
from tl_lint.int_imm import Verdict, first_wrong, wrap
from tl_lint.kernels import WIDTH_TAKERS, File
from tl_lint.rule import Report, Rule


class CoalescedWidthNotIntImm(Rule):
    """C++ reads the annotation with `as<IntImmNode>()`, and a Python number reaches it as it is."""

    code = "TLC001"
    name = "coalesced-width-not-intimm"
    summary = "coalesced_width of T.Parallel is not an IntImm, so compilation aborts"
    releases = ">=0.1.8"
    triggers = (b"coalesced_width",)
    fixable = True

    def check(self, node: cst.CSTNode, file: File) -> Iterator[Report]:
        """Judge the width that a call of T.Parallel reads."""
        assert isinstance(node, cst.Call)
        width = file.coalesced_width(node)
        if width is None or width.function != "Parallel":
            return
        found = first_wrong(file, width, Verdict.IS_NOT)
        if found is None:
            return
        arm, arms = found
        fix = wrap(file, width, arms, WIDTH_TAKERS)
        instead = fix.title.replace("Replace with", "write") if fix is not None else _instead(arm.wrong[0])
        message = f"T.Parallel aborts on coalesced_width `{file.code(arm.expression)}`, {_what(arm.wrong[0])}; {instead}"
        yield self.report(arm.carried.place, message, fix)


def _what(value: Value) -> str:
    if value.restorable:
        return "a name bound under tracing"
    return {
        Kind.INT: "a Python int" if value.proved else "an int",
        Kind.NONE: "None in annotations",
        Kind.TIR: "not a constant integer",
        Kind.OTHER: "not an integer",
    }.get(value.kind, f"a {value.kind.value}")


def _instead(value: Value) -> str:
    if value.kind is Kind.NONE:
        return "leave the key out"
    return 'write T.IntImm("int32", N) with N a power of two'
