"""The width comes from elsewhere too, and is an IntImm, None, or never read."""

import argparse
import json

import tilelang
import tilelang.language as T

N, BLOCK, THREADS = 1024, 256, 64


# tl-lint: verify wrapped(vec=4)
def wrapped(vec):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=T.int32(vec)):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify wrapped_outside(vec=2)
def wrapped_outside(vec):
    width = T.int32(vec)

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=width):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify guarded()
# tl-lint: verify guarded(vec=4)
def guarded(vec=None):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=None if vec is None else T.int32(vec)):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify in_annotations(vec=2)
def in_annotations(vec):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, annotations={"coalesced_width": T.int32(vec)}):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify in_a_dict(vec=2)
def in_a_dict(vec):
    options = {"coalesced_width": T.int32(vec)}

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, **options):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify tile_function(vec=8)
def tile_function(vec):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=T.min(vec, 4)):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify attribute(config=argparse.Namespace(vec=4))
def attribute(config):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=T.int32(config.vec)):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


def unknown_call():
    vec = T.int32(json.loads("4"))

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=vec):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify replaced(vec=3)
def replaced(vec):
    vec = T.int32(4)

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=vec):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify decided_by_its_calls(T.int32(4))
def decided_by_its_calls(vec):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=vec):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


def caller():
    return decided_by_its_calls(T.int32(2))


# tl-lint: verify never_read(vec=4)
def never_read(vec):
    layout = T.Fragment((BLOCK,), forward_fn=lambda i: (i // 4, i % 4))

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=vec, loop_layout=layout):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify keyword_wins(vec=4)
def keyword_wins(vec):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=T.int32(2), annotations={"coalesced_width": vec}):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


# tl-lint: verify copy(vec=2)
def copy(vec):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            tile = T.alloc_fragment((BLOCK,), "float32")
            T.copy(A[bx * BLOCK], tile, coalesced_width=vec)
            T.copy(tile, B[bx * BLOCK], coalesced_width=vec)

    return main


@tilelang.jit
def eager(A, B, vec=4):
    A: T.Tensor[[N], T.float32]
    B: T.Tensor[[N], T.float32]
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.int32(vec)):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]
