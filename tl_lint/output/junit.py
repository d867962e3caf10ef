"""The rows of a verification as JUnit's XML, in the form that Jenkins' schema (jenkins-junit.xsd) describes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from xml.etree import ElementTree

from tl_lint.verify.model import Outcome, Row, Verdict

__all__ = ["as_junit"]

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FAILURES = (Verdict.FAILS, Verdict.FIX_REJECTED)
_SKIPPED = (Verdict.NOT_INSTANTIATED, Verdict.NOT_REACHED)


def as_junit(rows: Iterable[Row], shown: Callable[[str], str], troubles: Sequence[tuple[str, str]] = ()) -> str:
    """Return a document with a suite a file and a case a kernel and set of arguments.

    A kernel that fails or whose fix is rejected is a failure, one that could not be built or judged is skipped; each of
    `troubles`, (what it is about, message), is an error in a suite of its own.
    """
    root = ElementTree.Element("testsuites", name="tl-lint verify")
    by_path = sorted(rows, key=lambda row: row.path)
    for path, group in groupby(by_path, lambda row: row.path):
        members = list(group)
        _suite(root, shown(path), [_case(row, shown(path)) for row in members], members)
    for about, message in troubles:
        case = ElementTree.Element("testcase", name="tl-lint verify", classname=_clean(about))
        ElementTree.SubElement(case, "error", message=_clean(message))
        _suite(root, about, [case], ())
    _count(root, list(root.iter("testcase")), sum(row.seconds for row in by_path))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


def _suite(root: ElementTree.Element, name: str, cases: Sequence[ElementTree.Element], rows: Sequence[Row]) -> None:
    suite = ElementTree.SubElement(root, "testsuite", name=_clean(name))
    _count(suite, cases, sum(row.seconds for row in rows))
    suite.set("skipped", str(sum(case.find("skipped") is not None for case in cases)))
    suite.extend(cases)


def _count(element: ElementTree.Element, cases: Sequence[ElementTree.Element], seconds: float) -> None:
    element.set("tests", str(len(cases)))
    element.set("failures", str(sum(case.find("failure") is not None for case in cases)))
    element.set("errors", str(sum(case.find("error") is not None for case in cases)))
    element.set("time", f"{seconds:.3f}")


def _case(row: Row, shown: str) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase", name=_clean(f"{row.kernel}({row.args})"), classname=_clean(shown), time=f"{row.seconds:.3f}"
    )
    if row.verdict in _FAILURES:
        failure = ElementTree.SubElement(case, "failure", type=row.verdict.value, message=_clean(_why(row)))
        failure.text = _clean(_log(row))
    elif row.verdict in _SKIPPED:
        ElementTree.SubElement(case, "skipped", message=_clean(f"{row.verdict.value}: {_why(row)}"))
    said = [f"verdict: {row.verdict.value}", f"level: {row.level}"]
    said += [f"arguments from: {row.args_source}"] if row.args_source else []
    said += [f"check {check.name} {check.verdict}: {check.message}" for check in row.checks if check.verdict != "ok"]
    ElementTree.SubElement(case, "system-out").text = _clean("\n".join(said))
    return case


def _why(row: Row) -> str:
    return row.message or next((outcome.message for _, outcome in _failed(row) if outcome.message), row.verdict.value)


def _log(row: Row) -> str:
    parts = [
        f"{name}: {outcome.outcome} after {outcome.level}: {outcome.message}\n{outcome.log}".rstrip()
        for name, outcome in _failed(row)
    ]
    return "\n\n".join(parts)


def _failed(row: Row) -> list[tuple[str, Outcome]]:
    versions = (("fixed", row.fixed), ("original", row.original), ("control", row.control))
    return [(name, outcome) for name, outcome in versions if outcome is not None and not outcome.passes]


def _clean(text: str) -> str:
    """Return `text` with the characters that XML cannot hold as question marks."""
    return _NOT_IN_XML.sub("?", text)
