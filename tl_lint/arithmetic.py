"""Values that an expression can have, and what operators make of them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum
from itertools import product

import libcst as cst

__all__ = [
    "AUGMENTED",
    "EXPRESSION",
    "NONE",
    "OTHER",
    "TIR",
    "UNKNOWN",
    "Kind",
    "Possible",
    "Value",
    "binary",
    "combine",
    "comparison",
    "fold",
    "limited",
    "small",
    "unary",
    "without",
]

_MOST_VALUES = 64
_LARGEST = 1 << 64


class Kind(Enum):
    """What a value is to the code that reads it."""

    INT = "int"
    """A Python or numpy integer, or an IntEnum member."""
    BOOL = "bool"
    FLOAT = "float"
    STRING = "str"
    NONE = "None"
    INT_IMM = "IntImm"
    """An integer constant of TIR."""
    FLOAT_IMM = "FloatImm"
    """A float constant of TIR: no IntImm, but `T.int32` makes one of it."""
    TIR = "TIR expression"
    """Any other expression of TIR, such as a variable."""
    EXPRESSION = "IntImm or other TIR expression"
    """Made by TIR out of something unknown: never a Python number."""
    OTHER = "another object"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Value:
    """One possibility.

    `number` is its integer value if that is known (for BOOL, INT, INT_IMM, and for a variable made of an IntImm).
    `proved` is False where only an annotation, a default or some call sites say so: a caller could pass something else.
    `restorable` marks a name that the tracer made out of an IntImm: `T.int32(name)` is an IntImm again.
    `int32` is False for an IntImm of another integer type: the tracer makes a variable out of its name.
    """

    kind: Kind
    number: int | None = None
    proved: bool = True
    restorable: bool = False
    int32: bool = True


Possible = frozenset[Value]
"""All that an expression may be."""

UNKNOWN = Value(Kind.UNKNOWN)
NONE = Value(Kind.NONE)
TIR = Value(Kind.TIR)
EXPRESSION = Value(Kind.EXPRESSION)
OTHER = Value(Kind.OTHER)

_TIR_KINDS = (Kind.INT_IMM, Kind.FLOAT_IMM, Kind.TIR, Kind.EXPRESSION)
_INTEGERS = (Kind.INT, Kind.BOOL)

_FOLDING: dict[type[cst.CSTNode], Callable[[int, int], int]] = {
    cst.Add: operator.add,
    cst.Subtract: operator.sub,
    cst.Multiply: operator.mul,
    cst.FloorDivide: operator.floordiv,
    cst.Modulo: operator.mod,
    cst.LeftShift: operator.lshift,
    cst.RightShift: operator.rshift,
    cst.BitAnd: operator.and_,
    cst.BitOr: operator.or_,
    cst.BitXor: operator.xor,
    cst.Power: operator.pow,
}
_STAYS_INT_IMM = (
    cst.Add, cst.Subtract, cst.Multiply, cst.FloorDivide, cst.Modulo, cst.LeftShift, cst.RightShift, cst.BitAnd,
    cst.BitOr, cst.BitXor,
)  # fmt: skip
_STAYS_BOOL = (cst.BitAnd, cst.BitOr, cst.BitXor)


def limited(values: Iterable[Value]) -> Possible:
    """Return the values as a set of bounded size: what is left out is stood for by an integer of unknown value."""
    found = frozenset(values)
    if len(found) <= _MOST_VALUES:
        return found
    ranked = sorted(found, key=lambda each: (each.kind.value, each.number or 0, each.proved))
    kept = ranked[:_MOST_VALUES]
    return frozenset(kept) | {replace(each, number=None) for each in ranked[_MOST_VALUES:]}


def fold(operation: type[cst.CSTNode], left: int | None, right: int | None) -> int | None:
    """Return `left operation right` of two known integers, or None: unknown, undefined or too large to matter."""
    function = _FOLDING.get(operation)
    if function is None or left is None or right is None:
        return None
    if operation in (cst.LeftShift, cst.RightShift, cst.Power) and not 0 <= right <= 64:
        return None
    try:
        result = function(left, right)
    except (ArithmeticError, ValueError):
        return None
    return small(result)


def small(number: int) -> int | None:
    """Return `number` if it is of a size that a width or an extent can have, else None."""
    return number if abs(number) < _LARGEST else None


def binary(operation: type[cst.CSTNode], left: Value, right: Value) -> Value:
    """Return what a binary operator makes of two values."""
    kinds = (left.kind, right.kind)
    proved = left.proved and right.proved
    if any(kind in _TIR_KINDS for kind in kinds):
        return _binary_of_tir(operation, left, right)
    if Kind.STRING in kinds and operation in (cst.Add, cst.Multiply, cst.Modulo):
        return Value(Kind.STRING, proved=proved)
    if Kind.UNKNOWN in kinds:
        return UNKNOWN
    if any(kind not in (*_INTEGERS, Kind.FLOAT) for kind in kinds):
        return OTHER
    if Kind.FLOAT in kinds or operation is cst.Divide:
        return Value(Kind.FLOAT, proved=proved)
    if operation not in _FOLDING:
        return OTHER
    number = fold(operation, left.number, right.number)
    if kinds == (Kind.BOOL, Kind.BOOL) and operation in _STAYS_BOOL:
        return Value(Kind.BOOL, number, proved)
    if operation is cst.Power and right.number is not None and right.number < 0:
        return Value(Kind.FLOAT, proved=proved)
    return Value(Kind.INT, number, proved)


def _binary_of_tir(operation: type[cst.CSTNode], left: Value, right: Value) -> Value:
    kinds = (left.kind, right.kind)
    if any(kind in (Kind.NONE, Kind.STRING, Kind.OTHER) for kind in kinds):
        return OTHER
    if Kind.FLOAT_IMM in kinds and not any(kind in (Kind.TIR, Kind.EXPRESSION, Kind.UNKNOWN) for kind in kinds):
        return Value(Kind.FLOAT_IMM)
    if Kind.FLOAT in kinds or any(each.kind is Kind.TIR and not each.restorable for each in (left, right)):
        return TIR
    if Kind.TIR in kinds and not any(kind in (Kind.INT_IMM, Kind.EXPRESSION, Kind.UNKNOWN) for kind in kinds):
        return Value(Kind.TIR, proved=False, restorable=True)  # of an int, an int: of a variable, an expression
    if any(kind in (Kind.FLOAT_IMM, Kind.TIR, Kind.EXPRESSION, Kind.UNKNOWN) for kind in kinds):
        return EXPRESSION
    if operation not in _STAYS_INT_IMM:
        return OTHER
    return Value(
        Kind.INT_IMM,
        fold(operation, left.number, right.number),
        left.proved and right.proved,
        int32=left.int32 and right.int32,
    )


def unary(operation: type[cst.CSTNode], value: Value) -> Value:
    """Return what a unary operator makes of a value."""
    if operation is cst.Not:
        return value if value.kind in (Kind.TIR, Kind.EXPRESSION) else Value(Kind.BOOL, proved=value.proved)
    if value.kind is Kind.BOOL:
        value = replace(value, kind=Kind.INT)
    if value.kind is Kind.TIR or (value.kind is Kind.INT_IMM and operation is cst.BitInvert):
        return TIR  # `~` of an IntImm is a call, not a constant
    if value.kind not in (Kind.INT, Kind.INT_IMM) or value.number is None:
        return value
    if operation is cst.Minus:
        return replace(value, number=-value.number)
    return replace(value, number=~value.number) if operation is cst.BitInvert else value


def comparison(operands: Iterable[Value]) -> Value:
    """Return what a comparison of `operands` is: a bool, or what TIR makes of it."""
    kinds = {each.kind for each in operands}
    if Kind.TIR in kinds:
        return TIR
    if Kind.EXPRESSION in kinds or Kind.FLOAT_IMM in kinds:
        return EXPRESSION
    if Kind.INT_IMM in kinds:
        return EXPRESSION if Kind.UNKNOWN in kinds else Value(Kind.INT_IMM)
    return UNKNOWN if Kind.UNKNOWN in kinds else Value(Kind.BOOL)


def combine(function: Callable[..., Value], *operands: Possible) -> Possible:
    """Apply `function` to every choice of one value for each operand, as far as the number of choices stays small."""
    choices = 1
    for operand in operands:
        choices *= max(1, len(operand))
    if choices > 4096:
        operands = tuple(frozenset(replace(each, number=None) for each in operand) for operand in operands)
    return limited(function(*choice) for choice in product(*operands))


def without(values: Possible, facts: frozenset[str]) -> Possible:
    """Return `values` without those that a test excludes; what is no int and not known better is no Python number."""
    gone = {kind for fact in facts for kind in _EXCLUDED[fact]}
    found = {value for value in values if value.kind not in gone}
    if "zero" in facts and any(value.number == 0 for value in found):
        # Of a default of zero only the number goes: what a caller passes in its place is not known.
        given = {replace(value, number=None) for value in found if value.number == 0 and not value.proved}
        found = {value for value in found if value.number != 0} | given or {EXPRESSION}
    if "int" in facts and (UNKNOWN in found or not found):
        found = (found - {UNKNOWN}) | {EXPRESSION}
    return frozenset(found) or values


_EXCLUDED = {"None": (Kind.NONE,), "int": (Kind.INT, Kind.BOOL), "IntImm": (Kind.INT_IMM,), "zero": ()}


AUGMENTED: dict[type[cst.CSTNode], type[cst.CSTNode]] = {
    cst.AddAssign: cst.Add,
    cst.SubtractAssign: cst.Subtract,
    cst.MultiplyAssign: cst.Multiply,
    cst.FloorDivideAssign: cst.FloorDivide,
    cst.DivideAssign: cst.Divide,
    cst.ModuloAssign: cst.Modulo,
    cst.LeftShiftAssign: cst.LeftShift,
    cst.RightShiftAssign: cst.RightShift,
    cst.BitAndAssign: cst.BitAnd,
    cst.BitOrAssign: cst.BitOr,
    cst.BitXorAssign: cst.BitXor,
    cst.PowerAssign: cst.Power,
}
"""The binary operator of each augmented assignment."""
