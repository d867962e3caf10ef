"""Kernels with widths, of each dtype and each way to take parameters, for tests.gpu.run."""

# mypy: ignore-errors

import tilelang
import tilelang.language as T

THREADS = 64


# tl-lint: verify copied(dtype="float64", width=2)
# tl-lint: verify copied(dtype="float32", width=4)
# tl-lint: verify copied(dtype="float16", width=8)
# tl-lint: verify copied(dtype="bfloat16", width=4)
# tl-lint: verify copied(dtype="float8_e4m3fn", width=4)
# tl-lint: verify copied(dtype="float8_e5m2", width=2)
# tl-lint: verify copied(dtype="int8", width=4)
# tl-lint: verify copied(dtype="uint8", width=2)
# tl-lint: verify copied(dtype="int16", width=2)
# tl-lint: verify copied(dtype="uint16", width=2)
# tl-lint: verify copied(dtype="int32", width=2)
# tl-lint: verify copied(dtype="uint32", width=4)
# tl-lint: verify copied(dtype="int64", width=2)
# tl-lint: verify copied(dtype="bool", width=1, block=256)
# tl-lint: verify copied(dtype="int4", width=2)
def copied(dtype, width, block=1024):
    @T.prim_func
    def main(A: T.Tensor((4096,), dtype), B: T.Tensor((4096,), dtype)):
        with T.Kernel(4096 // block, threads=THREADS) as bx:
            for i in T.Parallel(block, coalesced_width=T.IntImm("int32", width)):
                B[bx * block + i] = A[bx * block + i]

    return main


def symbolic():
    m, n = T.dynamic("m"), T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((m, n), "float32"), B: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, 256), m, threads=THREADS) as (bx, by):
            for i in T.Parallel(256, coalesced_width=T.IntImm("int32", 1)):
                if bx * 256 + i < n:
                    B[by, bx * 256 + i] = A[by, bx * 256 + i] * 3.0

    return main


def symbolic_of_one_name():
    @T.prim_func
    def main(A: T.Tensor((T.dynamic("n"),), "float32"), B: T.Tensor((T.dynamic("n"),), "float32")):
        with T.Kernel(T.ceildiv(A.shape[0], 256), threads=THREADS) as bx:
            for i in T.Parallel(256, coalesced_width=T.IntImm("int32", 1)):
                B[bx * 256 + i] = A[bx * 256 + i]

    return main


def symbolic_columns():
    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n,), "float16"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 256), threads=THREADS) as bx:
            for i in T.Parallel(256, coalesced_width=T.IntImm("int32", 1)):
                B[bx * 256 + i] = A[bx * 256 + i]

    return main


@T.prim_func
def strided(A: T.StridedTensor((64, 256), (320, 1), "float32"), B: T.Tensor((64, 256), "float32")):
    with T.Kernel(64, threads=THREADS) as bx:
        for i in T.Parallel(256, coalesced_width=T.IntImm("int32", 4)):
            B[bx, i] = A[bx, i]


@T.prim_func
def scalars(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32"), factor: T.float32, shift: T.int32):
    with T.Kernel(4, threads=THREADS) as bx:
        for i in T.Parallel(256, coalesced_width=T.IntImm("int32", 4)):
            B[bx * 256 + i] = A[bx * 256 + i] * factor + T.Cast("float32", shift)


@T.prim_func
def pointer(A: T.ptr, B: T.ptr, n: T.int32):
    with T.Kernel(T.ceildiv(n, 256), threads=THREADS) as bx:
        one = T.make_tensor(A, (n,), "float32")
        other = T.make_tensor(B, (n,), "float32")
        for i in T.Parallel(256, coalesced_width=T.IntImm("int32", 1)):
            other[bx * 256 + i] = one[bx * 256 + i]


@T.prim_func
def in_place(A: T.Tensor((1024,), "float32")):
    with T.Kernel(4, threads=THREADS) as bx:
        for i in T.Parallel(256, coalesced_width=T.IntImm("int32", 4)):
            A[bx * 256 + i] = A[bx * 256 + i] * 2.0


@T.prim_func
def not_a_number(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):
    with T.Kernel(4, threads=THREADS) as bx:
        for i in T.Parallel(256, coalesced_width=T.IntImm("int32", 4)):
            B[bx * 256 + i] = T.sqrt(A[bx * 256 + i])


@T.prim_func
def gathered(A: T.Tensor((1024,), "float32"), index: T.Tensor((1024,), "int32"), B: T.Tensor((1024,), "float32")):
    with T.Kernel(4, threads=THREADS) as bx:
        for i in T.Parallel(256, coalesced_width=T.IntImm("int32", 1)):
            B[bx * 256 + i] = A[index[bx * 256 + i]]


@T.prim_func
def added_in_any_order(
    A: T.Tensor((64, 65536), "float32"), B: T.Tensor((64,), "float32"), C: T.Tensor((64, 65536), "float32")
):
    with T.Kernel(256, 64, threads=THREADS) as (bx, by):
        for i in T.Parallel(256, coalesced_width=T.IntImm("int32", 4)):
            C[by, bx * 256 + i] = A[by, bx * 256 + i]
        for i in T.Parallel(256):
            T.atomic_add(B[by], A[by, bx * 256 + i])


@T.prim_func
def multiplied(
    A: T.Tensor((512, 256), "float16"), B: T.Tensor((256, 512), "float16"), C: T.Tensor((512, 512), "float16")
):
    with T.Kernel(4, 4, threads=128) as (bx, by):
        a = T.alloc_shared((128, 64), "float16")
        b = T.alloc_shared((64, 128), "float16")
        c = T.alloc_fragment((128, 128), "float32")
        d = T.alloc_shared((128, 128), "float16")
        T.clear(c)
        for k in T.Pipelined(4, num_stages=2):
            T.copy(A[by * 128, k * 64], a)
            T.copy(B[k * 64, bx * 128], b)
            T.gemm(a, b, c)
        T.copy(c, d)
        for i, j in T.Parallel(128, 128, coalesced_width=T.IntImm("int32", 4)):
            C[by * 128 + i, bx * 128 + j] = d[i, j]


def multiplied_symbolic():
    m = T.dynamic("m")

    @T.prim_func
    def main(A: T.Tensor((m, 256), "float16"), B: T.Tensor((256, 512), "float16"), C: T.Tensor((m, 512), "float32")):
        with T.Kernel(4, T.ceildiv(m, 128), threads=128) as (bx, by):
            a = T.alloc_shared((128, 64), "float16")
            b = T.alloc_shared((64, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            d = T.alloc_shared((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(4, num_stages=2):
                T.copy(A[by * 128, k * 64], a)
                T.copy(B[k * 64, bx * 128], b)
                T.gemm(a, b, c)
            T.copy(c, d)
            for i, j in T.Parallel(128, 128, coalesced_width=T.IntImm("int32", 2)):
                if by * 128 + i < m:
                    C[by * 128 + i, bx * 128 + j] = d[i, j]

    return main


@tilelang.jit
def eager_that_returns(A):
    A: T.Tensor[[1024], T.float32]
    B = T.empty([1024], T.float32)
    with T.Kernel(4, threads=THREADS) as bx:
        for i in T.Parallel(256, coalesced_width=T.IntImm("int32", 4)):
            B[bx * 256 + i] = A[bx * 256 + i] + 1.0
    return B


# tl-lint: verify large(width=1)
# tl-lint: verify large(width=2)
# tl-lint: verify large(width=4)
# tl-lint: verify large(width=1, dtype="float16")
# tl-lint: verify large(width=8, dtype="float16")
def large(width, dtype="float32", block=1024, threads=128):
    @T.prim_func
    def main(A: T.Tensor((1 << 26,), dtype), B: T.Tensor((1 << 26,), dtype)):
        with T.Kernel((1 << 26) // block, threads=threads) as bx:
            for i in T.Parallel(block, coalesced_width=T.IntImm("int32", width)):
                B[bx * block + i] = A[bx * block + i] * T.Cast(dtype, 2)

    return main
