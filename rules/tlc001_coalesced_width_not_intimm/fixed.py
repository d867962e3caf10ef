"""Kernels that end with "coalesced_width should be an IntImmNode", each in its own way."""

import enum
from functools import partial

import numpy as np
import tilelang
import tilelang.cuda.language as cuda
import tilelang.language as T
from tilelang.language import Parallel

N, BLOCK, THREADS = 1024, 256, 64


class Config:
    lanes = 4


class Width(enum.IntEnum):
    PAIR = 2


@T.prim_func
def keyword(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int32", 4)):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def two_axes(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i, j in T.Parallel(16, 16, coalesced_width=T.IntImm("int32", 4)):  # expect: TLC001
            B[bx * BLOCK + i * 16 + j] = A[bx * BLOCK + i * 16 + j]


@T.prim_func
def annotations(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, annotations={"coalesced_width": T.IntImm("int32", 2)}):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def annotations_by_dict(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, annotations=dict(coalesced_width=T.IntImm("int32", 2))):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def keyword_wins(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(
            BLOCK,
            coalesced_width=T.IntImm("int32", 2),  # expect: TLC001
            annotations={"coalesced_width": T.int32(4)},
        ):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def keyword_is_none(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(
            BLOCK,
            coalesced_width=None,  # as if it were not there
            annotations={"coalesced_width": T.IntImm("int32", 4)},  # expect: TLC001
        ):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def none_in_annotations(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, annotations={"coalesced_width": None}):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


def dict_in_a_name():
    hints = {"coalesced_width": T.IntImm("int32", 4)}

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, annotations=hints):  # expect: TLC001
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


def dict_filled_later():
    hints = {}
    hints["coalesced_width"] = T.IntImm("int32", 4)

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, annotations=hints):  # expect: TLC001
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


def dict_of_keywords():
    options = {"coalesced_width": T.IntImm("int32", 2)}

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, **options):  # expect: TLC001
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


def partial_call():
    loop = partial(T.Parallel, coalesced_width=T.IntImm("int32", 2))  # expect: TLC001

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in loop(BLOCK):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


@T.prim_func
def no_prefix(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in Parallel(BLOCK, coalesced_width=T.IntImm("int32", 2)):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def another_dialect(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in cuda.Parallel(BLOCK, coalesced_width=cuda.IntImm("int32", 4)):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def whole_module_path(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in tilelang.language.Parallel(
            BLOCK, coalesced_width=tilelang.language.IntImm("int32", 4)  # expect: TLC001
        ):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


def alias_of_the_loop():
    loop = T.Parallel

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in loop(BLOCK, coalesced_width=T.IntImm("int32", 4)):  # expect: TLC001
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


@T.prim_func
def only_one_arm(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int32", 4) if BLOCK > 128 else None):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def arithmetic(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int32", 128 // 32)):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def numpy_integer(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int32", np.int32(4))):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def enum_member(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int32", Width.PAIR)):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def class_constant(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int32", Config.lanes)):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


def local_constant():
    vec = BLOCK // THREADS

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int32", vec)):  # expect: TLC001
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


@tilelang.jit(out_idx=[1])
def parameter_by_default(vec=4):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=T.int32(vec)):  # expect: TLC001
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify parameter_by_annotation(vec=2)
@tilelang.jit(out_idx=[1])
def parameter_by_annotation(vec: int):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=T.int32(vec)):  # expect: TLC001
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify parameter_or_none(vec=4)
def parameter_or_none(vec: int | None = None):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=vec):  # expect: TLC001
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify eager(vec=4)
@tilelang.jit
def eager(A, B, vec: int):
    A: T.Tensor[[N], T.float32]
    B: T.Tensor[[N], T.float32]
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.int32(vec)):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def bound_inside(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        width = T.int32(4)
        for i in T.Parallel(BLOCK, coalesced_width=T.int32(width)):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def int_bound_inside(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        lanes = 4
        for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int32", lanes)):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


def macro_parameter():
    @T.macro
    def move(A, B, bx, vec):
        for i in T.Parallel(BLOCK, coalesced_width=T.int32(vec)):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            move(A, B, bx, T.int32(4))

    return main


def loop_over_a_tuple():
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for vec in (2, 4):
                for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int32", vec)):  # expect: TLC001
                    B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


@T.prim_func
def loop_over_a_range(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for vec in range(4, 5):
            for i in T.Parallel(BLOCK, coalesced_width=vec):  # expect: TLC001
                B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def tile_loop(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for vec in T.serial(4, 5):
            for i in T.Parallel(BLOCK, coalesced_width=vec):  # expect: TLC001
                B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def scalar_parameter(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), vec: T.int32):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=vec):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def not_constant(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.int32(bx)):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def true(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=True):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def float_number(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=4.0):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def string(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width="4"):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def float_expression(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.float32(4)):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def symbol(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.dynamic("vec")):  # expect: TLC001
            B[bx * BLOCK + i] = A[bx * BLOCK + i]
