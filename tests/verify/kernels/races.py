"""Loops that write an element more than once: each `bad_*` triggers a check, each `good_*` is a near miss of one."""

import tilelang.language as T


def bad_race():
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            for i, j in T.Parallel(64, 64):
                B[i] += A[i, j]  # the race

    return main


def bad_race_in_shared_memory():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=64):
            S = T.alloc_shared((1,), "float32")
            for i in T.Parallel(64):
                S[0] = S[0] + A[i]
            B[0] = S[0]

    return main


def good_elementwise_sum():
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=64):
            for i, j in T.Parallel(64, 64):
                B[i, j] += A[i, j]

    return main


def good_one_turn():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            for i, j in T.Parallel(1, 64):
                B[j] = A[i + j]

    return main


def good_same_value():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                B[0] = A[0]

    return main


def good_reduction():
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=128):
            F = T.alloc_fragment((64, 64), "float32")
            S = T.alloc_fragment((64,), "float32")
            T.copy(A, F)
            T.reduce_sum(F, S, dim=1)
            T.copy(S, B)

    return main
