"""Trees and the places of nodes, held to LibCST's own PositionProvider."""

from __future__ import annotations

import warnings
from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from tl_lint.model import Position, Span
from tl_lint.parsing import ParseError, parse, spans
from tl_lint.source import Source
from tl_lint.stack import with_deep_stack

ROOT = Path(__file__).resolve().parents[1]
TEXTS = {
    "empty": "",
    "comments": "# a\n\n  # b",
    "brackets": "x = ( (a) , [b, (c)] , f( (d) ) )\n",
    "blocks": "class A(B):\n\n  @d\n  def f(self, a: int = 1) -> int:  # c\n    return a\n\n  # end\nelse_ = 1\n",
    "branches": "if a: pass\nelif b:\n\tpass\nelse:\n  x; y = 1;\nfor i in j:\n  pass\nelse:\n  pass\n",
    "tries": "try:\n  a\nexcept B as c:\n  d\nelse:\n  e\nfinally:\n  f\nwith a as b, c:\n  pass\nwhile a: b\n",
    "CRLF": "x = 1\r\nif y:\r\n\tz(  # c\r\n\t 1)\r\n",
    "mixed newlines": "x = 1\r\ny = 2\nz = '''a\r\nb'''\r\nw = 3",
    "form feeds": "x = 1\n\x0c\ny = (2,\x0c\n  3)\n",
    "continuations": "x = 1 + \\\n  2\nfrom a import (  # c\n  b as c,\n)\nfrom d import e\n",
    "characters": "x = '\U0001f600\u2028'; é = f'{x!r:>{y}}' 'a'\n",
    "operators": "x = not a and -b ** c < d if e else lambda f, *g, h=1, **i: await_ or (yield_)\n",
    "a match": "match a:\n  case [1, *b] if c:\n    pass\n  case {'x': y, **z} | A(b=1):\n    pass\n",
}


# LibCST counts a newline at the end of a file that has none, so their ends differ; no rule asks for them.
MARGINS = (cst.Module, cst.Newline, cst.EmptyLine, cst.TrailingWhitespace)


def every_node(module: cst.Module) -> list[cst.CSTNode]:
    """Return all nodes of a tree."""
    found: list[cst.CSTNode] = [module]
    for node in found:
        found += node.children
    return found


def places_agree(text: str) -> None:
    """Compare the places of all nodes with those of LibCST."""
    module = parse(text)
    source = Source.from_text("x.py", text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    nodes = [node for node in every_node(module) if not isinstance(node, MARGINS)]
    found = spans(module, text, nodes)
    for node in nodes:
        span, place = found[node], expected[node]
        assert isinstance(place, CodeRange)
        start, end = source.position(span.start), source.position(span.end)
        assert (start.line, start.column) == (place.start.line, place.start.column), node
        assert (end.line, end.column) == (place.end.line, place.end.column), node


@pytest.mark.parametrize("name", TEXTS)
def test_places_are_those_of_libcst(name: str) -> None:
    with_deep_stack(places_agree, TEXTS[name])


@pytest.mark.parametrize("path", ["tl_lint/source.py", "tl_lint/nesting.py", "tests/test_source.py"])
def test_places_in_real_files_are_those_of_libcst(path: str) -> None:
    with_deep_stack(places_agree, (ROOT / path).read_text(encoding="utf-8"))


def test_places_leave_out_brackets_and_what_follows() -> None:
    text = "def f():\n    return (a, b)  # c\n\n"
    module = parse(text)
    wanted = [node for node in every_node(module) if isinstance(node, (cst.FunctionDef, cst.Tuple))]
    found = spans(module, text, wanted)
    assert [found[node] for node in wanted] == [Span(0, 26), Span(21, 25)]


@pytest.mark.parametrize("text", ["x = 1", "a\r\nx = 1", "if a:\n  x = 1", "x = 1\n"])
def test_a_last_line_may_end_without_a_newline(text: str) -> None:
    module = parse(text)
    for statement in module.body:
        (span,) = spans(module, text, {statement}).values()
        assert text[: span.end].rstrip() == text[: span.end]
    assert text[span.start : span.end] == text.rstrip()[span.start :]


def test_places_are_not_trusted_if_the_tree_is_not_of_the_text() -> None:
    module = parse("x = 1\n")
    with pytest.raises(ParseError, match="back"):
        spans(module, "x = 2\n", {module})


@pytest.mark.parametrize("text", ["\x0cx = y\n", "a\n\x0cx = y\n", "if a:\n  b\n\x0c  x = y\n", "a\r\n\x0c\x0cx = y"])
def test_a_form_feed_in_front_of_a_statement_moves_nothing(text: str) -> None:
    module = parse(text)
    nodes = [node for node in every_node(module) if isinstance(node, (cst.Assign, cst.Name))]
    found = spans(module, text, nodes)
    placed = {text[found[node].start : found[node].end] for node in nodes}
    assert {"x = y", "x", "y"} <= placed <= {"x = y", "x", "y", "a", "b"}


def test_a_carriage_return_by_itself_ends_a_line() -> None:
    text = "x = 1\ry = (2,\r  3)\r\nz = 4\r"
    module = parse(text)
    number = next(node for node in every_node(module) if isinstance(node, cst.Integer) and node.value == "3")
    (span,) = spans(module, text, {number}).values()
    assert text[span.start : span.end] == "3"
    assert Source.from_text("x.py", text).position(span.start) == Position(3, 2)


@pytest.mark.parametrize(
    "text",
    [
        "x = (",
        "def f(:\n",
        "x = 1\n  y = 2\n",
        "x = '\ud800'",
        "\x00",
        "print 1",
        "x = 1\n\x1a",
        "if a:\n\tb\n        c\n",
    ],
)
def test_what_python_refuses_is_one_line(text: str) -> None:
    with pytest.raises(ParseError) as refused:
        parse(text)
    assert refused.value.message
    assert "\n" not in refused.value.message


def test_warnings_about_the_code_stay_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse("x = '\\q'\ny = 1 is 1\n")
