"""Tensor parameters that a kernel's text uses and that its TIR no longer knows."""

from __future__ import annotations

from typing import Any

from tl_lint.verify.child.tir import namespace
from tl_lint.verify.child.uses import Use, uses_in_text
from tl_lint.verify.model import Check

__all__ = ["check"]

_NAME = "parameter dropped"


def check(prim_func: Any, device_module: Any) -> list[Check]:
    """Return a check for each tensor that the kernel's text surely uses but neither TIR nor the lowered kernel has.

    It fails if the text writes to the tensor, and warns if it only reads it. A parameter that the text does not use, or
    only under a condition that is no matter of the device's, may be meant to be left out: no check.
    """
    left = _names_of_parameters(device_module)
    missing = [buffer for buffer in _unreferenced(prim_func) if str(buffer.name) not in left]
    if not missing:
        return []
    uses = uses_in_text(getattr(prim_func, "orig_func", None), [str(buffer.name) for buffer in missing])
    return [_dropped(name, use) for name, use in uses.items()]


def _dropped(name: str, use: Use) -> Check:
    done = "is written" if use.written else "is read"
    verdict = "fails" if use.written else "warns"
    return Check(_NAME, verdict, f"{name} {done} in the kernel's text, and the lowered kernel has no {name}", use.line)


def _names_of_parameters(device_module: Any) -> set[str]:
    return {str(item.name) for _, function in device_module.functions.items() for item in function.params}


def _unreferenced(prim_func: Any) -> list[Any]:
    """Return the buffers among the parameters that no load, store, region or pointer in the body refers to."""
    tir = namespace()
    seen: set[Any] = set()

    def visit(node: Any) -> None:
        if isinstance(node, (tir.BufferLoad, tir.BufferStore)):
            seen.add(node.buffer.data)
        elif isinstance(node, tir.Var):
            seen.add(node)

    tir.stmt_functor.post_order_visit(prim_func.body, visit)
    return [buffer for _, buffer in prim_func.buffer_map.items() if buffer.data not in seen]
