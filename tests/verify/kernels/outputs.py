"""Kernels that store nothing, or lose a parameter: each `bad_*` triggers a check, each `good_*` is a near miss of one."""

import tilelang
import tilelang.language as T

HAS_BIAS = False


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
