"""What a kernel's text does with its tensors for sure, whatever the values that it was built with."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Use", "uses_in_text"]

_ABOUT = frozenset({"shape", "dtype", "strides", "stride", "ndim", "name", "scope", "elem_offset"})
"""What may be asked of a tensor without touching its elements."""
_COPIES = frozenset({"copy", "async_copy"})
_LANGUAGE = frozenset({"T", "tl", "tilelang", "language"})


@dataclass(frozen=True)
class Use:
    """A use of a tensor: its line, from 1, and whether it writes to it."""

    line: int
    written: bool


def uses_in_text(function: Callable[..., Any] | None, names: Sequence[str]) -> dict[str, Use]:
    """Return the use of each tensor in `names` that `function`, a kernel before it was traced, makes in any case.

    A use counts if it is a subscript, an assignment to the name, or an argument of a `T.` function, and if all the
    conditions around it are about values of the device: under any other, such as `if has_bias:`, it may be left out by
    intent. A write goes before a read. Nothing is said of a function whose text can't be had.
    """
    try:
        assert function is not None
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
    except (AssertionError, OSError, TypeError, SyntaxError, IndexError):
        return {}
    if not isinstance(tree, ast.FunctionDef):
        return {}
    reader = _Reader(_device_names(tree, names))
    found: dict[str, Use] = {}
    for name, line, written in reader.block(tree.body):
        if name in names and (name not in found or (written and not found[name].written)):
            found[name] = Use(line + first - 1, written)
    return found


def _device_names(tree: ast.FunctionDef, tensors: Iterable[str]) -> set[str]:
    """Return the tensors, and the names that hold a value of the device: of blocks, loops, elements, and of those."""
    found = {*tensors, *(item.arg for item in tree.args.args)}
    known = -1
    while known != len(found):
        known = len(found)
        for node in ast.walk(tree):
            if isinstance(node, ast.With) and any(_is_language_call(item.context_expr) for item in node.items):
                targets = [item.optional_vars for item in node.items if item.optional_vars is not None]
            elif isinstance(node, ast.For) and (_is_language_call(node.iter) or _calls(node.iter) == "range"):
                targets = [node.target]
            elif isinstance(node, ast.Assign) and _mentions(node.value, found):
                targets = list(node.targets)
            else:
                continue
            found |= {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    return found


def _is_language_call(node: ast.expr) -> bool:
    function = node.func if isinstance(node, ast.Call) else None
    while isinstance(function, ast.Attribute):
        function = function.value
        if isinstance(function, ast.Name):
            return function.id in _LANGUAGE
    return False


def _calls(node: ast.expr) -> str:
    """Return the last part of the name that a call calls, "" for anything else."""
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _leaves(node: ast.If) -> bool:
    """Whether a condition may end the function or the turn of a loop, so that what follows depends on it."""
    return any(isinstance(item, (ast.Return, ast.Continue, ast.Break, ast.Raise)) for item in ast.walk(node))


def _mentions(node: ast.AST, names: set[str]) -> bool:
    """Whether one of `names` stands in `node`, other than to ask for a shape and the like."""
    if isinstance(node, ast.Attribute) and node.attr in _ABOUT:
        return False
    if isinstance(node, ast.Name):
        return node.id in names
    return any(_mentions(child, names) for child in ast.iter_child_nodes(node))


class _Reader:
    """Yields (name, line, whether it is written) for the uses that no condition of Python's stands before."""

    def __init__(self, device: set[str]) -> None:
        self._device = device

    def block(self, statements: Sequence[ast.stmt]) -> Iterator[tuple[str, int, bool]]:
        for statement in statements:
            yield from self._statement(statement)
            if isinstance(statement, ast.If) and not self._is_runtime(statement.test) and _leaves(statement):
                return

    def _statement(self, node: ast.stmt) -> Iterator[tuple[str, int, bool]]:
        if isinstance(node, ast.If):
            if self._is_runtime(node.test):
                yield from self._expression(node.test)
                yield from self.block(node.body)
                yield from self.block(node.orelse)
        elif isinstance(node, ast.With):
            yield from self.block(node.body)
        elif isinstance(node, ast.For):
            if _is_language_call(node.iter) or _calls(node.iter) == "range":
                yield from self.block(node.body)
        elif isinstance(node, (ast.Assign, ast.AugAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from self._target(target)
            yield from self._expression(node.value)
        elif isinstance(node, ast.Expr):
            yield from self._expression(node.value)

    def _is_runtime(self, test: ast.expr) -> bool:
        """Whether every part of a condition is about a value of the device."""
        if isinstance(test, ast.BoolOp):
            return all(self._is_runtime(value) for value in test.values)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self._is_runtime(test.operand)
        return _mentions(test, self._device)

    def _target(self, node: ast.expr) -> Iterator[tuple[str, int, bool]]:
        if isinstance(node, ast.Name):
            yield node.id, node.lineno, True
        elif isinstance(node, ast.Subscript):
            if isinstance(node.value, ast.Name):
                yield node.value.id, node.lineno, True
            yield from self._expression(node.slice)
        elif isinstance(node, (ast.Tuple, ast.List)):
            for item in node.elts:
                yield from self._target(item)

    def _expression(self, node: ast.expr) -> Iterator[tuple[str, int, bool]]:
        if isinstance(
            node, (ast.IfExp, ast.BoolOp, ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp)
        ):
            return
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            yield node.value.id, node.lineno, False
        if isinstance(node, ast.Call) and _is_language_call(node):
            for number, argument in enumerate([*node.args, *(item.value for item in node.keywords)]):
                whole = argument.value if isinstance(argument, ast.Subscript) else argument
                if isinstance(whole, ast.Name):
                    yield whole.id, node.lineno, number == 1 and _calls(node) in _COPIES
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from self._expression(child)
            elif isinstance(child, ast.keyword):
                yield from self._expression(child.value)
