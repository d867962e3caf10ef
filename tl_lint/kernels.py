"""The kernel model: one file as rules see it, from names and values to the kernel around a node."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import libcst as cst

from tl_lint.calls import Annotated, Calls
from tl_lint.names import Names
from tl_lint.tracing import TraceKind, Tracing
from tl_lint.tree import Tree
from tl_lint.values import Values

if TYPE_CHECKING:
    from tl_lint.releases import Target

__all__ = ["File"]


class File:
    """One parsed file and all that is known of it. What costs time is worked out when it is first asked for.

    `path` is the file's path for following re-exports, or None. `target` are the targeted TileLang releases.
    """

    def __init__(self, tree: Tree, target: Target, path: str | None, language_modules: tuple[str, ...]) -> None:
        self.tree = tree
        self.target = target
        self.names = Names(tree, path, language_modules)
        self.tracing = Tracing(self.names)
        self.values = Values(self.names, self.tracing)
        self.calls = Calls(self.names, self.values)
        self._annotated: dict[tuple[cst.Call, str], Annotated | None] = {}

    def annotated(self, call: cst.Call, key: str, takers: frozenset[str], ignored_with: str) -> Annotated | None:
        """Return what `call` reads for the annotation `key`: `Calls.annotated`, worked out once a call."""
        known = (call, key)
        if known not in self._annotated:
            self._annotated[known] = self.calls.annotated(call, key, takers, ignored_with)
        return self._annotated[known]

    def kernel(self, node: cst.CSTNode) -> tuple[cst.FunctionDef, TraceKind] | None:
        """Return the traced function whose own body holds `node`, and how it is declared; None in plain Python."""
        return self.tracing.around(node)

    def code(self, node: cst.CSTNode) -> str:
        """Return the text of a node on one line, without the comments that it may hold."""
        text = self.tree.module.code_for_node(node).strip()
        if "\n" not in text and "\r" not in text:
            return text
        try:
            return ast.unparse(ast.parse(f"({text}\n)", mode="eval"))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return " ".join(text.split())
