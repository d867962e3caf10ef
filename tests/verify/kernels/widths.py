"""Loops and copies that ask for a width, read and not read."""

import tilelang.language as T


def loop(width):
    @T.prim_func
    def main(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):
        with T.Kernel(4, threads=64) as bx:
            for i in T.Parallel(256, coalesced_width=T.IntImm("int32", width)):
                B[bx * 256 + i] = A[bx * 256 + i]

    return main


def two_types(width):
    """The same width fits one loop and not the other."""

    @T.prim_func
    def main(A: T.Tensor((512,), "float32"), B: T.Tensor((512,), "float32"), C: T.Tensor((512,), "float16"), D: T.Tensor((512,), "float16")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(512, coalesced_width=T.IntImm("int32", width)):
                B[i] = A[i]
            for i in T.Parallel(512, coalesced_width=T.IntImm("int32", width)):
                D[i] = C[i]

    return main


def laid_out(width):
    layout = T.Fragment((256,), forward_fn=lambda i: (i // 4, i % 4))

    @T.prim_func
    def main(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(256, coalesced_width=T.IntImm("int32", width), loop_layout=layout):
                B[i] = A[i]

    return main


def laid_out_by_a_gemm(width):
    """The loop over an accumulator: its layout comes from the gemm."""

    @T.prim_func
    def main(A: T.Tensor((128, 32), "float16"), B: T.Tensor((32, 128), "float16"), C: T.Tensor((128, 128), "float32")):
        with T.Kernel(1, threads=128):
            As = T.alloc_shared((128, 32), "float16")
            Bs = T.alloc_shared((32, 128), "float16")
            Cl = T.alloc_fragment((128, 128), "float32")
            T.clear(Cl)
            T.copy(A, As)
            T.copy(B, Bs)
            T.gemm(As, Bs, Cl)
            for i, j in T.Parallel(128, 128, coalesced_width=T.IntImm("int32", width)):
                Cl[i, j] = Cl[i, j] * 2.0
            T.copy(Cl, C)

    return main


def plain_fragment(width):
    """The planner is asked about a fragment that nothing has laid out before."""

    @T.prim_func
    def main(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=64):
            F = T.alloc_fragment((256,), "float32")
            for i in T.Parallel(256, coalesced_width=T.IntImm("int32", width)):
                F[i] = A[i]
            for i in T.Parallel(256):
                B[i] = F[i]

    return main


def copy(width):
    @T.prim_func
    def main(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):
        with T.Kernel(4, threads=64) as bx:
            T.copy(A[bx * 256 : bx * 256 + 256], B[bx * 256 : bx * 256 + 256], coalesced_width=width)

    return main


def bulk_copy(width):
    """On sm_90 the copy is no loop."""

    @T.prim_func
    def main(A: T.Tensor((256, 256), "float16"), B: T.Tensor((256, 256), "float16")):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            S = T.alloc_shared((128, 128), "float16")
            T.copy(A[by * 128, bx * 128], S)
            T.copy(S, B[by * 128, bx * 128], coalesced_width=width)

    return main


def copy_to_a_fragment(width):
    @T.prim_func
    def main(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=64):
            F = T.alloc_fragment((256,), "float32")
            T.copy(A, F, coalesced_width=width)
            T.copy(F, B)

    return main
