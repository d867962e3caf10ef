"""The configurations that tilelang.autotune is given above a kernel, as arguments of it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping, Sequence

from tl_lint.verify.closing import Closing, Place
from tl_lint.verify.own_calls import Bound
from tl_lint.verify.reading import File, free_names
from tl_lint.verify.stages import Stage

__all__ = ["tuned"]

_RESERVED = "pass_configs"
"""A key of a configuration that is no parameter of the kernel."""


def tuned(file: File, closing: Closing, steps: Sequence[Stage], bound: Bound) -> Iterator[Bound]:
    """Yield `bound` with the parameters that it leaves open taken from the first configuration.

    Read are a literal list of dicts, and the product of the lists in a dict, be it in the decorator or in the function
    that makes the configurations. Anything else is left to the child to evaluate in the module's scope, as
    "**get_configs()[0]", the entry "**" of a stage.
    """
    for number, step in enumerate(steps):
        configs = _configs(file, step.node)
        if configs is None:
            continue
        made = _made_in(file, configs)
        names = {item.name for item in step.parameters}
        read = _read(closing, made, names)
        if read is not None:
            filled = {**read, **bound[number]}
        else:
            text = _expression(file, configs, bound[number], _RESERVED in _keys(made))
            if text is None:
                continue
            # An empty text stands for what "**" is to give.
            filled = {**bound[number], **dict.fromkeys(_keys(made) & names, ""), "**": text}
        yield [filled if index == number else values for index, values in enumerate(bound)]


def _configs(file: File, node: ast.FunctionDef) -> ast.expr | None:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and file.dotted(decorator.func).endswith("autotune"):
            given = {item.arg: item.value for item in decorator.keywords}
            return given.get("configs", decorator.args[0] if decorator.args else None)
    return None


def _made_in(file: File, node: ast.expr) -> ast.expr | ast.FunctionDef:
    """Return what makes the configurations: a function of the file, what a name is bound to, or `node` itself."""
    called = node.func if isinstance(node, ast.Call) else node
    if not isinstance(called, ast.Name):
        return node
    function = file.function(called.id)
    return function.node if function else file.assigned.get(called.id, node)


def _dicts(made: ast.AST) -> Iterator[tuple[dict[str, ast.expr], ast.AST]]:
    """Yield the dicts that are spelled out in what makes the configurations."""
    for item in ast.walk(made):
        if isinstance(item, ast.Dict):
            pairs = zip(item.keys, item.values, strict=True)
            yield {str(key.value): value for key, value in pairs if isinstance(key, ast.Constant)}, item
        elif (
            isinstance(item, ast.Call) and isinstance(item.func, ast.Name) and item.func.id == "dict" and item.keywords
        ):
            yield {word.arg: word.value for word in item.keywords if word.arg}, item


def _keys(made: ast.AST) -> set[str]:
    """Return the names that configurations may hold."""
    stored = {
        item.slice.value
        for item in ast.walk(made)
        if isinstance(item, ast.Subscript)
        and isinstance(item.slice, ast.Constant)
        and isinstance(item.slice.value, str)
    }
    return stored.union(*(entries for entries, _ in _dicts(made)))


def _read(closing: Closing, made: ast.expr | ast.FunctionDef, names: set[str]) -> dict[str, str] | None:
    """Return the first configuration, None if it can't be told by reading."""
    functions = (made,) if isinstance(made, ast.FunctionDef) else ()
    for entries, where in _dicts(made):
        wanted = {name: value for name, value in entries.items() if name in names}
        place = Place(getattr(where, "lineno", 0), functions)
        values = {name: _first(closing, value, place) for name, value in wanted.items()}
        if values and None not in values.values():
            return {name: value for name, value in values.items() if value is not None}
    return None


def _first(closing: Closing, value: ast.expr, place: Place) -> str | None:
    """Return a configuration's value, the first of a list of them."""
    if isinstance(value, ast.Name):
        bound = closing.binding(value.id, place)
        if bound is not None:
            value, place = bound
    if isinstance(value, (ast.List, ast.Tuple)) and value.elts:
        value = value.elts[0]
    closed = closing.closed(value, place)
    return None if closed is None else ast.unparse(closed)


def _expression(file: File, node: ast.expr, known: Mapping[str, str], reserved: bool) -> str | None:
    """Return the text of the first configuration, None if it can't be evaluated in the module's scope."""
    bound = set(file.aliases) | set(file.assigned) | {item.name for item in file.functions()}
    if not all(name in bound or hasattr(builtins, name) for name in free_names(node)):
        return None
    text = ast.unparse(node)
    function = file.function(node.id) if isinstance(node, ast.Name) else None
    if function is not None:
        # The autotuner calls it with the kernel's arguments.
        arguments = function.node.args
        needed = [item.arg for item in arguments.args[: len(arguments.args) - len(arguments.defaults)]]
        if not all(name in known for name in needed):
            return None
        text = f"{text}({', '.join(f'{name}={known[name]}' for name in needed)})"
    if reserved:
        return f"{{key: value for key, value in {text}[0].items() if key != '{_RESERVED}'}}"
    return f"{text}[0]"
