"""Builds a prim_func with TileLang's own jit, so that it can be called on a GPU."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tl_lint.verify.child.compiling import accelerated
from tl_lint.verify.child.inputs import Argument

__all__ = ["executable"]

_OUTPUTS = "tilelang_out_idx"


def executable(prim_func: Any, target: Any, pass_configs: Mapping[str, Any]) -> Callable[[Sequence[Argument]], None]:
    """Return a function that launches the kernel, which was compiled for `target`, a TVM target.

    It takes all arguments in the order of the parameters, those that are outputs too, and returns before the GPU is
    done. Raises what the compiler raises.
    """
    from tilelang.jit.kernel import JITKernel

    prim_func, flags = _plain(prim_func)
    kernel = JITKernel(
        prim_func,
        out_idx=[],
        execution_backend="tvm_ffi",
        target=_accelerated(target),
        pass_configs=dict(pass_configs),
        compile_flags=flags,
    )

    def launch(arguments: Sequence[Argument]) -> None:
        kernel(*(argument.value for argument in arguments))

    return launch


def _plain(prim_func: Any) -> tuple[Any, list[str] | None]:
    """Return the prim_func as one whose outputs the caller allocates, and the compiler flags that it asks for."""
    attributes = prim_func.attrs
    flags = None
    with contextlib.suppress(TypeError, KeyError):
        if attributes and "tilelang_compile_flags" in attributes:
            flags = [str(flag) for flag in attributes["tilelang_compile_flags"]]
        if attributes and _OUTPUTS in attributes:
            prim_func = prim_func.without_attr(_OUTPUTS)
    return prim_func, flags


def _accelerated(target: Any) -> Any:
    """Return the target with the name of its architecture that TileLang detects on such a GPU."""
    import tilelang

    architecture = str(target.attrs["arch"]) if "arch" in target.attrs else ""
    wanted = accelerated(architecture)
    if wanted == architecture:
        return target
    return tilelang.tvm.target.Target({"kind": "cuda", "arch": wanted})
