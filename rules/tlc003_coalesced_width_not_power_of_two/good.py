"""Powers of two, and widths that nobody reads."""

import tilelang.language as T

N, BLOCK, THREADS = 1024, 256, 64


@T.prim_func
def one(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int32", 1)):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def two(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.int32(2)):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def four(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int64", 4)):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def computed(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int32", 128 // 32)):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def shifted(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.int32(1) << 2):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def both_arms(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.int32(2) if BLOCK > 128 else T.int32(4)):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def none(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=None):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


def constant_of_the_factory():
    vec = BLOCK // THREADS

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int32", vec)):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


@T.prim_func
def annotations(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, annotations={"coalesced_width": T.int32(2)}):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def keyword_wins(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.int32(2), annotations={"coalesced_width": T.int32(0)}):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


def dict_filled_later():
    hints = {"coalesced_width": T.int32(0)}
    hints["coalesced_width"] = T.int32(4)

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, annotations=hints):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


def loop_layout_decides():
    layout = T.Fragment((BLOCK,), forward_fn=lambda i: (i // 4, i % 4))

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=0, loop_layout=layout):
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


@T.prim_func
def copy_of_four(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        tile = T.alloc_fragment((BLOCK,), "float32")
        T.copy(A[bx * BLOCK], tile, coalesced_width=4)
        T.copy(tile, B[bx * BLOCK])


@T.prim_func
def copy_of_int_imm(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        tile = T.alloc_fragment((BLOCK,), "float32")
        T.copy(A[bx * BLOCK], tile, coalesced_width=T.int32(2))
        T.copy(tile, B[bx * BLOCK])


@T.prim_func
def copy_annotations(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        tile = T.alloc_fragment((BLOCK,), "float32")
        T.copy(A[bx * BLOCK], tile, annotations={"coalesced_width": 2})
        T.copy(tile, B[bx * BLOCK])


@T.prim_func
def copy_annotations_win(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        tile = T.alloc_fragment((BLOCK,), "float32")
        T.copy(A[bx * BLOCK], tile, coalesced_width=0, annotations={"coalesced_width": 2})
        T.copy(tile, B[bx * BLOCK])


def copy_by_its_layout():
    layout = T.Fragment((BLOCK,), forward_fn=lambda i: (i // 4, i % 4))

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            tile = T.alloc_shared((BLOCK,), "float32")
            T.copy(A[bx * BLOCK], tile, coalesced_width=0, loop_layout=layout)
            T.copy(tile, B[bx * BLOCK])

    return main


@T.prim_func
def asynchronous_copy(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        tile = T.alloc_shared((BLOCK,), "float32")
        T.async_copy(A[bx * BLOCK], tile, coalesced_width=4)
        T.copy(tile, B[bx * BLOCK])


@T.prim_func
def copy_to_a_cluster(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        tile = T.alloc_shared((BLOCK,), "float32")
        T.copy_cluster(A[bx * BLOCK], tile, coalesced_width=4)
        T.copy(tile, B[bx * BLOCK])


@T.prim_func
def another_loop(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.serial(BLOCK, annotations={"coalesced_width": 3}):
            B[bx * BLOCK + i] = A[bx * BLOCK + i]
