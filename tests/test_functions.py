"""What functions return. The rows of the language are what TileLang 0.1.13 and 0.1.15 were seen to make of the call."""

from __future__ import annotations

import pytest

from tests.support import file_of, probe
from tl_lint.arithmetic import Kind, Value
from tl_lint.functions import INTEGER_DTYPE, returned

HEADER = """
import math, operator
import numpy as np
import tilelang
import tilelang.language as T
from tilelang import tvm
"""


def kinds(expression: str) -> set[Kind]:
    """Return the kinds of what `expression` can be in plain Python code."""
    file = file_of(f"{HEADER}\ndef body(n, unknown):\n    probe({expression})\n")
    return {value.kind for value in file.values.evaluate(probe(file.tree))}


def number(expression: str) -> int | None:
    file = file_of(f"{HEADER}\nprobe({expression})\n")
    (value,) = file.values.evaluate(probe(file.tree))
    return value.number


INT_IMMS = """
T.IntImm("int32", 4)
T.IntImm(T.int32, 4)
T.IntImm(dtype="int32", value=4)
T.IntImm(value=4, dtype="int64")
T.IntImm("int32", np.int32(4))
T.IntImm("int32", True)
T.IntImm("int32", unknown)
T.IntImm("bool", 1)
T.int4(4)
T.int8(4)
T.int16(4)
T.int32(4)
T.int64(4)
T.uint8(4)
T.uint16(4)
T.uint32(4)
T.uint64(4)
T.int(4)
T.uint(4)
T.long(4)
T.short(4)
T.bool(True)
T.boolean(True)
T.int32(True)
T.int32(4.0)
T.int32(np.int32(4))
T.int32(T.IntImm("int64", 4))
T.int32(2) + 2
2 + T.int32(2)
T.int32(2) * np.int32(2)
T.int32(2) == 2
T.int32(2) < 4
-T.int32(-4)
min(T.int32(2), T.int32(4))
max(T.int32(2), T.int32(4))
sum((T.int32(2), T.int32(2)))
T.min(4, 8)
T.max(2, 4)
T.ceildiv(8, 2)
T.floordiv(8, 2)
T.floormod(12, 8)
T.truncdiv(8, 2)
T.truncmod(12, 8)
T.shift_left(1, 2)
T.shift_right(8, 1)
T.bitwise_and(4, 7)
T.bitwise_or(4, 0)
T.bitwise_xor(5, 1)
T.abs(-4)
T.min(T.int32(4), 8)
T.cast(4, "int32")
T.cast(4.0, "int32")
T.cast(True, "int32")
T.cast(4, "int64")
T.cast(4, T.int32)
T.cast(T.int32(4), "int32")
T.cast(value=4, dtype="int32")
T.cast(dtype="int32", value=4)
tvm.tirx.const(4)
tvm.tirx.const(4, "int64")
tvm.tirx.IntImm("int32", 4)
tvm.tirx.expr.IntImm("int32", 4)
tilelang.tvm.tirx.IntImm("int32", 4)
tvm.tir.IntImm("int32", 4)
tvm.tir.const(4)
""".strip().splitlines()

OTHER_EXPRESSIONS = """
~T.int32(-5)
T.int32(4) + 0.0
T.bitwise_not(T.int32(-5))
T.log2(16)
T.sqrt(16)
T.exp2(2)
T.clz(4)
T.popcount(4)
T.Max(4, 2)
T.Min(4, 2)
T.Add(4, 2)
T.Mul(4, 2)
T.FloorDiv(4, 2)
T.Select(T.bool(True), 4, 2)
T.Cast("int32", 4)
T.Broadcast(4, 4)
T.cast(4, "float32")
T.float8_e4m3(4)
T.int32x4(4)
T.int32(None)
T.int32()
T.dynamic("n")
T.symbolic("n")
T.const("n")
T.Var("n", "int32")
T.infinity("float32")
T.StringImm("4")
T.FloatImm("float32", 4)
T.ceildiv(T.dynamic("n"), 2)
T.min(4, T.symbolic("n"))
T.max(4.0, 2)
tvm.tirx.const(4.0)
""".strip().splitlines()

UNDECIDED = """
T.min(unknown, 8)
T.ceildiv(unknown, 2)
T.int32(unknown)
T.cast(unknown, "int32")
T.cast(4, unknown)
T.some_function_of_the_future(4)
T.floor(4)
""".strip().splitlines()

INTS = """
int(unknown)
int("4")
int(T.int32(4))
len(unknown)
ord("a")
round(4.2)
round(4)
round(4, 1)
abs(-4)
abs(True)
pow(2, 2)
min(4, 8)
max((4, 8))
sum([2, 2])
math.gcd(8, 4)
math.ceil(unknown)
math.floor(3.5)
math.prod((2, 2))
math.isqrt(16)
operator.mul(2, 2)
operator.floordiv(8, 2)
np.int8(4)
np.int16(4)
np.int32(4)
np.int64(4)
np.uint8(4)
np.intp(4)
np.int_(4)
""".strip().splitlines()

ROWS = [
    *((expression, {Kind.INT_IMM}) for expression in INT_IMMS),
    *((expression, {Kind.TIR}) for expression in OTHER_EXPRESSIONS),
    *((expression, {Kind.EXPRESSION}) for expression in UNDECIDED),
    *((expression, {Kind.INT}) for expression in INTS),
    ("unknown(4)", {Kind.UNKNOWN}),
    ("unknown.method(4)", {Kind.UNKNOWN}),
    ("math.unknown(4)", {Kind.UNKNOWN}),
    ("min(unknown, 4)", {Kind.UNKNOWN}),
    ("abs(unknown)", {Kind.UNKNOWN}),
    ("round(unknown)", {Kind.UNKNOWN}),
    ("min(*unknown)", {Kind.UNKNOWN}),
    ("pow(2, 3, unknown)", {Kind.UNKNOWN}),
    # Python compares IntImms, and hands one of the two back
    ("max(T.int32(2), 4)", {Kind.INT}),
    ("max(T.int32(4), 2)", {Kind.INT_IMM}),
    ("max(T.int32(4), unknown)", {Kind.UNKNOWN}),
    # a keyword can choose another one
    ("max(4, 3, key=unknown)", {Kind.UNKNOWN}),
    ("round(4.4, ndigits=1)", {Kind.UNKNOWN}),
    ("float(4)", {Kind.FLOAT}),
    ("round(4.4, 1)", {Kind.FLOAT}),
    ("abs(-4.0)", {Kind.FLOAT}),
    ("min(4.0, 2.0)", {Kind.FLOAT}),
    ("pow(2, -1)", {Kind.FLOAT}),
    ("pow(2.0, 2)", {Kind.FLOAT}),
    ("math.sqrt(16)", {Kind.FLOAT}),
    ("math.log2(16)", {Kind.FLOAT}),
    ("np.float32(4)", {Kind.FLOAT}),
    ("T.float32(4)", {Kind.FLOAT_IMM}),
    ("T.float16(4)", {Kind.FLOAT_IMM}),
    ("T.bfloat16(4)", {Kind.FLOAT_IMM}),
    ("T.int32(T.float32(4))", {Kind.INT_IMM}),
    ("T.float32(unknown)", {Kind.TIR}),
    ("str(4)", {Kind.STRING}),
    ("bool(4)", {Kind.BOOL}),
    ("isinstance(4, int)", {Kind.BOOL}),
    ("any(unknown)", {Kind.BOOL}),
    ("np.bool_(True)", {Kind.BOOL}),
    ("list(unknown)", {Kind.OTHER}),
    ("range(4)", {Kind.OTHER}),
    ("dict(a=4)", {Kind.OTHER}),
    ("np.array([4])", {Kind.OTHER}),
]


@pytest.mark.parametrize(("expression", "expected"), ROWS, ids=[expression for expression, _ in ROWS])
def test_what_a_call_returns(expression: str, expected: set[Kind]) -> None:
    assert kinds(expression) == expected


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("T.int32(4)", 4),
        ("T.IntImm('int32', 0)", 0),
        ("T.IntImm(value=3, dtype='int32')", 3),
        ("T.cast(3, 'int32')", 3),
        ("T.ceildiv(7, 2)", 4),
        ("T.floordiv(7, 2)", 3),
        ("T.floormod(7, 4)", 3),
        ("T.min(3, 8)", 3),
        ("T.max(3, 8)", 8),
        ("T.shift_left(1, 3)", 8),
        ("T.abs(-4)", 4),
        ("T.ceildiv(7, 0)", None),
        ("min(3, 8)", 3),
        ("max((3, 8))", 8),
        ("sum([1, 2])", 3),
        ("math.prod((2, 3))", 6),
        ("abs(-3)", 3),
        ("pow(2, 3)", 8),
        ("int(3)", 3),
        ("int(True)", 1),
        ("int(T.int32(3))", 3),
        ("int('3')", None),
        ("round(3)", 3),
        ("round(3.2)", None),
        ("np.int32(3)", 3),
        ("operator.mul(2, 3)", 6),
        ("T.int32(T.int64(3))", 3),
        ("tvm.tirx.const(3)", 3),
    ],
)
def test_the_number_that_comes_out(expression: str, value: int | None) -> None:
    assert number(expression) == value


def test_a_function_that_nobody_knows() -> None:
    assert returned("some.function", [frozenset({Value(Kind.INT, 4)})], None) is None


def test_what_is_declared_is_not_proved() -> None:
    declared = Value(Kind.INT, proved=False)
    for function in ("builtins.abs", "builtins.int", "numpy.int32"):
        assert returned(function, [frozenset({declared})], None) == frozenset({declared})


@pytest.mark.parametrize("name", ["int8", "int32", "uint64", "bool"])
def test_integer_types(name: str) -> None:
    assert INTEGER_DTYPE.match(name)


@pytest.mark.parametrize("name", ["int32x4", "float32", "int31", "integer", ""])
def test_other_types(name: str) -> None:
    assert not INTEGER_DTYPE.match(name)
