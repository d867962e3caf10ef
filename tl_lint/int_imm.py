"""Whether what a call hands over is an IntImm, where C++ reads one and Python promises that an int will do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import libcst as cst

from tl_lint.arithmetic import Kind, Possible, Value
from tl_lint.calls import Annotated, Carried
from tl_lint.model import Applicability
from tl_lint.rule import FixPlan, Replacement
from tl_lint.spelling import Spelling, spell

if TYPE_CHECKING:
    from tl_lint.kernels import File

__all__ = ["Arm", "Verdict", "arms", "arms_of", "known_numbers", "wrap"]

_LARGEST_INT32 = 1 << 31
_FINE = (Kind.INT_IMM, Kind.EXPRESSION)
_NOT_JUDGED = (Kind.UNKNOWN, *_FINE)


class Verdict(Enum):
    """What is known of an expression that has to be an IntImm."""

    IS = "is an IntImm, or None where that is allowed"
    MAY_BE_INT = "nothing says what it is"
    IS_NOT = "is, or can be, something else"


@dataclass(frozen=True, eq=False)
class Arm:
    """One outcome of an expression: itself, or an arm of a conditional, with what it can be."""

    expression: cst.BaseExpression
    values: Possible
    carried: Carried

    @property
    def wrong(self) -> tuple[Value, ...]:
        """The possible values that are no IntImm, plainest first."""
        allowed = _NOT_JUDGED if self.carried.in_annotations else (Kind.NONE, *_NOT_JUDGED)
        found = [value for value in self.values if value.kind not in allowed]
        return tuple(sorted(found, key=lambda value: (value.kind is not Kind.INT, value.kind.value, value.number or 0)))

    @property
    def verdict(self) -> Verdict:
        if self.wrong:
            return Verdict.IS_NOT
        return Verdict.MAY_BE_INT if any(value.kind is Kind.UNKNOWN for value in self.values) else Verdict.IS


def arms(file: File, carried: Carried) -> Iterator[Arm]:
    """Yield the outcomes of what is handed over: a conditional expression is judged arm by arm."""
    stack = [carried.value]
    while stack:
        expression = stack.pop()
        if isinstance(expression, cst.IfExp) and not file.values.is_traced_condition(expression):
            stack += [expression.orelse, expression.body]
        else:
            yield Arm(expression, file.values.evaluate(expression), carried)


def arms_of(file: File, annotated: Annotated) -> list[Arm]:
    """Return the outcomes of everything that a call reads for an annotation."""
    return [arm for carried in annotated.read for arm in arms(file, carried)]


def known_numbers(values: Possible) -> list[int]:
    """Return the integers that are among `values`, bare, in an IntImm, or in a name that the tracer made of one."""
    return sorted(
        value.number
        for value in values
        if value.number is not None and (value.kind in (Kind.INT, Kind.INT_IMM) or value.restorable)
    )


def wrap(
    file: File,
    annotated: Annotated,
    found: list[Arm],
    takers: frozenset[str],
    is_bad: Callable[[int], bool],
) -> FixPlan | None:
    """Return the fix that makes an IntImm of every arm in `found`, or None if one of them can't be made one.

    `takers` are the functions of the language that read the annotation, `is_bad` tells numbers that none should get.
    """
    replacements: list[Replacement] = []
    applicability = Applicability.SAFE
    for arm in found:
        wrapped = None if any(map(is_bad, known_numbers(arm.values))) else _wrapped(file, annotated, arm)
        if wrapped is None:
            return None
        new, how_far = wrapped
        shared = all(file.calls.serves_only(binding, takers) for binding in arm.carried.shared)
        if how_far is Applicability.UNSAFE or not shared or _has_another_name(file, annotated, arm.expression):
            applicability = Applicability.UNSAFE
        replacements += [each for each in new if each.old not in [known.old for known in replacements]]
    title = f"Replace with `{file.code(replacements[0].new[0])}`"
    return FixPlan(title, tuple(replacements), applicability)


def _wrapped(file: File, annotated: Annotated, arm: Arm) -> tuple[list[Replacement], Applicability] | None:
    values = arm.values
    kinds = {value.kind for value in values}
    if any(value.kind not in (Kind.INT, Kind.NONE, *_NOT_JUDGED) and not value.restorable for value in values):
        return None
    if Kind.NONE in kinds and (arm.carried.in_annotations or not isinstance(arm.expression, (cst.Name, cst.Attribute))):
        return None
    if any(not -_LARGEST_INT32 <= number < _LARGEST_INT32 for number in known_numbers(values)):
        return None
    proved = kinds == {Kind.INT} and all(value.proved for value in values)
    proved = proved and not _is_in_string(file, arm.expression)
    spelling = spell(file.names, "IntImm" if proved else "int32", annotated.callee, arm.expression)
    if spelling is None:
        return None
    certain = all(value.kind in (Kind.INT, Kind.INT_IMM) or (value.restorable and value.proved) for value in values)
    new = _call(spelling, arm.expression, proved)
    if Kind.NONE in kinds:
        new = _guarded(new, arm.expression)
        around = file.tree.parents[arm.expression]
        if isinstance(around, cst.IfExp) and around.body is arm.expression:
            new = new.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    replacements = [Replacement(arm.expression, (new,)), *spelling.imports]
    return replacements, Applicability.SAFE if certain else Applicability.UNSAFE


def _has_another_name(file: File, annotated: Annotated, expression: cst.BaseExpression) -> bool:
    """Return whether an assignment gives what holds `expression` to more than one target: `ann["key"] = n = 4`."""
    for ancestor, _ in file.tree.ancestors(expression):
        if ancestor is annotated.call or isinstance(ancestor, cst.BaseCompoundStatement):
            return False
        if isinstance(ancestor, cst.Assign):
            return len(ancestor.targets) > 1
    return False


def _is_in_string(file: File, expression: cst.BaseExpression) -> bool:
    """Return whether `expression` stands in an f-string, where up to Python 3.11 a second pair of quotes ends it."""
    return any(isinstance(ancestor, cst.BaseFormattedStringContent) for ancestor, _ in file.tree.ancestors(expression))


def _call(spelling: Spelling, expression: cst.BaseExpression, proved: bool) -> cst.BaseExpression:
    bare = not isinstance(expression, cst.Yield)  # the one expression that needs brackets even as an argument
    argument = cst.Arg(expression.with_changes(lpar=(), rpar=()) if bare else expression)
    if proved:
        return spelling.called_with(cst.Arg(cst.SimpleString('"int32"')), argument)
    return spelling.called_with(argument)


def _guarded(new: cst.BaseExpression, expression: cst.BaseExpression) -> cst.BaseExpression:
    bare = expression.with_changes(lpar=(), rpar=())
    test = cst.Comparison(bare, [cst.ComparisonTarget(cst.IsNot(), cst.Name("None"))])
    return cst.IfExp(test=test, body=new, orelse=cst.Name("None"))
