"""A kernel whose results depend on its width, as no kernel's should; the real command has to reject its fix."""

# mypy: ignore-errors

import tilelang.language as T


@T.prim_func
def which_thread(A: T.Tensor((1024,), "int32"), B: T.Tensor((1024,), "int32")):
    with T.Kernel(4, threads=64) as bx:
        thread = T.get_thread_binding()
        for i in T.Parallel(256, coalesced_width=1):
            B[bx * 256 + i] = A[bx * 256 + i] + thread
