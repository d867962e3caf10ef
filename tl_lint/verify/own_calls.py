"""The calls that a file itself makes of a kernel, with the arguments that can be told by reading it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tl_lint.verify.closing import Closing, Place
from tl_lint.verify.reading import File
from tl_lint.verify.stages import Stage

__all__ = ["Bound", "own_calls"]

Bound = list[dict[str, str]]
"""For each stage the source of the arguments that are known; "**" stands for a dict of further ones."""

_OF_A_KERNEL = ("compile", "get_tir", "get_kernel_source", "__wrapped__", "func")
_SHAPED = frozenset({"empty", "zeros", "ones", "rand", "randn", "full", "randint", "tensor"})


def own_calls(file: File, closing: Closing, steps: Sequence[Stage]) -> list[Bound]:
    """Return the calls of the function that `steps` lead from, those with most arguments known first."""
    found: list[Bound] = []
    first = steps[0].node
    for call, place in closing.places:
        if first in place.functions or _called(call.func) != first.name:
            continue
        bound = [_bound(closing, call, place, steps[0])] + [{} for _ in steps[1:]]
        if len(steps) > 1:
            outer = next((item for item, _ in closing.places if item.func is call), None)
            if outer is not None:
                bound[1] = _bound(closing, outer, place, steps[1])
        if any(bound) and bound not in found:
            found.append(bound)
    return sorted(found, key=lambda item: -sum(map(len, item)))


def _called(function: ast.expr) -> str:
    """Return the name of the kernel that a call is one of, be it matmul(...) or matmul.compile(...)."""
    while isinstance(function, ast.Attribute) and function.attr in _OF_A_KERNEL:
        function = function.value
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _bound(closing: Closing, call: ast.Call, place: Place, step: Stage) -> dict[str, str]:
    """Return the arguments of one call that can be told."""
    given: dict[str, ast.expr] = {}
    for name, value in zip(step.positional, call.args, strict=False):
        if isinstance(value, ast.Starred):
            break
        given[name] = value
    for keyword in call.keywords:
        if keyword.arg is not None:
            given[keyword.arg] = keyword.value
        else:
            given |= _spread(closing, keyword.value, place)
    wanted = {item.name for item in step.parameters}
    found = {}
    for name in wanted & set(given):
        closed = closing.closed(given[name], place)
        if closed is not None:
            found[name] = ast.unparse(closed)
    for name in sorted(step.required - set(found)):
        size = _size(closing, name, given, place, step) if step.shapes or name not in given else None
        if size is not None:
            found[name] = ast.unparse(size)
    return {item.name: found[item.name] for item in step.parameters if item.name in found}


def _spread(closing: Closing, node: ast.expr, place: Place) -> dict[str, ast.expr]:
    """Return the entries of a dict that is spread over the arguments, {} if it can't be told."""
    if isinstance(node, ast.Name):
        bound = closing.binding(node.id, place)
        if bound is None:
            return {}
        node = bound[0]
    if isinstance(node, ast.Dict):
        return {
            key.value: value
            for key, value in zip(node.keys, node.values, strict=True)
            if isinstance(key, ast.Constant) and isinstance(key.value, str)
        }
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        return {item.arg: item.value for item in node.keywords if item.arg}
    return {}


def _size(closing: Closing, name: str, given: dict[str, ast.expr], place: Place, step: Stage) -> ast.expr | None:
    """Return a size of an eager kernel: from the shape of a tensor that is passed, else a name of the caller's."""
    for tensor, shape in step.shapes.items():
        for index, dimension in enumerate(shape):
            if isinstance(dimension, ast.Name) and dimension.id == name and tensor in given:
                made = _dimensions(closing, given[tensor], place)
                if index < len(made) and (closed := closing.closed(made[index], place)) is not None:
                    return closed
    if step.shapes and closing.binding(name, place) is not None:
        return closing.closed(ast.Name(name, ast.Load()), place)
    return None


def _dimensions(closing: Closing, node: ast.expr, place: Place, depth: int = 6) -> list[ast.expr]:
    """Return the sizes that a tensor is made with, as in torch.randn(M, N).cuda(), [] if they can't be told."""
    if depth == 0:
        return []
    if isinstance(node, ast.Name):
        bound = closing.binding(node.id, place)
        return _dimensions(closing, bound[0], bound[1], depth - 1) if bound else []
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return []
    if node.func.attr in _SHAPED:
        sizes = [item for item in node.args if not isinstance(item, ast.Starred)]
        shaped = next((item for item in sizes if isinstance(item, (ast.Tuple, ast.List))), None)
        return list(shaped.elts) if isinstance(shaped, (ast.Tuple, ast.List)) else sizes
    return _dimensions(closing, node.func.value, place, depth - 1)
