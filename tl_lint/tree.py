"""One walk over a parsed module: who is whose parent, and which nodes there are of the classes that somebody wants."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache

import libcst as cst

__all__ = ["STATEMENTS", "Tree", "children"]

_LAYOUT_FIELDS = frozenset(
    {
        "lpar", "rpar", "lbrace", "rbrace", "lbracket", "rbracket", "comma", "semicolon", "dot", "equal", "colon",
        "first_colon", "second_colon", "operator", "operators", "ops", "asynchronous", "header", "footer", "indent",
        "leading_lines", "leading_whitespace",
        "lines_after_decorators", "lines_after_module_docstring", "trailing_whitespace", "separator",
        "relative", "arrow", "bar", "newline",
    }
)  # fmt: skip

_LEAVES = (cst.Name, cst.BaseNumber, cst.SimpleString, cst.FormattedStringText)
"""Classes whose only other fields are text and layout: a third of all nodes."""

STATEMENTS = (cst.BaseSmallStatement, cst.BaseCompoundStatement)


@cache
def _child_fields(node_class: type[cst.CSTNode]) -> tuple[str, ...]:
    """Return the dataclass fields of a LibCST class that can hold code, layout left out."""
    if issubclass(node_class, _LEAVES):
        return ()
    return tuple(
        field.name
        for field in fields(node_class)
        if field.name not in _LAYOUT_FIELDS and not field.name.startswith("whitespace")
    )


_NODE, _SEQUENCE, _NEITHER = "node", "sequence", "neither"


def _find_shape(value_class: type[object]) -> str:
    if issubclass(value_class, cst.CSTNode):
        return _NODE
    return _SEQUENCE if issubclass(value_class, (list, tuple)) else _NEITHER


_shape: Callable[[type[object]], str] = cache(_find_shape)  # type: ignore[assignment] # a class is hashable
"""Whether instances of a class hold code: asked once a class, since CSTNode is an ABC and slow to ask."""


def children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the nodes directly below `node`, layout (whitespace, brackets, commas) left out.

    LibCST's own `.children` rebuilds the node to find them, which costs as much as parsing.
    """
    for name in _child_fields(type(node)):
        value = getattr(node, name)
        shape = _shape(type(value))
        if shape is _NODE:
            yield value
        elif shape is _SEQUENCE:
            for item in value:
                if _shape(type(item)) is _NODE:
                    yield item


class Tree:
    """A module with its parent links.

    `parents` maps every node but the module to the node above it. The walk is iterative, so depth does not matter.
    """

    def __init__(self, module: cst.Module) -> None:
        self.module = module
        self.parents: dict[cst.CSTNode, cst.CSTNode] = {}
        self._of_class: dict[type[cst.CSTNode], list[cst.CSTNode]] = {}
        self._sequence: list[cst.CSTNode] = []
        self._order: dict[cst.CSTNode, int] | None = None
        self._walk()

    def _walk(self) -> None:
        parents, of_class, sequence, shapes = self.parents, self._of_class, self._sequence, _shape
        stack: list[cst.CSTNode] = [self.module]
        while stack:
            node = stack.pop()
            sequence.append(node)
            node_class = type(node)
            try:
                of_class[node_class].append(node)
            except KeyError:
                of_class[node_class] = [node]
            below: list[cst.CSTNode] = []
            for name in _child_fields(node_class):
                value = getattr(node, name)
                shape = shapes(type(value))
                if shape is _NODE:
                    below.append(value)
                elif shape is _SEQUENCE:
                    below += [item for item in value if shapes(type(item)) is _NODE]
            for child in below:
                parents[child] = node
            below.reverse()
            stack += below

    def nodes(self, *classes: type[cst.CSTNode]) -> Iterator[cst.CSTNode]:
        """Yield the nodes that are instances of one of `classes`, each class's in the order of the walk."""
        for node_class, found in self._of_class.items():
            if issubclass(node_class, classes):
                yield from found

    def ancestors(self, node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
        """Yield `(ancestor, its child on the way)` from the parent of `node` up to the module."""
        child = node
        parent = self.parents.get(child)
        while parent is not None:
            yield parent, child
            child, parent = parent, self.parents.get(parent)

    def order(self, node: cst.CSTNode) -> int:
        """Return the rank of `node` in the walk: statements, and what they hold, come in the order of the text."""
        if self._order is None:
            self._order = {each: rank for rank, each in enumerate(self._sequence)}
        return self._order.get(node, -1)

    def statement(self, node: cst.CSTNode) -> cst.CSTNode:
        """Return the innermost statement that holds `node`: itself if it is one, the module if there is none."""
        if isinstance(node, STATEMENTS):
            return node
        for ancestor, _ in self.ancestors(node):
            if isinstance(ancestor, STATEMENTS):
                return ancestor
        return self.module

    def below(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Yield `node` and every node under it, parents first, fields in LibCST's order."""
        stack = [node]
        while stack:
            current = stack.pop()
            yield current
            stack.extend(reversed(list(children(current))))
