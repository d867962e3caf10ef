"""Whether a lowered kernel stores anything that outlives it; what the tracer took for constant may have emptied it."""

from __future__ import annotations

from typing import Any

from tl_lint.verify.child.tir import namespace, type_key
from tl_lint.verify.model import Check

__all__ = ["check"]

_NAME = "no store"
# What a kernel calls without doing anything by it.
_IDLE = frozenset({"tvm_storage_sync", "sync", "loop_break", "continue_loop", "break_loop", "thread_return", "assume"})


def check(prim_func: Any, device_module: Any) -> list[Check]:
    """Return a failure if no kernel of `device_module` writes to global memory, though `prim_func` has tensors."""
    kernels = [function for _, function in device_module.functions.items()]
    if not len(prim_func.buffer_map) or not kernels or any(_does_anything(function) for function in kernels):
        return []
    return [Check(_NAME, "fails", "the lowered kernel stores nothing to global memory")]


def _does_anything(function: Any) -> bool:
    """Whether a lowered function has a store to global memory, or a call that stands as a statement of its own."""
    tir = namespace()
    found: list[Any] = []

    def visit(node: Any) -> None:
        call = node.value if isinstance(node, tir.Evaluate) else None
        if (isinstance(node, tir.BufferStore) and node.buffer.scope() == "global") or (
            isinstance(call, tir.Call) and _operator(call) not in _IDLE
        ):
            found.append(node)

    keys = [type_key("BufferStore"), type_key("Evaluate")]
    tir.stmt_functor.ir_transform(function.body, visit, None, keys)
    return bool(found)


def _operator(call: Any) -> str:
    return str(getattr(call.op, "name", "")).rpartition(".")[2]
