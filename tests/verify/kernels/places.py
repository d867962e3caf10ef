"""Loops made in every way that a call can be written; `# N` stands where the call of loop N begins and ends.

A loop with a step is made by the whole `for` statement.
"""

import functools

import tilelang
import tilelang.language as T
from tilelang.language import Parallel as P


def helper(n, w):
    return T.Parallel(  # 1
        n, coalesced_width=w)  # 1


@T.macro
def macro(A, B, w):
    for i in T.Parallel(  # 2
        256,
        coalesced_width=w,
    ):  # 2
        B[i] = A[i]


@tilelang.jit
def lazy(n, w=4):
    part = functools.partial(T.Parallel, coalesced_width=w)

    @T.prim_func
    def p(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=64):
            for i in helper(256, w):
                B[i] = A[i]
            macro(A, B, w)
            for i in part(  # 3
                256
            ):  # 3
                B[i] = A[i]
            for i in T.serial(0, 8, 2, annotations={"num_stages": 2}):  # 4
                B[i] = A[i]  # 4
            if w > 2:
                for i, j in P(2, 128, coalesced_width=w):  # 5
                    B[i * 128 + j] = A[i * 128 + j]
            for i in T.parallel(256, annotations={"coalesced_width": w}): B[i] = A[i]  # 6
            for i in T.Pipelined(4,  # 7
                                 num_stages=2):  # 7
                B[i] = A[i]

    return p


@tilelang.jit
def eager(A, B, w=4):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B: T.Tensor((N,), "float32")
    with T.Kernel(1, threads=64):
        for i in T.Parallel(  # 8
            256,
            coalesced_width=(w
                             )
        ):  # 8
            B[i] = A[i]
        macro(A, B, w)
