"""What a file's names stand for and where its functions are, read with `ast` alone: nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["File", "Function", "free_names", "is_main_guard", "opened", "statements"]

_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True)
class Function:
    """A function of a file; `owners` are the classes around it, outermost first."""

    node: ast.FunctionDef
    owners: tuple[ast.ClassDef, ...] = ()

    @property
    def name(self) -> str:
        """Its dotted name from the module: "Class.method"."""
        return ".".join([*(owner.name for owner in self.owners), self.node.name])


@lru_cache(maxsize=8)
def opened(text: str) -> File:
    """Return the File of a text, the same one for all who read it: a file is asked about once for each of its kernels.

    Raises SyntaxError or ValueError, as `ast.parse` does, if the text is no Python.
    """
    return File(text)


class File:
    """A parsed file: its functions, and the dotted names that its own names stand for.

    Raises what `ast.parse` raises if the text is no Python.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self.aliases: dict[str, str] = {}
        self.stars: list[str] = []
        self.assigned: dict[str, ast.expr] = {}
        for node in ast.walk(self.tree):
            self._note_import(node)
        for statement in statements(self.tree.body):
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                self.assigned[statement.targets[0].id] = statement.value

    def _note_import(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for item in node.names:
                root = item.name.partition(".")[0]
                self.aliases[item.asname or root] = item.name if item.asname else root
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for item in node.names:
                if item.name == "*":
                    self.stars.append(module)
                else:
                    self.aliases[item.asname or item.name] = f"{module}.{item.name}"

    def dotted(self, expression: ast.expr, depth: int = 8) -> str:
        """Return the full dotted name behind an expression, "" if it has none; that of a call is what is called.

        `jit = partial(tilelang.jit, ...)` and `jit = tilelang.jit(...)` are seen through.
        """
        if depth == 0:
            return ""
        if isinstance(expression, ast.Call):
            called = self.dotted(expression.func, depth - 1)
            if called in ("functools.partial", "partial") and expression.args:
                return self.dotted(expression.args[0], depth - 1)
            return called
        if isinstance(expression, ast.Attribute):
            root = self.dotted(expression.value, depth - 1)
            return f"{root}.{expression.attr}" if root else ""
        if not isinstance(expression, ast.Name):
            return ""
        if expression.id in self.aliases:
            return self.aliases[expression.id]
        if expression.id in self.assigned:
            return self.dotted(self.assigned[expression.id], depth - 1) or expression.id
        return expression.id

    def functions(self) -> Iterator[Function]:
        """Yield the functions that the module or one of its classes binds; of two of one name only the last."""
        found: dict[str, Function] = {}
        for function in _functions(self.tree.body, ()):
            found.pop(function.name, None)
            found[function.name] = function
        yield from found.values()

    def function(self, name: str) -> Function | None:
        """Return the function of that dotted name, None if there is none."""
        return next((item for item in self.functions() if item.name == name), None)


def _functions(body: Iterable[ast.stmt], owners: tuple[ast.ClassDef, ...]) -> Iterator[Function]:
    for statement in statements(body):
        if isinstance(statement, ast.FunctionDef):
            yield Function(statement, owners)
        elif isinstance(statement, ast.ClassDef):
            yield from _functions(statement.body, (*owners, statement))


def statements(body: Iterable[ast.AST]) -> Iterator[ast.stmt]:
    """Yield the statements of a body, those of its ifs, loops, withs and tries included, in order of the source.

    Bodies of functions and classes are not entered, and neither is a block that only a script runs.
    """
    for item in body:
        if isinstance(item, ast.stmt):
            yield item
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) or is_main_guard(item):
            continue
        for field in _BODIES:
            yield from statements(getattr(item, field, []))


def is_main_guard(node: ast.AST) -> bool:
    """Whether a statement is `if __name__ == "__main__":`."""
    if not isinstance(node, ast.If) or not isinstance(node.test, ast.Compare):
        return False
    sides = [node.test.left, *node.test.comparators]
    return any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)


def free_names(node: ast.AST) -> set[str]:
    """Return the names that an expression reads, less those that its own comprehensions and lambdas bind."""
    read = {item.id for item in ast.walk(node) if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Load)}
    bound = {item.id for item in ast.walk(node) if isinstance(item, ast.Name) and not isinstance(item.ctx, ast.Load)}
    return read - bound - {item.arg for item in ast.walk(node) if isinstance(item, ast.arg)}
