"""A kernel with a width that is an int, to see whether a TileLang takes it."""

# No `from __future__ import annotations` here: TileLang evaluates the annotations of a kernel.
from typing import Any

__all__ = ["lowers_with_an_int"]


def lowers_with_an_int() -> bool:
    """Return whether `T.Parallel(256, coalesced_width=4)` lowers for CUDA, which takes no GPU.

    Raises what the compiler raises if it does not.
    """
    import tilelang
    import tilelang.language as T
    from tilelang.engine.lower import lower

    @T.prim_func  # type: ignore[untyped-decorator]
    def probe(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):  # type: ignore[no-untyped-def, valid-type]
        with T.Kernel(1, threads=64):
            for i in T.Parallel(256, coalesced_width=4):
                B[i] = A[i]

    target: Any = tilelang.tvm.target.Target({"kind": "cuda", "arch": "sm_80"})
    with target:
        lower(probe, target=target)
    return True
