"""The widths that loops and copies asked for, and those that the compiler used."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from typing import Any

from tl_lint.verify.child import tir
from tl_lint.verify.child.streams import captured
from tl_lint.verify.model import Check

__all__ = ["check", "effective_widths"]

_NAME = "coalesced_width"
_ANOTHER = re.compile(r"Requested coalesced_width=(\d+) is incompatible with .*; using (\d+) instead")
_POSSIBLE = (16, 8, 4, 2, 1)
"""Widths in elements that a loop can come to: 16 bytes at most."""


def effective_widths(prim_func: Any, log: str, lower: Callable[[Any], Any]) -> list[int | None]:
    """Return the width in elements that each of `tir.requested_widths` came to; None where nothing reads it.

    `prim_func` is one that lowers, `log` what the compiler printed on the way, and `lower` lowers another the same way,
    raising on failure. Up to 0.1.14 a width that does not fit fails; from 0.1.15 it is a warning that names another.
    Where a layout may dictate the loop, or a copy may become a bulk transfer, the kernel is lowered once more with a
    width that no release takes: if that passes, none was read. Up to 0.1.14 a copy into a fragment takes a negative
    width and comes to another, which nothing names: it is the one that gives the same source.
    """
    holders = tir.width_holders(prim_func)
    found: list[int | None] = []
    for holder, width in holders:
        if _doubtful(holder) and _is_ignored(prim_func, holder, lower):
            found.append(None)
            continue
        if width <= 0:
            found.append(_like_a_positive_one(prim_func, holder, lower))
            continue
        used = {int(other) for asked, other in _ANOTHER.findall(log) if int(asked) == width}
        if used and [other for _, other in holders].count(width) > 1:
            used = _used_alone(prim_func, holder, lower)
        found.append(min(used, default=width))
    return found


def check(requested: Sequence[int], effective: Sequence[int | None]) -> list[Check]:
    """Return a warning for each width that the compiler put another in place of."""
    pairs = dict.fromkeys(zip(requested, effective, strict=True))
    return [
        Check(_NAME, "warns", f"a width of {asked} was asked for, and {used} is used")
        for asked, used in pairs
        if used not in (None, asked)
    ]


def _doubtful(holder: Any) -> bool:
    """Whether the planner may not be asked: a layout, a fragment in the loop, or a copy that may be no loop at all."""
    if not isinstance(holder, tir.namespace().For):
        return True
    if "parallel_loop_layout" in holder.annotations:
        return True
    found: list[Any] = []

    def visit(node: Any) -> None:
        buffer = getattr(node, "buffer", None)
        if buffer is not None and buffer.scope() == "local.fragment":
            found.append(buffer)

    tir.namespace().stmt_functor.post_order_visit(holder.body, visit)
    return bool(found)


def _is_ignored(prim_func: Any, holder: Any, lower: Callable[[Any], Any]) -> bool:
    """Whether the kernel lowers even if the width of one holder is a float."""
    wrong = tir.namespace().FloatImm("float32", 4.0)
    try:
        with captured():
            lower(_with_one(prim_func, holder, wrong))
    except Exception:
        return False
    return True


def _like_a_positive_one(prim_func: Any, holder: Any, lower: Callable[[Any], Any]) -> int | None:
    """Return the positive width of one holder that lowers to the source of the kernel as it is, None if none does."""
    with captured():
        source = lower(prim_func).source
        for width in _POSSIBLE:
            with contextlib.suppress(Exception):  # up to 0.1.14 a width that does not fit fails
                if lower(_with_one(prim_func, holder, tir.namespace().IntImm("int32", width))).source == source:
                    return width
    return None


def _with_one(prim_func: Any, holder: Any, wanted: Any) -> Any:
    """Return the kernel with another width on one holder."""
    return tir.with_widths(prim_func, lambda node, width: wanted if node.same_as(holder) else width)


def _used_alone(prim_func: Any, holder: Any, lower: Callable[[Any], Any]) -> set[int]:
    """Return the widths that a log names if just one holder asks for one."""
    with captured() as text:
        lower(tir.with_widths(prim_func, lambda node, width: width if node.same_as(holder) else None))
    return {int(other) for _, other in _ANOTHER.findall(text[0])}
