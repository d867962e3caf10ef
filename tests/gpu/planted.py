"""Pairs of kernels whose results differ, `one` in the place of the fixed kernel and `other` in that of its control."""

# mypy: ignore-errors

from collections.abc import Callable
from typing import Any

import tilelang.language as T

THREADS = 64


def _kernel(dtype, result, width=None):
    @T.prim_func
    def main(A: T.Tensor((1024,), dtype), B: T.Tensor((1024,), dtype)):
        with T.Kernel(4, threads=THREADS) as bx:
            for i in T.Parallel(256, coalesced_width=width):
                B[bx * 256 + i] = result(A, bx * 256 + i)

    return main


def one_element(dtype):
    """The control has another value in one element of 1024."""
    return (
        _kernel(dtype, lambda A, i: A[i], T.IntImm("int32", 2)),
        _kernel(dtype, lambda A, i: T.if_then_else(i == 777, A[i] + T.Cast(dtype, 1), A[i])),
    )


def last_bit():
    """The control differs by a rounding."""
    return (
        _kernel("float32", lambda A, i: A[i] * 3.0, T.IntImm("int32", 4)),
        _kernel("float32", lambda A, i: A[i] * 3.0000002),
    )


def sign_of_zero():
    """The control has minus zero where the kernel has zero."""
    # Negative elements become minus zero: the product is too small for the type.
    return (
        _kernel("float32", lambda A, i: T.abs(A[i]) * 1e-30 * 1e-30, T.IntImm("int32", 4)),
        _kernel("float32", lambda A, i: A[i] * 1e-30 * 1e-30),
    )


def not_a_number():
    """The control has NaN where the kernel has a number."""
    return (
        _kernel("float32", lambda A, i: T.if_then_else(A[i] < 0.0, 0.0, T.sqrt(A[i])), T.IntImm("int32", 1)),
        _kernel("float32", lambda A, i: T.sqrt(A[i])),
    )


def neighbours():
    """The control reads the element next to it, as a wrong vector access would."""
    return (
        _kernel("float32", lambda A, i: A[i], T.IntImm("int32", 4)),
        _kernel("float32", lambda A, i: A[i ^ 1]),
    )


def input_written():
    """The control writes one element of a buffer that the kernel only reads."""

    @T.prim_func
    def other(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):
        with T.Kernel(4, threads=THREADS) as bx:
            for i in T.Parallel(256):
                B[bx * 256 + i] = A[bx * 256 + i]
                if bx * 256 + i == 5:
                    A[5] = 2.0

    return _kernel("float32", lambda A, i: A[i], T.IntImm("int32", 4)), other


def past_the_end():
    """The control writes behind the end of its output."""

    @T.prim_func
    def other(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):
        with T.Kernel(4, threads=THREADS) as bx:
            for i in T.Parallel(256):
                B[bx * 256 + i] = A[bx * 256 + i]
                if bx * 256 + i == 773:
                    B[bx * 256 + i + 300] = 7.0

    return _kernel("float32", lambda A, i: A[i], T.IntImm("int32", 4)), other


def illegal_access():
    """The kernel reads where no memory is; the control does not."""
    return (
        _kernel("float32", lambda A, i: A[i + (1 << 29)], T.IntImm("int32", 1)),
        _kernel("float32", lambda A, i: A[i]),
    )


PLANTED: dict[str, Callable[[], tuple[Any, Any]]] = {
    "one element, float32": lambda: one_element("float32"),
    "one element, float16": lambda: one_element("float16"),
    "one element, int8": lambda: one_element("int8"),
    "one element, int64": lambda: one_element("int64"),
    "the last bit": last_bit,
    "the sign of zero": sign_of_zero,
    "NaN": not_a_number,
    "neighbours": neighbours,
    "an input is written": input_written,
    "past the end": past_the_end,
    "an illegal access": illegal_access,
}
