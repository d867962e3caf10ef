"""Kernels that call functions of CUDA: each `bad_*` triggers a check, each `good_*` is a near miss of one."""

import tilelang.language as T


def bad_root_of_an_int():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                B[i] = A[i] * T.sqrt(128)

    return main


def bad_no_such_function():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                B[i] = T.call_extern("float32", "no_such_function_at_all", A[i])

    return main


def good_functions():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float16")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                B[i] = T.sqrt(A[i]) + T.exp(A[i]) * T.log2(A[i]) + T.tanh(A[i]) + T.sqrt(128.0) + T.sin(A[i])

    return main


def good_function_of_cuda():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                B[i] = T.call_extern("float32", "__fsqrt_rn", A[i])

    return main


def good_own_source():
    text = "__device__ float of_mine(float x) { return x * 2.0f; }"

    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            T.import_source(text)
            for i in T.Parallel(64):
                B[i] = T.call_extern("float32", "of_mine", A[i])

    return main


def good_gemm():
    @T.prim_func
    def main(A: T.Tensor((256, 256), "float16"), B: T.Tensor((256, 256), "float16"), C: T.Tensor((256, 256), "float16")):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            As = T.alloc_shared((128, 32), "float16")
            Bs = T.alloc_shared((32, 128), "float16")
            Cl = T.alloc_fragment((128, 128), "float32")
            T.clear(Cl)
            for k in T.Pipelined(8, num_stages=3):
                T.copy(A[by * 128, k * 32], As)
                T.copy(B[k * 32, bx * 128], Bs)
                T.gemm(As, Bs, Cl)
            T.copy(Cl, C[by * 128, bx * 128])

    return main
