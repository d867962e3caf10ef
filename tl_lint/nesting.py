"""How deep a file is nested, asked of Python's own tree before LibCST sees the text.

Measured with LibCST 1.9: its parser recurses, so that some thousand levels end the process on a small stack; its time
grows with the square of the length of a chain and, in a `case` pattern or the target of a `del`, fourfold with each
bracket. Everything here takes time in proportion to the file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import accumulate

__all__ = ["MOST_BRACKETS", "MOST_LEVELS", "too_deep"]

MOST_LEVELS = 3_500
"""The deepest nesting that is analysed: a sum of 3,000 terms takes 3 s, and 4 MiB of stack in any Python."""
MOST_BRACKETS = 8
"""The deepest brackets of a `case` or `del`: 0.2 s each with 8, 3.5 s with 10."""
_MOST_WORK = 20_000_000
"""The largest sum of the depths of all nodes, which goes with the time that LibCST takes: about half a minute."""

_WEIGHTS: dict[type[ast.AST], int] = {ast.Call: 3, ast.Subscript: 3, ast.Lambda: 2}  # by time; all others 1
_SKIPPED = frozenset({"ctx", "op", "ops"})
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_OPENING = re.compile(rb"""[A-Za-z]{0,3}(\'\'\'|\"\"\"|'|")""")
_STRING_OR_COMMENT = re.compile(r"""\#[^\r\n]*|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\"""", re.DOTALL)
_BRACKET = re.compile(r"[(\[{]|[)\]}]")


def too_deep(tree: ast.Module, text: str) -> tuple[str, int] | None:
    """Return what is too deep in `text`, of which `tree` is Python's tree, and on which line; None if nothing is."""
    text_lines: list[str] = []
    work = 0
    stack: list[tuple[ast.AST, int]] = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        kind = type(node)
        work += depth
        depth += _WEIGHTS.get(kind, 1)
        if kind in _FLAT_HERE:
            text_lines = text_lines or _LINE.findall(text)
            depth += _extra(node, text_lines)
            if isinstance(node, (ast.Match, ast.Delete)) and _most_brackets(node, text_lines) > MOST_BRACKETS:
                word = "case" if isinstance(node, ast.Match) else "del"
                return f"brackets nested more than {MOST_BRACKETS} levels deep in a {word}", node.lineno
        if depth > MOST_LEVELS:
            return f"nested more than {MOST_LEVELS} levels deep", getattr(node, "lineno", 1)
        stack += [(child, depth) for child in _children(node, kind)]
    return ("too large for its nesting", 1) if work > _MOST_WORK else None


def _children(node: ast.AST, kind: type[ast.AST]) -> Iterator[ast.AST]:
    fields = _FIELDS.get(kind)
    if fields is None:
        fields = _FIELDS[kind] = tuple(name for name in kind._fields if name not in _SKIPPED)
    for name in fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            for item in value:
                if isinstance(item, ast.AST):
                    yield item
        elif isinstance(value, ast.AST):
            yield value


# ---------------------------------------------------------------------- what ast has flat and LibCST nests

_FLAT_HERE = frozenset(
    {
        ast.BoolOp,
        ast.Constant,
        ast.Delete,
        ast.DictComp,
        ast.GeneratorExp,
        ast.ImportFrom,
        ast.JoinedStr,
        ast.ListComp,
        ast.Match,
        ast.SetComp,
        ast.alias,
    }
)


def _extra(node: ast.AST, lines: list[str]) -> int:
    """Return the levels that LibCST has where `ast` has one: operators, loops, dots, strings side by side."""
    if isinstance(node, ast.BoolOp):
        return len(node.values)
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        return len(node.generators)
    if isinstance(node, ast.alias):
        return node.name.count(".")
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").count(".")
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))):
        return _most_parts(node, lines)
    return 0


def _most_parts(node: ast.expr, lines: list[str]) -> int:
    """Return how many literals side by side a string can be made of, 0 where they are too few to matter."""
    assert node.end_lineno is not None and node.end_col_offset is not None
    if node.end_lineno == node.lineno and node.end_col_offset - node.col_offset <= 2 * MOST_LEVELS:
        return 0
    encoded = [line.encode("utf-8", "surrogatepass") for line in lines[node.lineno - 1 : node.end_lineno]]
    if not encoded:  # up to Python 3.11 places inside an f-string can be wrong
        return 0
    behind = len(encoded[-1]) - node.end_col_offset
    literal = b"".join(encoded)[node.col_offset :][: -behind or None]
    opening = _OPENING.match(literal)
    if opening is not None and literal.find(opening[1], opening.end()) == len(literal) - len(opening[1]):
        return 0  # a single literal, however many quotes of the other kind it holds
    return (literal.count(b"'") + literal.count(b'"')) // 2


def _most_brackets(node: ast.Match | ast.Delete, lines: list[str]) -> int:
    """Return how deep brackets nest in the target of a `del` or the head of a `case`, counted on whole lines."""
    if isinstance(node, ast.Delete):
        return _depth_of_brackets(lines, node.lineno, node.end_lineno or node.lineno)
    deepest = 0
    above = node.subject.end_lineno or node.lineno
    for case in node.cases:
        deepest = max(deepest, _depth_of_brackets(lines, above + 1, case.body[0].lineno))
        above = case.body[-1].end_lineno or above
    return deepest


def _depth_of_brackets(lines: list[str], first: int, last: int) -> int:
    bare = _STRING_OR_COMMENT.sub("", "".join(lines[first - 1 : last]))
    return max(accumulate((1 if bracket in "([{" else -1 for bracket in _BRACKET.findall(bare)), initial=0))
