"""Finds the kernels of a file by reading it; nothing of it is run.

A kernel is a module-level function, or a method of a class, that
- is decorated with `T.prim_func` (form "prim_func"), or with `tilelang.jit` (form "jit"), lazy or eager, whatever
  other decorators (tilelang.autotune, functools.lru_cache, a project's own) are around it; or
- returns a prim_func or a jit function that it defines, or something made of it (form "factory").

Macros are none, and neither are functions named `host_*`.
"""

from __future__ import annotations

import ast

from tl_lint.verify.model import FoundKernel, Parameter
from tl_lint.verify.reading import File, Function, opened, statements

__all__ = ["form", "inner", "kernels", "parameters"]


def kernels(text: str, path: str = "<text>") -> list[FoundKernel]:
    """Return the kernels of a file's text in the order of the source.

    Raises SyntaxError, as `ast.parse` does, if the text is no Python; `path` is the name it gives the file.
    """
    try:
        file = opened(text)
    except SyntaxError as error:
        error.filename = path
        raise
    found = []
    for function in file.functions():
        node = function.node
        kind = "" if node.name.startswith("host_") else form(file, node)
        if kind:
            first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
            found.append(
                FoundKernel(function.name, kind, parameters(file, function), first, node.end_lineno or node.lineno)
            )
    return sorted(found, key=lambda kernel: kernel.line)


def form(file: File, node: ast.FunctionDef) -> str:
    """Return how a function becomes a prim_func, as `FoundKernel.form` says it, or "" if it does not."""
    names = [file.dotted(item) for item in node.decorator_list]
    last = {name.rpartition(".")[2] for name in names}
    if "macro" in last:
        return ""
    if "prim_func" in last:
        return "prim_func"
    if any(_is_jit(file, name) for name in names):
        return "jit"
    return "factory" if _returns_kernel(file, node) else ""


def _is_jit(file: File, name: str) -> bool:
    parts = name.split(".")
    if parts[-1] not in ("jit", "lazy_jit"):
        return False
    # Other projects have a jit too; one that came with a star import of TileLang is TileLang's.
    return "tilelang" in parts or (len(parts) == 1 and any("tilelang" in star.split(".") for star in file.stars))


def _returns_kernel(file: File, node: ast.FunctionDef) -> bool:
    """Whether what a function returns is made of a kernel that it defines."""
    made: set[str] = set()
    for statement in statements(node.body):
        if isinstance(statement, ast.FunctionDef):
            nested = statement
            if form(file, nested) or any(_mentions(item, made) for item in _returned(nested)):
                made.add(nested.name)
        elif isinstance(statement, ast.Assign) and _mentions(statement.value, made):
            made |= {item.id for target in statement.targets for item in ast.walk(target) if isinstance(item, ast.Name)}
    return any(_mentions(item, made) for item in _returned(node))


def _returned(node: ast.FunctionDef) -> list[ast.expr]:
    found = (item for item in statements(node.body) if isinstance(item, ast.Return))
    return [item.value for item in found if item.value is not None]


def _mentions(node: ast.expr, names: set[str]) -> bool:
    return any(isinstance(item, ast.Name) and item.id in names for item in ast.walk(node))


def inner(file: File, node: ast.FunctionDef) -> ast.FunctionDef | None:
    """Return the function that a factory hands out to be called in its turn, None if it hands out a prim_func.

    That is a nested jit function, or a nested factory, that is returned by its name.
    """
    if form(file, node) != "factory":
        return None
    returned = {item.id for item in _returned(node) if isinstance(item, ast.Name)}
    for statement in statements(node.body):
        if isinstance(statement, ast.FunctionDef) and statement.name in returned:
            return statement if form(file, statement) != "prim_func" else None
    return None


def parameters(file: File, function: Function) -> tuple[Parameter, ...]:
    """Return a function's parameters in order, less `self` or `cls` of a method, and less *args and **kwargs."""
    arguments = function.node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    defaults += arguments.defaults
    found = [_parameter(item, default, False) for item, default in zip(positional, defaults, strict=True)]
    if function.owners and not is_static(file, function.node):
        found = found[1:]
    keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return (*found, *(_parameter(item, default, True) for item, default in keywords))


def is_static(file: File, node: ast.FunctionDef) -> bool:
    """Whether a method is called without an instance or a class."""
    return any(file.dotted(item) == "staticmethod" for item in node.decorator_list)


def _parameter(item: ast.arg, default: ast.expr | None, keyword_only: bool) -> Parameter:
    annotation = ast.unparse(item.annotation) if item.annotation else None
    return Parameter(item.arg, annotation, ast.unparse(default) if default else None, keyword_only)
