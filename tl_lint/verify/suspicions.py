"""What the traced kernel says of findings that could only say "may": a fact, cleared, or still unknown."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from tl_lint.verify.requests import Suspicion

__all__ = ["settled", "suspicions"]

_ATTRIBUTE = "coalesced_width"


def suspicions(text: str, places: Iterable[tuple[str, int, bool]]) -> tuple[Suspicion, ...]:
    """Return the findings at `places` of `text`, each with the lines of the call around it.

    A place is the finding's code, its line from 1, and whether a fix is there that was not asked for.
    """
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    return tuple(_around(*place, calls) for place in places)


def _around(code: str, line: int, fixable: bool, calls: Sequence[ast.Call]) -> Suspicion:
    """Return the finding with the lines of the outermost call that holds its line."""
    around = [
        (call.lineno, call.end_lineno or call.lineno)
        for call in calls
        if call.lineno <= line <= (call.end_lineno or call.lineno)
    ]
    return Suspicion(code, *min(around, default=(line, line)), fixable)


def settled(found: Iterable[Suspicion], annotations: Sequence[dict[str, Any]] | None) -> list[dict[str, Any]]:
    """Return {code, line, outcome, fixable} for each: "fact" if a value there is read and no IntImm, else "cleared".

    `annotations` are those of the traced kernel (see child/tir.py), None if it was not traced.
    """
    result = []
    for each in found:
        there = [
            annotation
            for annotation in annotations or ()
            if annotation["key"] == _ATTRIBUTE and each.line <= (annotation.get("line") or 0) <= each.end_line
        ]
        outcome = (
            "unknown" if not there else "fact" if any(item["raw"] and item["read"] for item in there) else "cleared"
        )
        result.append({"code": each.code, "line": each.line, "outcome": outcome, "fixable": each.fixable})
    return result
