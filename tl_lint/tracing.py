"""Which functions TileLang traces instead of running, and what that does to the names in them.

Measured on 0.1.13 and 0.1.15, and read from `tilelang/language/eager/builder.py` of both.
"""

from __future__ import annotations

from enum import Enum

import libcst as cst

from tl_lint.names import LANGUAGE, Names

__all__ = ["TraceKind", "Tracing"]

JIT = ("tilelang.jit", "tilelang.jit.jit", f"{LANGUAGE}.jit")


class TraceKind(Enum):
    """How a traced function is declared."""

    PRIM_FUNC = "prim_func"
    MACRO = "macro"
    EAGER = "eager jit kernel"


class Tracing:
    """Tells the traced functions of one file from those that plain Python runs."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._kinds: dict[cst.CSTNode, TraceKind | None] = {}

    def kind(self, function: cst.CSTNode) -> TraceKind | None:
        """Return how `function` is traced, or None for plain Python: a lazy jit factory, a helper, a lambda."""
        if not isinstance(function, cst.FunctionDef):
            return None
        if function not in self._kinds:
            self._kinds[function] = self._kind(function)
        return self._kinds[function]

    def around(self, node: cst.CSTNode) -> tuple[cst.FunctionDef, TraceKind] | None:
        """Return the traced function whose own body holds `node`, and its kind; None in plain Python code."""
        for ancestor, child in self.names.tree.ancestors(node):
            if isinstance(ancestor, (cst.FunctionDef, cst.ClassDef, cst.Lambda)) and child is ancestor.body:
                kind = self.kind(ancestor)
                return (ancestor, kind) if isinstance(ancestor, cst.FunctionDef) and kind is not None else None
        return None

    def binds_variable(self, statement: cst.CSTNode) -> bool:
        """Return whether a name that `statement` binds to an expression becomes something else.

        In traced code it does, but for the statements of a prim_func or eager kernel before its `with T.Kernel`: there
        the tracer keeps the expression as it is.
        """
        around = self.around(statement)
        if around is None:
            return False
        function, kind = around
        if kind is TraceKind.MACRO:
            return True
        for ancestor, _ in self.names.tree.ancestors(statement):
            if ancestor is function:
                return False
            if isinstance(ancestor, (cst.With, cst.For, cst.While, cst.If)):
                return True
        return True

    def _kind(self, function: cst.FunctionDef) -> TraceKind | None:
        for decorator in function.decorators:
            name = self.names.decorator(decorator)
            if name == f"{LANGUAGE}.prim_func":
                return TraceKind.PRIM_FUNC
            if name == f"{LANGUAGE}.macro":
                return TraceKind.MACRO
            if name in JIT and self._is_eager(function):
                return TraceKind.EAGER
        return None

    def _is_eager(self, function: cst.FunctionDef) -> bool:
        """Return whether a jit function builds its kernel itself: it launches one, and holds no prim_func.

        `has_internal_prim_func` in TileLang's own mode inference looks for the same.
        """
        launches = False
        for node in self.names.tree.below(function.body):
            if isinstance(node, cst.FunctionDef) and self.names.is_decorated(node, f"{LANGUAGE}.prim_func"):
                return False
            if isinstance(node, cst.WithItem) and isinstance(node.item, cst.Call):
                launches = launches or self.names.only(node.item.func) in KERNEL_LAUNCHES
        return launches


KERNEL_LAUNCHES = frozenset({f"{LANGUAGE}.Kernel", f"{LANGUAGE}.ClusterKernel", f"{LANGUAGE}.PersistentKernel"})
