"""Loops and copies with annotations of all sorts."""

import tilelang.language as T


def one(width, fixed=False):
    """A loop and a copy; with `fixed` the width is wrapped as a fix does."""
    lanes = T.IntImm("int32", width) if fixed else width

    @T.prim_func
    def scale(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):
        with T.Kernel(4, threads=64) as bx:
            for i in T.Parallel(256, coalesced_width=lanes):
                B[bx * 256 + i] = A[bx * 256 + i] * 2.0
            T.copy(A[0:256], B[0:256], coalesced_width=2)

    return scale


def keyword(value):
    @T.prim_func
    def scale(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):
        with T.Kernel(4, threads=64) as bx:
            for i in T.Parallel(256, coalesced_width=value):
                B[bx * 256 + i] = A[bx * 256 + i] * 2.0

    return scale


def in_annotations(value):
    @T.prim_func
    def scale(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):
        with T.Kernel(4, threads=64) as bx:
            for i in T.Parallel(256, annotations={"coalesced_width": value, "of_ours": 3}):
                B[bx * 256 + i] = A[bx * 256 + i] * 2.0

    return scale


def lower_case(value):
    @T.prim_func
    def scale(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):
        with T.Kernel(4, threads=64) as bx:
            for i in T.parallel(256, annotations={"coalesced_width": value}):
                B[bx * 256 + i] = A[bx * 256 + i] * 2.0

    return scale


def other(factor=2.0):
    """Like `one(4)`, with other names and, if wanted, another factor."""

    @T.prim_func
    def renamed(X: T.Tensor((1024,), "float32"), Y: T.Tensor((1024,), "float32")):
        with T.Kernel(4, threads=64) as block:
            for lane in T.Parallel(256, coalesced_width=T.int32(4)):
                Y[block * 256 + lane] = X[block * 256 + lane] * factor
            T.copy(X[0:256], Y[0:256], coalesced_width=2)

    return renamed


def laid_out():
    layout = T.Fragment((256,), forward_fn=lambda i: (i // 4, i % 4))

    @T.prim_func
    def scale(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(256, coalesced_width=4, loop_layout=layout):
                B[i] = A[i] * 2.0

    return scale


def nested():
    @T.prim_func
    def scale(A: T.Tensor((4, 256), "float32"), B: T.Tensor((4, 256), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(4, coalesced_width=T.int32(4)):
                for j in T.Parallel(256, coalesced_width=2):
                    B[i, j] = A[i, j]

    return scale


def several():
    @T.prim_func
    def scale(A: T.Tensor((8, 256), "float32"), B: T.Tensor((8, 256), "float32")):
        with T.Kernel(1, threads=64):
            S = T.alloc_shared((256,), "float32")
            for k in T.serial(8, annotations={"num_stages": 2, "coalesced_width": 4, "of_ours": "text"}):
                T.copy(A[k, 0:256], S)
                T.copy(S, B[k, 0:256])
            for k in T.Pipelined(8, num_stages=2):
                T.copy(A[k, 0:256], S)
                T.copy(S, B[k, 0:256])
            for k in T.unroll(8):
                for j in T.Parallel(256):
                    B[k, j] = A[k, j]

    return scale
