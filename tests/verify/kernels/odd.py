"""Kernels of which a verdict is easily said that they do not deserve."""

import os

import tilelang.language as T

FOLDER = os.path.dirname(__file__)


def other_branch(n=1024, fancy=False):
    @T.prim_func
    def plain(a: T.Tensor((n,), "float32")):
        with T.Kernel(n // 256, threads=64) as bx:
            for i in T.Parallel(256):
                a[bx * 256 + i] = 0.0

    @T.prim_func
    def wide(a: T.Tensor((n,), "float32")):
        with T.Kernel(n // 256, threads=64) as bx:
            for i in T.Parallel(256, coalesced_width=4):
                a[bx * 256 + i] = 0.0

    return wide if fancy else plain


def guessed_width(n, w):
    @T.prim_func
    def main(a: T.Tensor((n,), "float32")):
        with T.Kernel(n // 256, threads=64) as bx:
            for i in T.Parallel(256, coalesced_width=w):
                a[bx * 256 + i] = 0.0

    return main


@T.prim_func
def bare(a: T.Tensor((256,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(256, coalesced_width=4):
            a[i] = 0.0


@T.prim_func
def silent(a: T.Tensor((256,), "float32")):
    with T.Kernel(1, threads=64):
        kept = T.alloc_fragment((256,), "float32")
        T.copy(a, kept)


@T.prim_func
def gone(a: T.Tensor((256,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(256, coalesced_width=4):
            a[i] = 0.0


del gone


def exits(n=256):
    raise SystemExit(3)

    @T.prim_func
    def main(a: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=64):
            a[0] = 0.0

    return main
