"""Kernels that look much like those of bad.py, and that the compiler accepts."""

import enum
from functools import partial

import numpy as np
import tilelang
import tilelang.cuda.language as cuda
import tilelang.language as T
from tilelang import tvm
from tilelang.language import Parallel, int32

N, BLOCK, THREADS = 1024, 256, 64


class Config:
    lanes = 4


class Width(enum.IntEnum):
    PAIR = 2


@T.prim_func
def int_imm(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int32", 4)):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def int_imm_of_64_bits(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int64", 2)):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def dtype_call(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.int32(4)):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def unsigned(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.uint8(2)):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def cast(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.cast(4, "int32")):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def arithmetic_of_int_imms(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.int32(2) * 2):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def tile_function(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.min(4, 8)):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def choice(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.if_then_else(BLOCK > 128, 4, 2)):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def division(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.ceildiv(8, 2)):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def node_of_tvm(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=tvm.tirx.IntImm("int32", 4)):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def numpy_integer(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int32", np.int32(4))):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def enum_member(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.int32(Width.PAIR)):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def class_constant(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.int32(Config.lanes)):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def two_axes(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i, j in T.Parallel(16, 16, coalesced_width=T.int32(4)):
            B[bx * BLOCK + i * 16 + j] = A[bx * BLOCK + i * 16 + j]


@T.prim_func
def none(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=None):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def no_width(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def annotations(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, annotations={"coalesced_width": T.int32(2)}):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def keyword_wins(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(
            BLOCK,
            coalesced_width=T.int32(2),
            annotations={"coalesced_width": 4},
        ):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def last_key_wins(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, annotations={"coalesced_width": 2, **{"coalesced_width": T.int32(4)}}):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


def dict_in_a_name():
    hints = {"coalesced_width": 4}
    hints["coalesced_width"] = T.int32(4)

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, annotations=hints):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


def dict_of_keywords():
    options = {"coalesced_width": T.int32(2)}

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, **options):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


def partial_call():
    loop = partial(T.Parallel, coalesced_width=T.int32(2))

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in loop(BLOCK, coalesced_width=T.int32(4)):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


@T.prim_func
def no_prefix(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in Parallel(BLOCK, coalesced_width=int32(2)):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def another_dialect(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in cuda.Parallel(BLOCK, coalesced_width=cuda.int32(4)):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def only_one_arm(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int32", 4) if BLOCK > 128 else None):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@tilelang.jit(out_idx=[1])
def parameter(vec: int = 4):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=T.int32(vec)):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


def parameter_or_none(vec: int | None = None):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=None if vec is None else T.int32(vec)):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


def bound_outside():
    width = T.int32(4)

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=width):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


@T.prim_func
def wrapped_again(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        width = T.int32(4)
        for i in T.Parallel(BLOCK, coalesced_width=T.int32(width)):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def bound_before_the_kernel(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    width = T.int32(4)
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=width):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@tilelang.jit
def eager_default(A, B, width=T.int32(4)):
    A: T.Tensor[[N], T.float32]
    B: T.Tensor[[N], T.float32]
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=width):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


def macro_parameter():
    @T.macro
    def move(A, B, bx, vec):
        for i in T.Parallel(BLOCK, coalesced_width=T.int32(vec)):
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
                for i in T.Parallel(BLOCK, coalesced_width=T.int32(vec)):
                    B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


def host_loop(blocks, coalesced_width):
    return T.Parallel(*blocks, coalesced_width=T.int32(coalesced_width))


def same_keyword_on_another_call():
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in host_loop((BLOCK,), coalesced_width=4):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


@T.prim_func
def copies_take_an_int(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        tile = T.alloc_fragment((BLOCK,), "float32")
        T.copy(A[bx * BLOCK], tile, coalesced_width=2)
        T.copy(tile, B[bx * BLOCK], annotations={"coalesced_width": 2})


@T.prim_func
def copies_take_an_int_asynchronously(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        tile = T.alloc_shared((BLOCK,), "float32")
        T.async_copy(A[bx * BLOCK], tile, coalesced_width=4)
        T.copy(tile, B[bx * BLOCK])


def loop_layout_decides():
    layout = T.Fragment((BLOCK,), forward_fn=lambda i: (i // 4, i % 4))

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=4, loop_layout=layout):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


@T.prim_func
def another_loop(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.serial(BLOCK, annotations={"coalesced_width": 4}):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def only_a_string(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    """T.Parallel(BLOCK, coalesced_width=4) would abort."""
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK):  # not T.Parallel(BLOCK, coalesced_width=4)
            B[bx * BLOCK + i] = A[bx * BLOCK + i]
