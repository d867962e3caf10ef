"""The rows of a verification as JSON: one object a kernel. docs/verify.md describes them, and is a contract."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict

from tl_lint.verify.model import Outcome, Row

__all__ = ["as_json", "row_as_json"]

_LARGE = ("tir", "cuda")
"""Facts that go into files, with --keep, and not into JSON."""


def as_json(rows: Iterable[Row]) -> str:
    """Return the array of all rows, in ASCII."""
    return json.dumps([row_as_json(row) for row in rows], indent=2, default=str, allow_nan=False)


def row_as_json(row: Row) -> dict[str, object]:
    """Return the object of one row."""
    return {
        "path": row.path.encode("utf-8", "replace").decode("utf-8"),
        "kernel": row.kernel,
        "line": row.line,
        "args": row.args,
        "args_source": row.args_source,
        "tilelang": row.tilelang,
        "target": row.target,
        "verdict": row.verdict.value,
        "level": str(row.level),
        "message": row.message,
        "original": _outcome(row.original),
        "fixed": _outcome(row.fixed),
        "control": _outcome(row.control),
        "requested_width": row.requested_width,
        "effective_width": row.effective_width,
        "checks": [asdict(check) for check in row.checks],
        "facts": _finite(row.facts),
        "seconds": round(row.seconds, 3),
    }


def _outcome(outcome: Outcome | None) -> dict[str, object] | None:
    if outcome is None:
        return None
    return {
        "level": str(outcome.level),
        "outcome": outcome.outcome,
        "message": outcome.message,
        "checks": [asdict(check) for check in outcome.checks],
        "facts": _finite({key: value for key, value in outcome.facts.items() if key not in _LARGE}),
    }


def _finite(value: object) -> object:
    """Return `value` with nan and infinities, which JSON lacks, as strings."""
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not -float("inf") < value < float("inf"):
        return str(value)
    return value
