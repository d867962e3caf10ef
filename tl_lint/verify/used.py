"""Which statements of a module a piece of its code depends on: those that bind what it uses, and what they use."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

__all__ = ["bound", "is_import", "used"]


def used(tree: ast.Module, users: Sequence[ast.AST]) -> list[ast.stmt]:
    """Return the statements of `tree` that bind or fill a name in `users`, or in a statement returned, each once.

    `users` that are statements of `tree` are in front; imports that concern names they do not tell follow.
    """
    wanted = [item for item in tree.body if item in users]
    wanted += [item for item in tree.body if _is_for_all(item)]
    for user in users:
        wanted += _binding(tree, user, wanted)
    for item in wanted:
        wanted += _binding(tree, item, wanted)
    return wanted


def _binding(tree: ast.Module, user: ast.AST, known: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements, but those known, that bind a name in `user`."""
    names = {node.id for node in ast.walk(user) if isinstance(node, ast.Name)} - _own(user)
    return [item for item in tree.body if item not in known and names & set(bound(item))]


def _own(user: ast.AST) -> set[str]:
    """Return the names that a function binds itself, such as that of the prim_func in it; {} for anything else."""
    if not isinstance(user, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return set()
    arguments = user.args
    found = {item.arg for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    shared: set[str] = set()
    left: list[ast.AST] = list(user.body)
    while left:
        node = left.pop()
        if isinstance(node, ast.Global):
            shared |= set(node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
            continue  # a scope of its own
        elif isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            continue
        left += ast.iter_child_nodes(node)
    # Decorators, defaults and annotations are read outside.
    outside = [*user.decorator_list, *arguments.defaults, *(item for item in arguments.kw_defaults if item)]
    outside += [item.annotation for item in (*arguments.args, *arguments.kwonlyargs) if item.annotation]
    read = {node.id for item in outside for node in ast.walk(item) if isinstance(node, ast.Name)}
    return found - shared - read


def is_import(statement: ast.stmt) -> bool:
    """Return whether a statement is an import."""
    return isinstance(statement, (ast.Import, ast.ImportFrom))


def _is_for_all(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.ImportFrom):
        return False
    return statement.module == "__future__" or statement.names[0].name == "*"


def bound(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement binds or fills: an import, a def, `x = 1`, `x["a"] = 1`, `x.update(a=1)`."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        filled = isinstance(node, (ast.Name, ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store)
        if filled or (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            root: ast.AST = node.func if isinstance(node, ast.Call) else node
            while isinstance(root, (ast.Subscript, ast.Attribute)):
                root = root.value
            if isinstance(root, ast.Name) and (filled or isinstance(statement, ast.Expr)):
                yield root.id
