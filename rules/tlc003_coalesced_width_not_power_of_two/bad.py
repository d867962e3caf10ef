"""Widths that kill the process, end the compilation, or come out as another width."""

import tilelang.language as T

N, BLOCK, THREADS = 1024, 256, 64


@T.prim_func
def zero(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int32", 0)):  # expect: TLC003
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def bare_zero(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=0):  # expect: TLC001 TLC003
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def negative(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.int32(-4)):  # expect: TLC003
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def three(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int32", 3)):  # expect: TLC003
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def bare_three(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=3):  # expect: TLC001 TLC003
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def six_of_64_bits(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.int64(6)):  # expect: TLC003
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def computed(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int32", 32 // 64)):  # expect: TLC003
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def one_arm_of_two(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, coalesced_width=T.int32(3) if BLOCK > 128 else T.int32(4)):  # expect: TLC003
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


@T.prim_func
def annotations(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        for i in T.Parallel(BLOCK, annotations={"coalesced_width": T.int32(0)}):  # expect: TLC003
            B[bx * BLOCK + i] = A[bx * BLOCK + i]


def dict_in_a_name():
    hints = {"coalesced_width": T.int32(3)}

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, annotations=hints):  # expect: TLC003
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


def constant_of_the_factory():
    vec = BLOCK // 512

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // BLOCK, threads=THREADS) as bx:
            for i in T.Parallel(BLOCK, coalesced_width=T.IntImm("int32", vec)):  # expect: TLC003
                B[bx * BLOCK + i] = A[bx * BLOCK + i]

    return main


@T.prim_func
def copy_of_zero(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        tile = T.alloc_fragment((BLOCK,), "float32")
        T.copy(A[bx * BLOCK], tile, coalesced_width=0)  # expect: TLC003
        T.copy(tile, B[bx * BLOCK])


@T.prim_func
def copy_of_three(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        tile = T.alloc_fragment((BLOCK,), "float32")
        T.copy(A[bx * BLOCK], tile, coalesced_width=3)  # expect: TLC003
        T.copy(tile, B[bx * BLOCK])


@T.prim_func
def copy_of_int_imm(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        tile = T.alloc_fragment((BLOCK,), "float32")
        T.copy(A[bx * BLOCK], tile, coalesced_width=T.int32(-2))  # expect: TLC003
        T.copy(tile, B[bx * BLOCK])


@T.prim_func
def copy_annotations(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        tile = T.alloc_fragment((BLOCK,), "float32")
        T.copy(A[bx * BLOCK], tile, annotations={"coalesced_width": 6})  # expect: TLC003
        T.copy(tile, B[bx * BLOCK])


@T.prim_func
def copy_annotations_win(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        tile = T.alloc_fragment((BLOCK,), "float32")
        T.copy(A[bx * BLOCK], tile, coalesced_width=4, annotations={"coalesced_width": 0})  # expect: TLC003
        T.copy(tile, B[bx * BLOCK])


@T.prim_func
def asynchronous_copy(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        tile = T.alloc_shared((BLOCK,), "float32")
        T.async_copy(A[bx * BLOCK], tile, coalesced_width=0)  # expect: TLC003
        T.copy(tile, B[bx * BLOCK])


@T.prim_func
def copy_to_a_cluster(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(N // BLOCK, threads=THREADS) as bx:
        tile = T.alloc_shared((BLOCK,), "float32")
        T.copy_cluster(A[bx * BLOCK], tile, coalesced_width=0)  # expect: TLC003
        T.copy(tile, B[bx * BLOCK])
