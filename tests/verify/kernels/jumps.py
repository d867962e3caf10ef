"""Kernels with `break` and `continue`: each `bad_*` triggers a check, each `good_*` is a near miss of one."""

import tilelang.language as T


def bad_break():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                if A[i] > 1.0:
                    break
                B[i] = A[i]

    return main


def bad_continue():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                if A[i] > 1.0:
                    continue
                B[i] = A[i]

    return main


def good_break():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.serial(64):
                if A[i] > 1.0:
                    break
                if A[i] > 0.5:
                    continue
                B[i] = A[i]

    return main


def good_break_out_of_while():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            i = T.alloc_var("int32", init=0)
            while i < 64:
                if A[i] > 1.0:
                    break
                B[i] = A[i]
                i = i + 1

    return main
