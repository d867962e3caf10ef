"""The values that a function insists on for its parameters: `assert kv_heads == 1`, `if dtype not in (...): raise`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tl_lint.verify.reading import free_names, statements

__all__ = ["demanded"]


def demanded(node: ast.FunctionDef, names: set[str], known: set[str]) -> dict[str, str]:
    """Return the source of the values that the function asserts, or raises without, for some of its parameters.

    `names` are the parameters; a value may be made of constants and of `known`, names of the module. What depends on
    other parameters is passed over, the equality of two parameters excepted: then the other one's name is the value.
    """
    found: dict[str, str] = {}
    for test in _tests(node):
        for name, value in _equalities(test):
            if name not in names or name in found:
                continue
            other = isinstance(value, ast.Name) and value.id in names and value.id not in found and value.id != name
            if other or free_names(value) <= known - names:
                found[name] = ast.unparse(value)
    return found


def _tests(node: ast.FunctionDef) -> Iterator[ast.expr]:
    """Yield what has to hold wherever the function is called, whichever way its ifs go."""
    for statement in node.body:
        if isinstance(statement, ast.Assert):
            yield statement.test
        elif isinstance(statement, ast.If) and all(isinstance(item, ast.Raise) for item in statement.body):
            yield ast.UnaryOp(ast.Not(), statement.test)
    for statement in statements(node.body):
        if isinstance(statement, ast.FunctionDef):
            yield from _tests(statement)


def _equalities(test: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield (name, value) of the equalities that a test asks for."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            yield from _equalities(value)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _refused(test.operand)
    elif isinstance(test, ast.Name):
        yield test.id, ast.Constant(True)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        yield from _compared(test, (ast.Eq, ast.Is), ast.In)


def _refused(test: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield the equalities that have to hold for a test to fail."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        for value in test.values:
            yield from _refused(value)
    elif isinstance(test, ast.Name):
        yield test.id, ast.Constant(False)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _equalities(test.operand)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        yield from _compared(test, (ast.NotEq, ast.IsNot), ast.NotIn)


def _compared(
    test: ast.Compare, equal: tuple[type[ast.cmpop], ...], inside: type[ast.cmpop]
) -> Iterator[tuple[str, ast.expr]]:
    left, right = test.left, test.comparators[0]
    if isinstance(test.ops[0], equal):
        for one, other in ((left, right), (right, left)):
            if isinstance(one, ast.Name):
                yield one.id, other
    elif isinstance(test.ops[0], inside) and isinstance(left, ast.Name) and getattr(right, "elts", None):
        yield left.id, right.elts[0]  # type: ignore[attr-defined]
