"""What operators make of values: against Python for ints, and against what TileLang was seen to make of IntImms."""

from __future__ import annotations

import operator
from collections.abc import Callable

import libcst as cst
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tl_lint.arithmetic import (
    EXPRESSION,
    NONE,
    OTHER,
    TIR,
    UNKNOWN,
    Kind,
    Value,
    binary,
    combine,
    comparison,
    fold,
    limited,
    small,
    unary,
)

INT, BOOL, FLOAT, TEXT, IMM = (Value(kind) for kind in (Kind.INT, Kind.BOOL, Kind.FLOAT, Kind.STRING, Kind.INT_IMM))
FOUR, TWO = Value(Kind.INT, 4), Value(Kind.INT, 2)
TRUE = Value(Kind.BOOL, 1)
FOUR_IMM = Value(Kind.INT_IMM, 4)

OPERATORS: dict[type[cst.CSTNode], Callable[[int, int], object]] = {
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
    cst.Divide: operator.truediv,
}
NUMBERS = st.integers(-70, 70)


@given(st.sampled_from(list(OPERATORS)), NUMBERS, NUMBERS)
def test_ints_as_python_computes_them(operation: type[cst.CSTNode], left: int, right: int) -> None:
    result = binary(operation, Value(Kind.INT, left), Value(Kind.INT, right))
    try:
        true = OPERATORS[operation](left, right)
    except (ArithmeticError, ValueError):
        assert result.number is None
        return
    assert result.kind is (Kind.FLOAT if isinstance(true, float) else Kind.INT)
    assert result.number in (None, true)
    if isinstance(true, int) and abs(true) < 1 << 64 and (operation not in (cst.LeftShift, cst.Power) or right <= 64):
        assert result.number == (None if operation is cst.RightShift and right > 64 else true)


@given(st.sampled_from(list(OPERATORS)), st.booleans(), st.one_of(st.booleans(), NUMBERS))
def test_bools_as_python_computes_them(operation: type[cst.CSTNode], left: bool, right: int) -> None:
    def value(number: int) -> Value:
        return Value(Kind.BOOL if isinstance(number, bool) else Kind.INT, int(number))

    try:
        true = OPERATORS[operation](left, right)
    except (ArithmeticError, ValueError):
        return
    kinds = {bool: Kind.BOOL, int: Kind.INT, float: Kind.FLOAT}
    assert binary(operation, value(left), value(right)).kind is kinds[type(true)]


@pytest.mark.parametrize(
    ("operation", "left", "right"),
    [
        (cst.LeftShift, 1, 10**12),
        (cst.Power, 9, 10**12),
        (cst.RightShift, 1, -1),
        (cst.FloorDivide, 1, 0),
        (cst.Modulo, 1, 0),
        (cst.Multiply, 1 << 40, 1 << 40),
        (cst.MatrixMultiply, 1, 1),
        (cst.Add, None, 1),
    ],
)
def test_what_is_not_folded(operation: type[cst.CSTNode], left: int | None, right: int | None) -> None:
    assert fold(operation, left, right) is None


@pytest.mark.parametrize(
    ("operation", "left", "right", "result"),
    [
        # of Python values
        (cst.Add, FOUR, FLOAT, FLOAT),
        (cst.Divide, FOUR, TWO, FLOAT),
        (cst.Power, TWO, Value(Kind.INT, -1), FLOAT),
        (cst.Multiply, TEXT, FOUR, TEXT),
        (cst.Modulo, TEXT, UNKNOWN, TEXT),
        (cst.Add, FOUR, UNKNOWN, UNKNOWN),
        (cst.Add, FOUR, NONE, OTHER),
        (cst.Multiply, OTHER, FOUR, OTHER),
        (cst.MatrixMultiply, FOUR, FOUR, OTHER),
        # of an IntImm, measured: these stay one, whichever side it is on
        (cst.Add, FOUR_IMM, TWO, Value(Kind.INT_IMM, 6)),
        (cst.Add, TWO, FOUR_IMM, Value(Kind.INT_IMM, 6)),
        (cst.Subtract, FOUR_IMM, TWO, Value(Kind.INT_IMM, 2)),
        (cst.Multiply, FOUR_IMM, TRUE, Value(Kind.INT_IMM, 4)),
        (cst.FloorDivide, FOUR_IMM, FOUR_IMM, Value(Kind.INT_IMM, 1)),
        (cst.Modulo, FOUR_IMM, TWO, Value(Kind.INT_IMM, 0)),
        (cst.LeftShift, TWO, FOUR_IMM, Value(Kind.INT_IMM, 32)),
        (cst.RightShift, FOUR_IMM, TWO, Value(Kind.INT_IMM, 1)),
        (cst.BitAnd, FOUR_IMM, TWO, Value(Kind.INT_IMM, 0)),
        (cst.BitOr, FOUR_IMM, TWO, Value(Kind.INT_IMM, 6)),
        (cst.BitXor, FOUR_IMM, FOUR, Value(Kind.INT_IMM, 0)),
        # and these don't: they raise, or make a float of it
        (cst.Divide, FOUR_IMM, TWO, OTHER),
        (cst.Power, FOUR_IMM, TWO, OTHER),
        (cst.Add, FOUR_IMM, TEXT, OTHER),
        (cst.Add, FOUR_IMM, NONE, OTHER),
        (cst.Add, FOUR_IMM, FLOAT, TIR),
        # of expressions
        (cst.Add, TIR, FOUR, TIR),
        (cst.Add, FOUR_IMM, TIR, TIR),
        (cst.Add, UNKNOWN, TIR, TIR),
        (cst.Add, FOUR_IMM, UNKNOWN, EXPRESSION),
        (cst.Add, EXPRESSION, FOUR, EXPRESSION),
        (cst.Add, EXPRESSION, FLOAT, TIR),
    ],
)
def test_binary_operators(operation: type[cst.CSTNode], left: Value, right: Value, result: Value) -> None:
    assert binary(operation, left, right) == result


@pytest.mark.parametrize(
    ("operation", "value", "result"),
    [
        (cst.Minus, FOUR, Value(Kind.INT, -4)),
        (cst.Plus, FOUR, FOUR),
        (cst.BitInvert, FOUR, Value(Kind.INT, -5)),
        (cst.Minus, TRUE, Value(Kind.INT, -1)),
        (cst.Plus, TRUE, Value(Kind.INT, 1)),
        (cst.BitInvert, TRUE, Value(Kind.INT, -2)),
        (cst.Minus, FLOAT, FLOAT),
        (cst.Minus, UNKNOWN, UNKNOWN),
        (cst.Minus, FOUR_IMM, Value(Kind.INT_IMM, -4)),
        (cst.BitInvert, FOUR_IMM, TIR),  # a call that is not folded
        (cst.Minus, TIR, TIR),
        (cst.Not, FOUR, BOOL),
        (cst.Not, UNKNOWN, BOOL),
        (cst.Not, FOUR_IMM, BOOL),
        (cst.Not, TIR, TIR),
    ],
)
def test_unary_operators(operation: type[cst.CSTNode], value: Value, result: Value) -> None:
    assert unary(operation, value) == result


@pytest.mark.parametrize(
    ("operands", "result"),
    [
        ([FOUR, TWO], BOOL),
        ([FOUR, NONE], BOOL),
        ([FOUR, UNKNOWN], UNKNOWN),
        ([FOUR_IMM, TWO], IMM),
        ([FOUR_IMM, UNKNOWN], EXPRESSION),
        ([FOUR_IMM, TIR], TIR),
        ([EXPRESSION, FOUR], EXPRESSION),
    ],
)
def test_comparisons(operands: list[Value], result: Value) -> None:
    assert comparison(operands) == result


def test_what_is_not_proved_stays_so() -> None:
    declared = Value(Kind.INT, proved=False)
    assert binary(cst.Add, declared, FOUR) == declared
    assert unary(cst.Minus, declared) == declared


def test_the_number_of_values_stays_small_and_no_kind_is_lost() -> None:
    many = {Value(Kind.INT, number) for number in range(1000)} | {NONE, FLOAT}
    few = limited(many)
    assert len(few) < 100
    assert {value.kind for value in few} == {Kind.INT, Kind.NONE, Kind.FLOAT}
    assert Value(Kind.INT) in few


def test_combining_tries_every_choice() -> None:
    left, right = frozenset({FOUR, TWO}), frozenset({TWO, NONE})
    found = combine(lambda one, two: binary(cst.Add, one, two), left, right)
    assert found == {Value(Kind.INT, 6), Value(Kind.INT, 4), OTHER}


def test_combining_many_values_is_bounded() -> None:
    many = frozenset(Value(Kind.INT, number) for number in range(64))
    calls = 0

    def count(*values: Value) -> Value:
        nonlocal calls
        calls += 1
        return values[0]

    assert combine(count, many, many, many) == {INT}
    assert calls == 1


def test_numbers_that_no_width_can_have_are_forgotten() -> None:
    assert small(1 << 63) == 1 << 63
    assert small(1 << 64) is None
    assert small(-(1 << 64)) is None
