"""From text to LibCST's tree and back to places in the text, without ever ending the process."""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress

import libcst as cst
from libcst._nodes.internal import CodegenState

from tl_lint.messages import one_line
from tl_lint.model import Span
from tl_lint.nesting import too_deep

__all__ = ["ParseError", "parse", "spans"]

_LONE_RETURN = re.compile(r"\r(?!\n)")
_FORM_FEED = re.compile(r"^[ \t\x0c]*\x0c(?=[ \t]*[^\s])", re.MULTILINE)


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
            f"SyntaxError: {one_line(error.msg)}", error.lineno or 1, max(0, (error.offset or 1) - 1)
        ) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ParseError(f"{type(error).__name__}: {one_line(error) or 'too deeply nested'}") from None
    deep = too_deep(tree, text)
    if deep is not None:
        raise ParseError(*deep)
    del tree
    try:
        return cst.parse_module(_for_libcst(text)[0])
    except cst.ParserSyntaxError as error:
        raise ParseError(f"LibCST: {one_line(error.message)}", error.raw_line, error.raw_column) from None
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of the native parser is no Exception
        raise ParseError(f"LibCST: {type(error).__name__}: {one_line(error)}") from None


def _for_libcst(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return `text` as LibCST can give it back, and what was taken out: (offset in the result, how many so far).

    LibCST does not know a carriage return that ends a line by itself, which Python reads as a line feed, and drops a
    form feed in front of a statement, at which Python starts to count the indentation anew.
    """
    if "\r" in text:
        text = _LONE_RETURN.sub("\n", text)
    removed: list[tuple[int, int]] = []
    if "\x0c" not in text:
        return text, removed
    parts: list[str] = []
    position = count = 0
    for match in _FORM_FEED.finditer(text):
        parts.append(text[position : match.start()])
        position = match.end()
        removed.append((match.start() - count, count + match.end() - match.start()))
        count += match.end() - match.start()
    return "".join([*parts, text[position:]]), removed


# ---------------------------------------------------------------------- places


class _AllFound(Exception):
    """The rest of the tree need not be generated."""


class _Recorder(CodegenState):
    """Generates the text of a tree and notes where the wanted nodes stand, as LibCST's PositionProvider does."""

    def __init__(self, module: cst.Module, wanted: Collection[cst.CSTNode]) -> None:
        super().__init__(default_indent=module.default_indent, default_newline=module.default_newline)
        self.found: dict[cst.CSTNode, Span] = {}
        self._wanted = set(wanted)
        self._starts: dict[cst.CSTNode, int] = {}
        self._offset = 0

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        self._offset += len(value)

    def add_indent_tokens(self) -> None:
        self.tokens.extend(self.indent_tokens)
        self._offset += sum(map(len, self.indent_tokens))

    def before_codegen(self, node: cst.CSTNode) -> None:
        if node in self._wanted:
            self._starts[node] = self._offset

    def after_codegen(self, node: cst.CSTNode) -> None:
        # Most nodes tell which part of them is syntax; those that don't are taken whole.
        if node in self._wanted:
            if node not in self.found:
                self.found[node] = Span(self._starts[node], self._offset)
            if len(self.found) == len(self._wanted):
                raise _AllFound

    @contextmanager
    def record_syntactic_position(
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> Iterator[None]:
        if node not in self._wanted:
            yield
            return
        self._wanted.update(bound for bound in (start_node, end_node) if bound is not None)
        start = self._offset
        yield
        self.found[node] = Span(
            self.found[start_node].start if start_node is not None else start,
            self.found[end_node].end if end_node is not None else self._offset,
        )


def spans(module: cst.Module, text: str, wanted: Collection[cst.CSTNode]) -> dict[cst.CSTNode, Span]:
    """Return where the `wanted` nodes of `module` stand in `text`, from which it was parsed, up to the last of them.

    Raises ParseError if LibCST does not give the text back as it was: then no place could be trusted.
    """
    recorder = _Recorder(module, wanted)
    try:
        with suppress(_AllFound):
            module._codegen(recorder)
    except RecursionError:  # Python 3.12 counts C calls by a limit of its own: some 740 levels
        raise ParseError("nested too deeply for this Python") from None
    for_libcst, removed = _for_libcst(text)
    generated = "".join(recorder.tokens)
    # Before it is done, LibCST ends the last line of a file that does not end it.
    if not for_libcst.startswith(generated) and generated != for_libcst + module.default_newline:
        raise ParseError("LibCST does not give the text back as it is")
    found = {node: recorder.found[node] for node in wanted}
    if not removed:
        return found

    def place(offset: int) -> int:
        before = bisect_right(removed, (offset, len(text)))
        return offset + (removed[before - 1][1] if before else 0)

    return {node: Span(place(span.start), place(span.end)) for node, span in found.items()}
