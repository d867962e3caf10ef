"""Kernels that build and are wrong, or look wrong: each `bad_*` triggers a check, each `good_*` is a near miss of one."""

import tilelang
import tilelang.language as T

HAS_BIAS = False


# No store, and parameters that the kernel's text uses


def bad_condition_of_python():
    """Python asks whether a TIR comparison is true: it is not, and the whole body is gone."""

    @T.prim_func
    def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
        with T.Kernel(8, threads=64) as bx:
            if bx in (1, 2):
                B[bx] = A[bx]

    return main


def bad_tensor_rebound():
    """The name of an output is bound to something else."""

    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            F = T.alloc_fragment((64,), "float32")
            T.copy(A, F)
            B = F

    return main


def bad_one_output_of_two():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32"), C: T.Tensor((64,), "float32")):
        with T.Kernel(8, threads=64) as bx:
            C[bx] = A[bx]
            if bx is 0:
                B[bx] = A[bx]

    return main


def bad_input_dropped():
    """What is read under the lost condition is an input."""

    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), X: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(8, threads=64) as bx:
            B[bx] = A[bx]
            if bx in (1, 2):
                B[bx] += X[bx]

    return main


@tilelang.jit
def bad_eager(A, B):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B: T.Tensor((N,), "float32")
    with T.Kernel(8, threads=64) as bx:
        if bx in (1, 2):
            B[bx] = A[bx]


def good_condition_of_the_device():
    @T.prim_func
    def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
        with T.Kernel(8, threads=64) as bx:
            if bx == 1 or bx == 2:
                B[bx] = A[bx]

    return main


def good_unused():
    """A parameter that the text does not use."""

    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), X: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            T.copy(A, B)

    return main


def good_shape_only():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), X: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(X.shape[0]):
                B[i] = A[i]

    return main


def good_flag():
    """Left out by a condition that is Python's own."""

    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), X: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                if HAS_BIAS:
                    B[i] = A[i] + X[i]
                else:
                    B[i] = A[i]

    return main


def good_flag_and_block():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), X: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(4, threads=64) as bx:
            T.copy(A, B)
            if HAS_BIAS and bx == 0:
                T.copy(X, B)

    return main


def good_flag_in_an_expression():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), X: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                B[i] = X[i] if HAS_BIAS else A[i]

    return main


@T.macro
def maybe_add(X, B, i, wanted):
    if wanted:
        B[i] += X[i]


def good_macro():
    """A macro may use what it is given, or not."""

    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), X: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                B[i] = A[i]
                maybe_add(X, B, i, HAS_BIAS)

    return main


def good_no_turns():
    """A loop of no turns uses it."""

    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), X: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            T.copy(A, B)
            for k in T.serial(0):
                B[k] = X[k]

    return main


def good_bulk_copies():
    """A parameter becomes a descriptor, and a store a call."""

    @T.prim_func
    def main(A: T.Tensor((256, 256), "float16"), B: T.Tensor((256, 256), "float16")):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            S = T.alloc_shared((128, 128), "float16")
            T.copy(A[by * 128, bx * 128], S)
            T.copy(S, B[by * 128, bx * 128])

    return main


def good_atomic():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                T.atomic_add(B[0], A[i])

    return main


def good_printing():
    """It stores nothing, and was not emptied."""

    @T.prim_func
    def main(A: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            T.print(A[0])

    return main


def good_view():
    """A parameter's name is bound to a view of it."""

    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            V = T.view(A, (8, 8))
            for i, j in T.Parallel(8, 8):
                B[i * 8 + j] = V[i, j]

    return main


# `break` and `continue`


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


# Data races


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


# Identifiers


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


# Widths


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
