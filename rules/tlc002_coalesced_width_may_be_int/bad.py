"""Nothing here says what the width is, and with a Python int each of these aborts."""

import argparse
import json

import tilelang
import tilelang.language as T

N, BLOCK, THREADS = 1024, 256, 64


# tl-lint: verify parameter(vec=4)
def parameter(vec):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=vec):  # expect: TLC002
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify compiled_parameter(vec=2)
@tilelang.jit(out_idx=[1])
def compiled_parameter(vec):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=vec):  # expect: TLC002
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify parameter_that_may_be_none(vec=4)
def parameter_that_may_be_none(vec=None):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=vec):  # expect: TLC002
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify in_annotations(vec=2)
def in_annotations(vec):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, annotations={"coalesced_width": vec}):  # expect: TLC002
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify in_a_dict(vec=2)
def in_a_dict(vec):
    options = {"coalesced_width": vec}

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, **options):  # expect: TLC002
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify only_one_arm(vec=4)
def only_one_arm(vec):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=vec if BLOCK > 128 else None):  # expect: TLC002
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify attribute(config=argparse.Namespace(vec=4))
def attribute(config):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=config.vec):  # expect: TLC002
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify element(config={"vec": 4})
def element(config):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=config["vec"]):  # expect: TLC002
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


def unknown_call():
    vec = json.loads("4")

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=vec):  # expect: TLC002
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify eager(vec=4)
@tilelang.jit
def eager(A, B, vec):
    A: T.Tensor[[N], T.float32]
    B: T.Tensor[[N], T.float32]
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=vec):  # expect: TLC002
            B[bx * BLOCK + i] = A[bx * BLOCK + i]
