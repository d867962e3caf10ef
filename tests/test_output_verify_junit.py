"""JUnit's XML: what Jenkins' schema (junit-10.xsd of its xUnit plugin) allows, and what the rows come to."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tests.verify_rows import ABORT, OK, WARNS, failing, row
from tl_lint.output.junit import as_junit
from tl_lint.verify.model import Row, Verdict

ALLOWED = {
    "testsuites": ({"testsuite"}, {"name", "time", "tests", "failures", "errors"}, set()),
    "testsuite": (
        {"testcase"},
        {"name", "tests", "failures", "errors", "time", "skipped"},
        {"name", "tests", "failures", "errors"},
    ),
    "testcase": ({"skipped", "error", "failure", "system-out"}, {"name", "time", "classname"}, {"name"}),
    "failure": (set(), {"type", "message"}, set()),
    "error": (set(), {"type", "message"}, set()),
    "skipped": (set(), {"type", "message"}, set()),
    "system-out": (set(), set(), set()),
}
"""Of each element that we write: the children and attributes that the schema allows, and the attributes it demands."""


def parsed(*rows: Row, troubles: tuple[tuple[str, str], ...] = ()) -> ElementTree.Element:
    """Return the document's root, after holding every element of it to the schema."""
    root = ElementTree.fromstring(as_junit(rows, lambda path: path.removeprefix("/p/"), troubles))
    assert root.tag == "testsuites"
    for element in root.iter():
        children, attributes, demanded = ALLOWED[element.tag]
        assert {child.tag for child in element} <= children
        assert demanded <= set(element.attrib) <= attributes
        if element.tag not in ("failure", "system-out"):
            assert not (element.text or "").strip()
    return root


def test_a_suite_a_file_and_a_case_a_kernel() -> None:
    root = parsed(OK, row(Verdict.OK, path="/p/b.py"), row(Verdict.FAILS))
    assert [(suite.get("name"), suite.get("tests")) for suite in root] == [("a.py", "2"), ("b.py", "1")]
    assert [(case.get("classname"), case.get("name")) for case in root.iter("testcase")] == [
        ("a.py", "gemm(M=64, N=64)"),
        ("a.py", "scale()"),
        ("b.py", "scale()"),
    ]
    assert (root.get("tests"), root.get("failures"), root.get("errors"), root.get("time")) == ("3", "1", "0", "1.500")


@pytest.mark.parametrize(
    ("verdict", "tag"),
    [
        (Verdict.OK, None),
        (Verdict.FIX_CONFIRMED, None),
        (Verdict.FIX_HARMLESS, None),
        (Verdict.FAILS, "failure"),
        (Verdict.FIX_REJECTED, "failure"),
        (Verdict.NOT_INSTANTIATED, "skipped"),
        (Verdict.NOT_REACHED, "skipped"),
    ],
)
def test_what_a_verdict_comes_to(verdict: Verdict, tag: str | None) -> None:
    root = parsed(row(verdict))
    [case] = root.iter("testcase")
    assert [child.tag for child in case if child.tag != "system-out"] == ([tag] if tag else [])
    [suite] = root
    counted = {name: suite.get(name) for name in ("failures", "skipped", "errors")}
    assert counted == {"failures": str(int(tag == "failure")), "skipped": str(int(tag == "skipped")), "errors": "0"}
    assert f"verdict: {verdict.value}" in (case.findtext("system-out") or "")


def test_a_failure_has_the_message_and_the_log_of_the_compiler() -> None:
    [failure] = parsed(row(Verdict.FAILS, original=failing(log="frame 1\nframe 2"))).iter("failure")
    assert (failure.get("type"), failure.get("message")) == ("fails", f"fails: {ABORT}")
    assert "frame 1\nframe 2" in (failure.text or "")


def test_a_file_that_cannot_be_read_is_an_error() -> None:
    root = parsed(troubles=(("a.py", "cannot be read: no such file"),))
    assert (root.get("tests"), root.get("errors")) == ("1", "1")
    [error] = root.iter("error")
    assert error.get("message") == "cannot be read: no such file"


def test_warnings_of_checks_come_along() -> None:
    [said] = parsed(row(Verdict.OK, checks=(WARNS,))).iter("system-out")
    assert "check width warns: 8 was asked for, 4 used" in (said.text or "")


def test_what_xml_cannot_hold_is_taken_out() -> None:
    odd = failing("\x1b[31m\x00\ud800 <&>\"' 四", log="\x08\ufffe\x7f")
    root = parsed(row(Verdict.FAILS, "k\x01", original=odd, message="", args="'\x0c'"))
    [failure] = root.iter("failure")
    assert failure.get("message") == "?[31m?? <&>\"' 四"
    assert "??\x7f" in (failure.text or "")


def test_no_rows_are_an_empty_document() -> None:
    assert list(parsed()) == []
