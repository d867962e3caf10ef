"""Kernels that are right at the sizes they are compared at, and fail at the larger one that they are timed at."""

# mypy: ignore-errors

from collections.abc import Callable
from typing import Any

import tilelang.language as T

THREADS = 64


def grid_too_large():
    """At n=4096 it has more blocks along y than a GPU takes; it can then be timed at a smaller size."""
    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n, 16), "float32"), B: T.Tensor((n, 16), "float32")):
        with T.Kernel(1, n * 16, threads=THREADS) as (bx, by):
            for i in T.Parallel(64, coalesced_width=T.IntImm("int32", 1)):
                if i == 0:
                    B[by // 16, by % 16 + bx] = A[by // 16, by % 16 + bx] + 1.0

    return main


def illegal_access():
    """At n=4096 it reads where no memory is, which leaves the GPU unusable."""
    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 256), threads=THREADS) as bx:
            for i in T.Parallel(256, coalesced_width=T.IntImm("int32", 1)):
                if bx * 256 + i < n:
                    B[bx * 256 + i] = A[bx * 256 + i + n // 4096 * (1 << 29)]

    return main


UNTIMED: dict[str, Callable[[], Any]] = {"grid too large": grid_too_large, "illegal access": illegal_access}
"""The first has "timing" in the end, the second "no_timing"; both equal their controls."""
