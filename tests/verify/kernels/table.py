"""One loop of four lanes (256 float32 elements, 64 threads) for every width of the measured table."""

import numpy as np  # noqa: F401  for the arguments
import tilelang.language as T
from tilelang import tvm  # noqa: F401  for the arguments


def loop(width):
    @T.prim_func
    def main(a: T.Tensor((1024,), "float32"), b: T.Tensor((1024,), "float32")):
        with T.Kernel(4, threads=64) as bx:
            for i in T.Parallel(256, coalesced_width=width):
                b[bx * 256 + i] = a[bx * 256 + i] * 2.0

    return main


def annotated(width):
    @T.prim_func
    def main(a: T.Tensor((1024,), "float32"), b: T.Tensor((1024,), "float32")):
        with T.Kernel(4, threads=64) as bx:
            for i in T.Parallel(256, annotations={"coalesced_width": width}):
                b[bx * 256 + i] = a[bx * 256 + i] * 2.0

    return main


def copied(width):
    """On the load alone: the store becomes a bulk transfer, which has no width."""

    @T.prim_func
    def main(a: T.Tensor((1024,), "float32"), b: T.Tensor((1024,), "float32")):
        with T.Kernel(4, threads=64) as bx:
            shared = T.alloc_shared((256,), "float32")
            T.copy(a[bx * 256 : bx * 256 + 256], shared, coalesced_width=width)
            T.copy(shared, b[bx * 256 : bx * 256 + 256])

    return main
