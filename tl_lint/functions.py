"""What the functions return that kernels compute widths with: builtins, math, numpy, and those of the language."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import libcst as cst

from tl_lint.arithmetic import EXPRESSION, OTHER, TIR, UNKNOWN, Kind, Possible, Value, binary, combine, fold
from tl_lint.names import LANGUAGE, words

__all__ = ["INTEGER_DTYPE", "returned"]

INTEGER_DTYPE = re.compile(r"(u?int(4|8|16|32|64)?|long|short|bool|boolean)$")
"""The integer types of the language: `T.int32(4)` and the like are IntImms, `T.bool(True)` too (0.1.13, 0.1.15)."""
_NUMPY_INTEGER = re.compile(r"(u?int(8|16|32|64|p|c|_)?|u?(byte|short|long|longlong)|intc|int_|integer)$")
_FLOAT_DTYPE = re.compile(r"b?float(16|32|64)?$")
_NUMBERS = (Kind.INT, Kind.BOOL, Kind.FLOAT, Kind.INT_IMM, Kind.FLOAT_IMM)
_OTHER_DTYPE = re.compile(r"(float|bfloat|tfloat|bool|handle|u?int)\w*$")
_NO_CONSTANT = words(
    "dynamic symbolic const Var alloc_var get_thread_binding thread_binding infinity StringImm FloatImm round log log2"
    " log10 sqrt rsqrt exp exp2 exp10 sin cos tan tanh sigmoid clz popcount bitwise_not Add Sub Mul Div Mod FloorDiv"
    " FloorMod Max Min Select Cast Broadcast Ramp"
)
"""Functions of the language whose result is no integer constant whatever they are given (0.1.13, 0.1.15)."""

_ALWAYS_INT = words(
    "builtins.int builtins.len builtins.ord builtins.hash builtins.id math.gcd math.lcm math.ceil"
    " math.floor math.trunc math.isqrt math.comb math.perm math.factorial operator.index"
    " tilelang.cdiv tilelang.next_power_of_2"
)
_ALWAYS_FLOAT = words(
    "builtins.float math.sqrt math.log math.log2 math.log10 math.exp math.pow math.sin math.cos math.fabs"
)
_ALWAYS_STRING = words("builtins.str builtins.repr builtins.format builtins.chr builtins.hex builtins.bin")
_ALWAYS_BOOL = words("builtins.bool builtins.isinstance builtins.all builtins.any builtins.hasattr")
_ALWAYS_OTHER = words(
    "builtins.list builtins.tuple builtins.dict builtins.set builtins.range builtins.enumerate"
    " builtins.zip builtins.map builtins.object builtins.complex numpy.array numpy.arange numpy.bool_"
)
_PYTHON_OPERATIONS: dict[str, type[cst.CSTNode]] = {
    "operator.add": cst.Add,
    "operator.sub": cst.Subtract,
    "operator.mul": cst.Multiply,
    "operator.floordiv": cst.FloorDivide,
    "operator.mod": cst.Modulo,
}
_TIR_OPERATIONS: dict[str, type[cst.CSTNode]] = {
    "floordiv": cst.FloorDivide,
    "indexdiv": cst.FloorDivide,
    "truncdiv": cst.FloorDivide,
    "floormod": cst.Modulo,
    "indexmod": cst.Modulo,
    "truncmod": cst.Modulo,
    "shift_left": cst.LeftShift,
    "shift_right": cst.RightShift,
    "bitwise_and": cst.BitAnd,
    "bitwise_or": cst.BitOr,
    "bitwise_xor": cst.BitXor,
}
_TIR_CHOICES: dict[str, Callable[[int, int], int]] = {"min": min, "max": max}


def returned(function: str, arguments: Sequence[Possible], dtype: str | None) -> Possible | None:
    """Return what a call of the dotted name `function` can return, or None if nothing is known of it.

    `arguments` are the values of the positional arguments. `dtype` is the data type that the call names, such as
    "int32", for those functions that take one.
    """
    if function.startswith(f"{LANGUAGE}."):
        return _of_language(function[len(LANGUAGE) + 1 :], arguments, dtype)
    if function.startswith(("tvm.tir.", "tvm.tirx.")):
        return _of_tvm(function.rpartition(".")[2], arguments, dtype)
    if function.startswith("numpy."):
        return _of_numpy(function[len("numpy.") :], arguments)
    return _of_python(function, arguments)


# ---------------------------------------------------------------------- Python


def _of_python(function: str, arguments: Sequence[Possible]) -> Possible | None:
    proved = all(value.proved for argument in arguments for value in argument)
    for names, kind in (
        (_ALWAYS_FLOAT, Kind.FLOAT),
        (_ALWAYS_STRING, Kind.STRING),
        (_ALWAYS_BOOL, Kind.BOOL),
        (_ALWAYS_OTHER, Kind.OTHER),
    ):
        if function in names:
            return frozenset({Value(kind)})
    if function in _ALWAYS_INT:
        if function == "builtins.int" and len(arguments) == 1:
            return frozenset(_as_int(value) for value in arguments[0])
        return frozenset({Value(Kind.INT)})
    if function == "builtins.round":
        kept = [value for value in arguments[0] if value.kind is Kind.INT] if len(arguments) == 1 else []
        return frozenset(kept) if kept and len(kept) == len(arguments[0]) else _rounded(arguments)
    if function == "builtins.abs" and len(arguments) == 1:
        return frozenset(_absolute(value) for value in arguments[0])
    if function in ("builtins.min", "builtins.max") and len(arguments) > 1:
        choose = min if function.endswith("min") else max
        return combine(lambda *values: _chosen(choose, values, proved), *arguments)
    if function == "builtins.pow" and len(arguments) == 2:
        return combine(lambda left, right: binary(cst.Power, left, right), *arguments)
    if function in _PYTHON_OPERATIONS and len(arguments) == 2:
        return combine(lambda left, right: binary(_PYTHON_OPERATIONS[function], left, right), *arguments)
    return None


def _as_int(value: Value) -> Value:
    known = value.number if value.kind in (Kind.INT, Kind.BOOL, Kind.INT_IMM) else None
    return Value(Kind.INT, known, value.proved or value.kind is not Kind.INT)


def _rounded(arguments: Sequence[Possible]) -> Possible | None:
    """Of a Python number, `round(x)` is an int, and `round(x, digits)` has the type of x."""
    if not arguments or any(value.kind not in (Kind.INT, Kind.BOOL, Kind.FLOAT) for value in arguments[0]):
        return None
    if len(arguments) == 1:
        return frozenset({Value(Kind.INT)})
    return frozenset(Value(Kind.INT if value.kind is Kind.BOOL else value.kind) for value in arguments[0])


def _absolute(value: Value) -> Value:
    if value.kind in (Kind.INT, Kind.BOOL, Kind.INT_IMM):
        kind = Kind.INT if value.kind is Kind.BOOL else value.kind
        return replace(value, kind=kind, number=None if value.number is None else abs(value.number))
    return value


def _chosen(choose: Callable[[list[int]], int], values: Sequence[Value], proved: bool) -> Value:
    kinds = {value.kind for value in values}
    if Kind.TIR in kinds:
        return TIR
    if not kinds <= {Kind.INT, Kind.FLOAT, Kind.INT_IMM}:
        return UNKNOWN
    if Kind.FLOAT in kinds:
        return Value(Kind.FLOAT) if kinds == {Kind.FLOAT} else UNKNOWN
    by_number = {value.number: value for value in reversed(values) if value.number is not None}
    if len(kinds) > 1 or Kind.INT_IMM in kinds:  # one of the arguments is handed back as it is
        if all(value.number is not None for value in values):
            return by_number[choose(list(by_number))]
        return Value(Kind.INT_IMM) if kinds == {Kind.INT_IMM} else UNKNOWN
    return Value(
        Kind.INT, choose(list(by_number)) if all(value.number is not None for value in values) else None, proved
    )


def _of_numpy(name: str, arguments: Sequence[Possible]) -> Possible | None:
    if _NUMPY_INTEGER.match(name):
        if len(arguments) != 1:
            return frozenset({Value(Kind.INT)})
        return frozenset(Value(Kind.INT, _as_int(value).number, value.proved) for value in arguments[0])
    if name in ("bool_", "bool"):
        return frozenset({Value(Kind.BOOL)})
    if name.startswith(("float", "half", "single", "double", "longdouble")):
        return frozenset({Value(Kind.FLOAT)})
    return frozenset({OTHER}) if name in ("array", "zeros", "ones", "arange", "asarray", "empty") else None


# ---------------------------------------------------------------------- TIR


def _of_language(name: str, arguments: Sequence[Possible], dtype: str | None) -> Possible | None:
    if name in ("IntImm", "cast") or name in _TIR_CHOICES or name in _TIR_OPERATIONS:
        return _of_tvm(name, arguments, dtype)
    if INTEGER_DTYPE.match(name):
        return _as_int_imm(arguments[0], name) if arguments else frozenset({TIR})
    if _FLOAT_DTYPE.match(name) and len(arguments) == 1:
        return frozenset(Value(Kind.FLOAT_IMM) if value.kind in _NUMBERS else TIR for value in arguments[0])
    if name in _NO_CONSTANT or _OTHER_DTYPE.match(name):
        return frozenset({TIR})
    if name == "ceildiv" and len(arguments) == 2:
        return combine(_ceildiv, *arguments)
    if name == "abs" and len(arguments) == 1:
        return combine(
            lambda value: _constant([value], None if value.number is None else abs(value.number)), *arguments
        )
    return frozenset({EXPRESSION})


def _of_tvm(name: str, arguments: Sequence[Possible], dtype: str | None) -> Possible | None:
    if name == "IntImm":
        values = arguments[1] if len(arguments) > 1 else frozenset({UNKNOWN})
        return frozenset(
            Value(Kind.INT_IMM, each.number if each.kind in (Kind.INT, Kind.BOOL) else None, int32=dtype == "int32")
            for each in values
        )
    if name == "const" and arguments:
        if dtype is None and any(value.kind is Kind.FLOAT for value in arguments[0]):
            return frozenset({TIR})
        return _as_int_imm(arguments[0], dtype or "int32")
    if name == "cast":
        return _cast(arguments, dtype)
    if name in _TIR_CHOICES and len(arguments) == 2:
        choose = _TIR_CHOICES[name]
        return combine(lambda left, right: _constant([left, right], _both(choose, left, right)), *arguments)
    if name in _TIR_OPERATIONS and len(arguments) == 2:
        operation = _TIR_OPERATIONS[name]
        return combine(
            lambda left, right: _constant([left, right], fold(operation, left.number, right.number)), *arguments
        )
    return frozenset({EXPRESSION})


def _cast(arguments: Sequence[Possible], dtype: str | None) -> Possible:
    if dtype is None or not arguments:
        return frozenset({EXPRESSION})
    return _as_int_imm(arguments[0], dtype) if INTEGER_DTYPE.match(dtype) else frozenset({TIR})


def _as_int_imm(values: Possible, dtype: str) -> Possible:
    """Return what `T.int32(value)` and the like make of `values`; `dtype` is the data type asked for."""
    if not INTEGER_DTYPE.match(dtype):
        return frozenset({TIR})
    return frozenset(_one_as_int_imm(value, dtype == "int32") for value in values)


def _one_as_int_imm(value: Value, int32: bool) -> Value:
    if value.kind in (Kind.INT, Kind.BOOL, Kind.INT_IMM) or value.restorable:
        return Value(Kind.INT_IMM, value.number, int32=int32)
    if value.kind in (Kind.FLOAT, Kind.FLOAT_IMM):
        return Value(Kind.INT_IMM, int32=int32)
    if value.kind in (Kind.EXPRESSION, Kind.UNKNOWN):
        return EXPRESSION
    return TIR  # T.int32(None) and T.int32("n") are variables, and a cast of a variable is no constant


def _both(choose: Callable[[int, int], int], left: Value, right: Value) -> int | None:
    return None if left.number is None or right.number is None else choose(left.number, right.number)


def _ceildiv(left: Value, right: Value) -> Value:
    if left.number is None or not right.number:
        return _constant([left, right], None)
    return _constant([left, right], -(-left.number // right.number))


def _constant(values: Sequence[Value], number: int | None) -> Value:
    """Return what TIR makes of integer operands: a constant of constants, an expression of anything else."""
    kinds = {value.kind for value in values}
    if kinds <= {Kind.INT, Kind.BOOL, Kind.INT_IMM}:
        return Value(Kind.INT_IMM, number, int32=all(value.int32 for value in values))
    if Kind.FLOAT in kinds or any(value.kind is Kind.TIR and not value.restorable for value in values):
        return TIR
    return EXPRESSION if kinds & {Kind.UNKNOWN, Kind.EXPRESSION, Kind.TIR} else OTHER
