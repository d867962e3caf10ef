"""From text to LibCST's tree and back to places in the text, without ever ending the process."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

import libcst as cst
from libcst._nodes.internal import CodegenState

from tl_lint.model import Span
from tl_lint.stack import MOST_LEVELS

__all__ = ["ParseError", "parse", "spans"]


class ParseError(Exception):
    """The text has no tree that could be analysed. `line` counts from 1, `column` in code points from 0."""

    def __init__(self, message: str, line: int = 1, column: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


def parse(text: str) -> cst.Module:
    """Return LibCST's tree of `text`. Raises ParseError; has to run with a deep stack.

    Python's own parser goes first, since it refuses cleanly what would end the process inside LibCST; then the nesting
    is bounded, on its tree, and only then does LibCST see the text.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        raise ParseError(
            f"SyntaxError: {_line(error.msg)}", error.lineno or 1, max(0, (error.offset or 1) - 1)
        ) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ParseError(f"{type(error).__name__}: {_line(str(error)) or 'too deeply nested'}") from None
    deep = _too_deep(tree, text)
    if deep is not None:
        raise ParseError(f"nested more than {MOST_LEVELS} levels deep", deep)
    del tree
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        raise ParseError(f"LibCST: {_line(error.message)}", error.raw_line, error.raw_column) from None
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of the native parser is no Exception
        raise ParseError(f"LibCST: {type(error).__name__}: {_line(str(error))}") from None


def _line(text: str) -> str:
    return " ".join(text.split())


# ---------------------------------------------------------------------- nesting


def _too_deep(tree: ast.Module, text: str) -> int | None:
    """Return the line of a statement nested deeper than allowed, or None.

    A level takes at least one character, so only the statements that are long enough are looked into.
    """
    lines = text.splitlines(keepends=True) if len(text) > MOST_LEVELS else []
    if not lines:
        return None
    stack: list[tuple[ast.AST, int]] = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > MOST_LEVELS:
            return getattr(node, "lineno", 1)
        blocks = [child for child in ast.iter_child_nodes(node) if isinstance(child, _BLOCKS)]
        if not isinstance(node, ast.Module) and not _is_short(node, blocks):
            for child in ast.iter_child_nodes(node):
                if not isinstance(child, _BLOCKS) and _depth(child, lines) + depth > MOST_LEVELS:
                    return getattr(child, "lineno", getattr(node, "lineno", 1))
        stack += [(child, depth + 1) for child in blocks]
    return None


_BLOCKS = (ast.stmt, ast.excepthandler, ast.match_case)


def _is_short(node: ast.AST, blocks: Sequence[ast.AST]) -> bool:
    """Return whether the part of a statement before its blocks stands on one line of harmless length."""
    first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    if first is None or last is None or getattr(node, "decorator_list", None):
        return False
    inner = [line for block in blocks if (line := getattr(block, "lineno", None)) is not None]
    if inner and len(inner) == len(blocks) and min(inner) > first:
        last = min(inner) - 1
    if last != first or blocks:
        return False
    return bool(node.end_col_offset - node.col_offset <= MOST_LEVELS)  # type: ignore[attr-defined]


def _depth(top: ast.AST, lines: list[str]) -> int:
    """Return how deep LibCST nests the expression, which is deeper than `ast` does in places."""
    deepest = 0
    stack = [(top, 1)]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        if deepest > MOST_LEVELS:
            break
        depth += _extra(node, lines)
        deepest = max(deepest, depth)
        stack += [(child, depth + 1) for child in ast.iter_child_nodes(node)]
    return deepest


def _extra(node: ast.AST, lines: list[str]) -> int:
    """Return the levels that a flat node of `ast` has in LibCST: chained operators, loops, dots, adjacent strings."""
    if isinstance(node, ast.BoolOp):
        return len(node.values)
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        return len(node.generators)
    if isinstance(node, ast.alias):
        return node.name.count(".")
    if isinstance(node, (ast.Constant, ast.JoinedStr)) and not isinstance(getattr(node, "value", ""), (int, float)):
        return _adjacent_strings(node, lines)
    return 0


def _adjacent_strings(node: ast.expr, lines: list[str]) -> int:
    """Return how many literals side by side make up a string, as far as that could be too many."""
    assert node.end_lineno is not None
    text = "".join(lines[node.lineno - 1 : node.end_lineno])
    if text.count('"') + text.count("'") <= MOST_LEVELS:
        return 0
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(f"({text.strip()}\n)").readline))
    except (tokenize.TokenError, SyntaxError):
        return MOST_LEVELS
    return sum(token.type == tokenize.STRING for token in tokens)


# ---------------------------------------------------------------------- places


class _Recorder(CodegenState):
    """Generates the text of a tree and notes where the wanted nodes come to stand, their own brackets left out."""

    def __init__(self, module: cst.Module, wanted: Collection[cst.CSTNode]) -> None:
        super().__init__(default_indent=module.default_indent, default_newline=module.default_newline)
        self.found: dict[cst.CSTNode, Span] = {}
        self._wanted = wanted
        self._offset = 0

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        self._offset += len(value)

    def add_indent_tokens(self) -> None:
        self.tokens.extend(self.indent_tokens)
        self._offset += sum(map(len, self.indent_tokens))

    def before_codegen(self, node: cst.CSTNode) -> None:
        if node in self._wanted:
            self.found[node] = Span(self._offset, -1)

    def after_codegen(self, node: cst.CSTNode) -> None:
        if node in self._wanted and self.found[node].end == -1:
            self.found[node] = Span(self.found[node].start, self._offset)

    @contextmanager
    def record_syntactic_position(
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> Iterator[None]:
        start = self._offset
        yield
        if node in self._wanted:
            self.found[node] = Span(start, self._offset)


def spans(module: cst.Module, text: str, wanted: Collection[cst.CSTNode]) -> dict[cst.CSTNode, Span]:
    """Return where the `wanted` nodes of `module` stand in `text`, from which it was parsed, in one pass.

    Raises ParseError if LibCST does not give the text back as it was: then no place could be trusted.
    """
    recorder = _Recorder(module, wanted)
    module._codegen(recorder)
    if "".join(recorder.tokens) != text:
        raise ParseError("LibCST does not give the text back as it is")
    return recorder.found
