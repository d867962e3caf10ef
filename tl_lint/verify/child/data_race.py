"""TileLang's own check for elements that several iterations of a parallel loop write: VerifyParallelLoop."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tl_lint.verify.child.streams import captured
from tl_lint.verify.child.tir import namespace
from tl_lint.verify.model import Check

__all__ = ["check"]

_NAME = "data race"
# "`S[i]`is written by multiple threads in loop [j], Example:" up to 0.1.9, "`S(i,)`" and "(j,)" from 0.1.10, and from
# 0.1.13 all in one warning, each followed by a line such as "  --> FILE:9:1".
_RACE = re.compile(r"`(\w+)[\[(](.*?),?[\])]` ?is written by multiple threads in loop [\[(](.*?),?[\])]")
_ARROW = re.compile(r"\s*(?:, Example:)?\s*-->.*:(\d+):\d+$", re.MULTILINE)


def check(prim_func: Any) -> list[Check]:
    """Return a warning for each race that VerifyParallelLoop sees in a prim_func as traced; it runs by itself here.

    Every release from 0.1.8 has the pass. TileLang itself runs it up to 0.1.13 and by request only from 0.1.14, as it
    warns of what it cannot rule out: an index such as `i ^ 1`, or one that is kept in a variable, may be right. What it
    says of fragments is left out: those are registers of one thread each, and sums in them were seen to come out right.
    """
    import tilelang

    verify = getattr(tilelang.transform, "VerifyParallelLoop", None)
    if verify is None:
        return []
    with captured() as text:
        verify()(tilelang.tvm.IRModule({"main": prim_func}))
    if "Data race detected" not in text[0]:
        return []
    shared = _stored_and_shared(prim_func)
    return [race for name, race in dict.fromkeys(_races(text[0])) if name in shared]


def _races(text: str) -> Iterator[tuple[str, Check]]:
    """Yield the buffer and the warning of each race that the pass printed."""
    for race in _RACE.finditer(text):
        arrow = _ARROW.match(text, race.end())
        message = f"{race[1]}[{race[2]}] may be written by several iterations of the parallel loop over {race[3]}"
        yield race[1], Check(_NAME, "warns", message, int(arrow[1]) if arrow else None)


def _stored_and_shared(prim_func: Any) -> set[str]:
    """Return the names of the buffers that are stored to and that threads share."""
    found: set[str] = set()

    def visit(node: Any) -> None:
        if isinstance(node, namespace().BufferStore) and not node.buffer.scope().startswith("local"):
            found.add(str(node.buffer.name))

    namespace().stmt_functor.post_order_visit(prim_func.body, visit)
    return found
