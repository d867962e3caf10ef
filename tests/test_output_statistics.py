"""Counts of codes, in the shape that ruff 0.17 gives them."""

from __future__ import annotations

import io
import json

from tl_lint.findings import FileReport, Finding, FoundFix
from tl_lint.model import Applicability, Position
from tl_lint.output.statistics import Statistic, statistics, statistics_as_json, write_statistics
from tl_lint.output.terminal import Printer


def finding(code: str, fixable: bool = False) -> Finding:
    fix = FoundFix("Do it", (), Applicability.SAFE, applies=True) if fixable else None
    return Finding(code, f"rule-{code[-1]}", "message", Position(1, 0), Position(1, 1), 1, fix)


def written(*findings: Finding) -> str:
    stream = io.StringIO()
    write_statistics(statistics([FileReport("/a", "a", findings)]), Printer(stream, colour=False))
    return stream.getvalue()


def test_nothing() -> None:
    assert written() == ""
    assert statistics_as_json([]) == "[]"


def test_the_most_frequent_comes_first_then_the_code() -> None:
    reports = [
        FileReport("/a", "a", (finding("TLC703"), finding("TLC701"))),
        FileReport("/b", "b", (finding("TLC703"),)),
    ]
    expected = [Statistic("TLC703", "rule-3", 2, 0), Statistic("TLC701", "rule-1", 1, 0)]
    assert statistics(reports) == expected
    tied = statistics([FileReport("/a", "a", (finding("TLC702"), finding("TLC701")))])
    assert [statistic.code for statistic in tied] == ["TLC701", "TLC702"]


def test_no_marks_where_nothing_can_be_fixed() -> None:
    assert written(*[finding("TLC701")] * 10, finding("TLC702")) == "10\tTLC701\trule-1\n 1\tTLC702\trule-2\n"


def test_marks_for_all_some_and_none() -> None:
    found = [*[finding("TLC701", True)] * 3, finding("TLC702", True), finding("TLC702"), finding("TLC703")]
    assert written(*found) == "3\tTLC701\t[*] rule-1\n2\tTLC702\t[-] rule-2\n1\tTLC703\t[ ] rule-3\n"


def test_as_json() -> None:
    found = statistics([FileReport("/a", "a", (finding("TLC701", True), finding("TLC701")))])
    assert json.loads(statistics_as_json(found)) == [
        {"code": "TLC701", "name": "rule-1", "count": 2, "fixable": False, "fixable_count": 1}
    ]
