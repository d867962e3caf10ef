"""A kernel whose module took T.Parallel by name."""

import tilelang.language as T
from tilelang.language import Parallel


def scale(value):
    @T.prim_func
    def kernel(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):
        with T.Kernel(4, threads=64) as bx:
            for i in Parallel(256, coalesced_width=value):
                B[bx * 256 + i] = A[bx * 256 + i] * 2.0

    return kernel
