from __future__ import annotations

from typing import Any

from tl_lint.verify.requests import Suspicion
from tl_lint.verify.suspicions import settled, suspicions

TEXT = """
for i in T.Parallel(
    n,
    coalesced_width=width,
):
    f(T.Parallel(n, coalesced_width=width))
"""


def annotation(line: int | None, raw: bool, key: str = "coalesced_width", read: bool = True) -> dict[str, Any]:
    return {"key": key, "value": "4", "raw": raw, "kind": "parallel", "read": read, "line": line}


def test_a_finding_has_the_lines_of_its_call() -> None:
    assert suspicions(TEXT, [("TLC002", 4, False), ("TLC002", 6, True), ("TLC002", 1, False)]) == (
        Suspicion("TLC002", 2, 5),
        Suspicion("TLC002", 6, 6, True),
        Suspicion("TLC002", 1, 1),
    )


def test_an_untraced_kernel_settles_nothing() -> None:
    found = [Suspicion("TLC002", 2, 5)]
    assert settled(found, None) == [{"code": "TLC002", "line": 2, "outcome": "unknown", "fixable": False}]
    assert settled(found, []) == [{"code": "TLC002", "line": 2, "outcome": "unknown", "fixable": False}]


def test_another_line_or_key_settles_nothing() -> None:
    found = [Suspicion("TLC002", 2, 5)]
    others = [annotation(6, True), annotation(None, True), annotation(3, True, key="num_stages")]
    assert settled(found, others)[0]["outcome"] == "unknown"


def test_what_was_traced_settles_it() -> None:
    found = [Suspicion("TLC002", 2, 5), Suspicion("TLC002", 6, 6)]
    outcomes = [each["outcome"] for each in settled(found, [annotation(2, True), annotation(6, False)])]
    assert outcomes == ["fact", "cleared"]


def test_one_raw_value_among_several_is_a_fact() -> None:
    outcomes = settled([Suspicion("TLC002", 6, 6)], [annotation(6, False), annotation(6, True)])
    assert outcomes[0]["outcome"] == "fact"


def test_a_value_that_a_layout_overrules_is_no_fact() -> None:
    assert settled([Suspicion("TLC002", 6, 6)], [annotation(6, True, read=False)])[0]["outcome"] == "cleared"
