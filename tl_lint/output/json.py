"""Findings as ruff's JSON, key for key, so that what reads ruff reads this."""

from __future__ import annotations

import json
from collections.abc import Iterable

from tl_lint.findings import FileReport, Finding, FoundFix
from tl_lint.model import Position

__all__ = ["as_json"]

_URL: str | None = None
"""The page of a rule: it has no address on the web; `tl-lint explain CODE` prints it."""


def as_json(reports: Iterable[FileReport]) -> str:
    """Return the array of all findings, in ASCII; lines and columns count from 1, columns in code points."""
    return json.dumps([_finding(report, finding) for report in reports for finding in report.findings], indent=2)


def _finding(report: FileReport, finding: Finding) -> dict[str, object]:
    return {
        "cell": None,
        "code": finding.code,
        "end_location": _place(finding.end),
        "filename": report.path.encode("utf-8", "replace").decode("utf-8"),
        "fix": None if finding.fix is None else _fix(finding.fix),
        "location": _place(finding.start),
        "message": finding.message,
        "name": finding.name,
        "noqa_row": finding.noqa_row,
        "severity": "error",
        "url": _URL,
    }


def _fix(fix: FoundFix) -> dict[str, object]:
    edits = [
        {"content": edit.text, "end_location": _place(edit.end), "location": _place(edit.start)} for edit in fix.edits
    ]
    return {"applicability": fix.applicability.value, "edits": edits, "message": fix.title}


def _place(position: Position) -> dict[str, int]:
    return {"column": position.column + 1, "row": position.line}
