"""`break` and `continue` that lowering left outside every loop: no compiler takes them."""

from __future__ import annotations

from typing import Any

from tl_lint.verify.child.tir import namespace, type_key
from tl_lint.verify.model import Check

__all__ = ["check"]

# The operators are tl.loop_break and tir.continue_loop and so on, depending on the release.
_JUMPS = {"loop_break": "break", "break_loop": "break", "loop_continue": "continue", "continue_loop": "continue"}


def check(device_module: Any) -> list[Check]:
    """Return a failure for each kind of jump that stands outside all loops of a lowered kernel."""
    found = {jump for _, function in device_module.functions.items() for jump in _stray_jumps(function.body)}
    return [
        Check(f"{jump} outside a loop", "fails", f"lowering left a `{jump}` outside of any loop")
        for jump in sorted(found)
    ]


def _stray_jumps(body: Any) -> set[str]:
    tir = namespace()
    loops: list[Any] = []
    found: set[str] = set()

    def enter(node: Any) -> None:
        if isinstance(node, tir.Call):
            jump = _JUMPS.get(str(getattr(node.op, "name", "")).rpartition(".")[2])
            if jump and not loops:
                found.add(jump)
        else:
            loops.append(node)

    def leave(node: Any) -> None:
        if not isinstance(node, tir.Call):
            loops.pop()

    tir.stmt_functor.ir_transform(body, enter, leave, [type_key(name) for name in ("For", "While", "Call")])
    return found
