"""Turns an expression of a function into one that means the same at module level, by reading the file.

Names of the module stay as they are: arguments are evaluated in the module's scope. Those of a function are replaced by
what they are bound to: an assignment before the place, the default of a parameter, what the file's own calls or a
pytest parametrisation pass for it, the default of a command-line option.
"""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass
from typing import Any

from tl_lint.verify.reading import File, free_names, is_main_guard, statements

__all__ = ["Closing", "Place"]

_DEPTH = 12
_LEAVES = (ast.Constant, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)

_NOT_CALLED = ("torch", "os", "sys", "subprocess", "random", "open", "print")


@dataclass(frozen=True)
class Place:
    """Where an expression stands: its line, and the functions around it, outermost first."""

    line: int
    functions: tuple[ast.FunctionDef, ...]


class Closing:
    """Closes the expressions of one file."""

    def __init__(self, file: File) -> None:
        self._file = file
        self._module: set[str] = set()
        self._script: list[ast.stmt] = []
        for statement in statements(file.tree.body):
            self._module |= {name for name, _ in _bindings(statement)}
            if is_main_guard(statement):
                self._script += list(statements(getattr(statement, "body", [])))
        self.places: list[tuple[ast.Call, Place]] = []
        self._gather(file.tree, ())
        self._options: dict[str, ast.expr] = {}
        self._options = self._command_line()

    def _gather(self, node: ast.AST, functions: tuple[ast.FunctionDef, ...]) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call):
                self.places.append((child, Place(child.lineno, functions)))
            self._gather(child, (*functions, child) if isinstance(child, ast.FunctionDef) else functions)

    def closed(self, node: ast.expr, place: Place, depth: int = _DEPTH) -> ast.expr | None:
        """Return the expression with the names of functions replaced, None if one of them can't be told."""
        if depth == 0:
            return None
        if isinstance(node, ast.Name):
            return self._name(node, place, depth - 1)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, place, depth - 1)
        if isinstance(node, _LEAVES):
            return node
        if isinstance(node, (ast.Lambda, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp, ast.JoinedStr)):
            return node if all(self._of_module(name, place) for name in free_names(node)) else None
        if isinstance(node, ast.Call) and not self._may_be_called(node, place):
            return None
        return self._rebuilt(node, place, depth)

    def _rebuilt(self, node: ast.expr, place: Place, depth: int) -> ast.expr | None:
        fields: dict[str, Any] = {}
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                items = [self._part(item, place, depth) for item in value]
                if any(new is None and old is not None for new, old in zip(items, value, strict=True)):
                    return None
                fields[field] = items
            elif isinstance(value, ast.AST):
                new = self._part(value, place, depth)
                if new is None:
                    return None
                fields[field] = new
            else:
                fields[field] = value
        return type(node)(**fields)

    def _part(self, item: ast.AST | None, place: Place, depth: int) -> ast.AST | None:
        if isinstance(item, ast.keyword):
            value = self.closed(item.value, place, depth - 1)
            return None if value is None else ast.keyword(item.arg, value)
        if isinstance(item, ast.expr):
            return self.closed(item, place, depth - 1)
        return item if isinstance(item, _LEAVES) else None

    def _may_be_called(self, node: ast.Call, place: Place) -> bool:
        """Whether a call is likely to be a plain computation: one of a builtin, of the file, or of an import."""
        root: ast.expr = node.func
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or not self._of_module(root.id, place):
            return False
        # Tensors are made on a device; files, processes and random numbers are none of our business.
        return self._file.dotted(root).partition(".")[0] not in _NOT_CALLED

    def _of_module(self, name: str, place: Place) -> bool:
        if any(name in _local_names(function) for function in place.functions):
            return False
        return name in self._module or hasattr(builtins, name) or bool(self._file.stars)

    def binding(self, name: str, place: Place) -> tuple[ast.expr, Place] | None:
        """Return what a function's name is bound to before a place, and where that stands; None if it can't be told."""
        for depth in range(len(place.functions), 0, -1):
            function = place.functions[depth - 1]
            if name in _local_names(function):
                # An inner function may run after anything in the outer one.
                line = place.line if depth == len(place.functions) else None
                bound, value = _assigned(name, function.body, line)
                if not bound:
                    return self._passed(name, function, place, depth)
                return None if value is None else (value, Place(value.lineno, place.functions[:depth]))
        _, value = _assigned(name, self._script, None if place.functions else place.line)
        return None if value is None else (value, Place(value.lineno, ()))

    def _passed(self, name: str, function: ast.FunctionDef, place: Place, depth: int) -> tuple[ast.expr, Place] | None:
        """Return what a parameter is: its default, else what a call of the function passes, else a parametrisation."""
        outside = Place(function.lineno, place.functions[: depth - 1])
        arguments = function.args
        positional = [item.arg for item in [*arguments.posonlyargs, *arguments.args]]
        defaults = dict(zip(reversed(positional), reversed(arguments.defaults), strict=False))
        defaults |= {
            item.arg: value for item, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value
        }
        default = defaults.get(name)
        if default is not None and not _is_none(default):
            return default, outside
        return self._from_call(name, function.name, positional) or _parametrised(name, function, outside)

    def _from_call(self, name: str, function: str, positional: list[str]) -> tuple[ast.expr, Place] | None:
        index = positional.index(name) if name in positional else None
        for call, place in self.places:
            if not isinstance(call.func, ast.Name) or call.func.id != function:
                continue
            for keyword in call.keywords:
                if keyword.arg == name:
                    return keyword.value, place
            plain = not any(isinstance(item, ast.Starred) for item in call.args)
            if index is not None and plain and index < len(call.args):
                return call.args[index], place
        return None

    def _name(self, node: ast.Name, place: Place, depth: int) -> ast.expr | None:
        if self._of_module(node.id, place) and not self._only_in_script(node.id):
            return node
        bound = self.binding(node.id, place)
        if bound is None or (isinstance(bound[0], ast.Name) and bound[0].id == node.id and bound[1] == place):
            return None
        return self.closed(*bound, depth)

    def _only_in_script(self, name: str) -> bool:
        return name not in self._module and any(bound == name for item in self._script for bound, _ in _bindings(item))

    def _attribute(self, node: ast.Attribute, place: Place, depth: int) -> ast.expr | None:
        if isinstance(node.value, ast.Name) and node.attr in self._options and self._is_options(node.value, place):
            return self._options[node.attr]
        value = self.closed(node.value, place, depth)
        return None if value is None else ast.Attribute(value, node.attr, ast.Load())

    def _is_options(self, node: ast.Name, place: Place) -> bool:
        bound = self.binding(node.id, place)
        value: ast.AST | None = bound[0] if bound else None
        while isinstance(value, ast.Subscript):
            value = value.value
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            return "parse" in value.func.attr
        return node.id in ("args", "opts", "options")

    def _command_line(self) -> dict[str, ast.expr]:
        """Return the defaults of the file's command-line options, by the attribute that argparse makes of each."""
        found: dict[str, ast.expr] = {}
        for call, place in self.places:
            if not isinstance(call.func, ast.Attribute) or call.func.attr != "add_argument":
                continue
            keywords = {item.arg: item.value for item in call.keywords}
            names = [item.value for item in call.args if isinstance(item, ast.Constant) and isinstance(item.value, str)]
            value = keywords.get("default")
            if value is None and getattr(keywords.get("action"), "value", "") in ("store_true", "store_false"):
                value = ast.Constant(getattr(keywords["action"], "value", "") == "store_false")
            if names and value is not None:
                longest = max(names, key=len).lstrip("-").replace("-", "_")
                name = getattr(keywords.get("dest"), "value", longest)
                closed = self.closed(value, place)
                if closed is not None:
                    found.setdefault(str(name), closed)
        return found


def _assigned(name: str, body: list[ast.stmt], line: int | None) -> tuple[bool, ast.expr | None]:
    """Return whether a body binds a name before a line, and the last value it gives it, None if that can't be told."""
    found: tuple[bool, ast.expr | None] = (False, None)
    for statement in statements(body):
        if line is None or statement.lineno < line:
            for bound, value in _bindings(statement):
                if bound == name:
                    found = (True, value)
    return found


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _local_names(function: ast.FunctionDef) -> set[str]:
    arguments = function.args
    found = {item.arg for item in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}
    found |= {item.arg for item in (arguments.vararg, arguments.kwarg) if item is not None}
    for statement in statements(function.body):
        found |= {name for name, _ in _bindings(statement)}
    return found


def _bindings(statement: ast.stmt) -> list[tuple[str, ast.expr | None]]:
    """Return the names that a statement binds, each with its value, None where that can't be told."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [(statement.name, None)]
    if isinstance(statement, ast.Assign):
        return [pair for target in statement.targets for pair in _unpacked(target, statement.value)]
    if isinstance(statement, ast.AnnAssign):
        return _unpacked(statement.target, statement.value) if statement.value else []
    if isinstance(statement, ast.AugAssign):
        return _unpacked(statement.target, None)
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        among = statement.iter.elts if isinstance(statement.iter, (ast.List, ast.Tuple)) else []
        return _unpacked(statement.target, among[0] if among else None)
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return [pair for item in statement.items if item.optional_vars for pair in _unpacked(item.optional_vars, None)]
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return [((item.asname or item.name).partition(".")[0], None) for item in statement.names]
    return []


def _unpacked(target: ast.expr, value: ast.expr | None) -> list[tuple[str, ast.expr | None]]:
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    if not isinstance(target, (ast.Tuple, ast.List)):
        return []
    values: list[ast.expr | None] = [None] * len(target.elts)
    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
        values = list(value.elts)
    return [pair for item, part in zip(target.elts, values, strict=True) for pair in _unpacked(item, part)]


def _parametrised(name: str, function: ast.FunctionDef, place: Place) -> tuple[ast.expr, Place] | None:
    """Return the first value that `pytest.mark.parametrize` gives a parameter."""
    for decorator in function.decorator_list:
        if not isinstance(decorator, ast.Call) or not ast.unparse(decorator.func).endswith("parametrize"):
            continue
        if len(decorator.args) < 2 or not isinstance(decorator.args[1], (ast.List, ast.Tuple)):
            continue
        names = decorator.args[0]
        spelled = (
            [item.strip() for item in names.value.split(",")]
            if isinstance(names, ast.Constant) and isinstance(names.value, str)
            else [getattr(item, "value", "") for item in getattr(names, "elts", [])]
        )
        rows = decorator.args[1].elts
        if name not in spelled or not rows:
            continue
        row = rows[0]
        if isinstance(row, ast.Call):  # pytest.param(...)
            row = ast.Tuple(row.args, ast.Load()) if len(spelled) > 1 else row.args[0]
        if len(spelled) == 1:
            return row, place
        if isinstance(row, (ast.Tuple, ast.List)) and len(row.elts) == len(spelled):
            return row.elts[spelled.index(name)], place
    return None
