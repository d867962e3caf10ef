"""What the traced kernel says of findings that could only say "may": a fact, cleared, or still unknown."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from tl_lint.verify.requests import Suspicion

__all__ = ["settled", "suspicions"]

_ATTRIBUTE = "coalesced_width"


def suspicions(text: str, places: Iterable[tuple[str, int]]) -> tuple[Suspicion, ...]:
    """Return the findings at `places` (code, line from 1) of `text`, each with the lines of the call around it."""
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    return tuple(_around(code, line, calls) for code, line in places)


def _around(code: str, line: int, calls: Sequence[ast.Call]) -> Suspicion:
    """Return the finding with the lines of the outermost call that holds its line."""
    around = [
        (call.lineno, call.end_lineno or call.lineno)
        for call in calls
        if call.lineno <= line <= (call.end_lineno or call.lineno)
    ]
    return Suspicion(code, *min(around, default=(line, line)))


def settled(found: Iterable[Suspicion], annotations: Sequence[dict[str, Any]] | None) -> list[dict[str, Any]]:
    """Return {code, line, outcome} for each: "fact" if a value there is read and no IntImm, "cleared" if none is.

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
        result.append({"code": each.code, "line": each.line, "outcome": outcome})
    return result
