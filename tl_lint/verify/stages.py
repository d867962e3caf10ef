"""The calls that lead from a kernel's function to its prim_func: one, or two where a factory returns a jit function."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass

from tl_lint.verify.constraints import demanded
from tl_lint.verify.found import form, inner, is_static, parameters
from tl_lint.verify.guesses import guess
from tl_lint.verify.model import Parameter
from tl_lint.verify.reading import File, Function, statements

__all__ = ["Stage", "stages"]

_SCALARS = re.compile(r"(\w+\.)?(bool|u?int\d*|float\d*|bfloat16|float8_\w+|half|double|long|short|char|handle)")


@dataclass(frozen=True)
class Stage:
    """One call on the way to a prim_func.

    `parameters` leaves out the tensors of an eager kernel, which tracing does not need, and ends with the sizes it
    declares by T.const. `required` are the names that have to be given a value, `demanded` the values that the function
    insists on. `shapes` says for each tensor of an
    eager kernel what its dimensions are called. `positional` are the names that a call may give by position, None for
    one left out. `instance` makes the text of an instance for an ordinary method that uses it, by the rung of a guess.
    """

    node: ast.FunctionDef
    parameters: tuple[Parameter, ...]
    required: frozenset[str]
    demanded: dict[str, str]
    shapes: dict[str, list[ast.expr]]
    positional: tuple[str, ...]
    instance: Callable[[int], str] | None = None


def stages(file: File, function: Function) -> list[Stage]:
    """Return the calls that a kernel's function takes, in order."""
    found = [_stage(file, function)]
    nested = inner(file, function.node)
    while nested is not None and len(found) < 4:
        found.append(_stage(file, Function(nested)))
        nested = inner(file, nested)
    return found


def _stage(file: File, function: Function) -> Stage:
    own = parameters(file, function)
    shapes = _tensors(file, function.node) if _is_eager(file, function.node) else {}
    kept = tuple(item for item in own if item.name not in shapes)
    sizes = tuple(Parameter(name) for name in _sizes(file, function.node) if all(item.name != name for item in own))
    required = {item.name for item in (*kept, *sizes) if item.default in (None, "None") and not _optional(item)}
    names = tuple(item.name for item in own)
    demands = demanded(function.node, {item.name for item in (*kept, *sizes)}, _known(file))
    instance = _instance(file, function)
    return Stage(function.node, (*kept, *sizes), frozenset(required), demands, shapes, names, instance)


def _known(file: File) -> set[str]:
    """Return names that mean the same in the module's scope."""
    return set(file.aliases) | set(file.assigned) | {item.name for item in file.functions()}


def _optional(parameter: Parameter) -> bool:
    """Whether None is a value of its own: a default of None without an annotation stands for what is tuned."""
    return parameter.default == "None" and "None" in (parameter.annotation or "")


def _is_eager(file: File, node: ast.FunctionDef) -> bool:
    """Whether a jit function is traced itself, and not the prim_func in it."""
    if form(file, node) != "jit":
        return False
    nested = [item for item in statements(node.body) if isinstance(item, ast.FunctionDef)]
    return not any(form(file, item) in ("prim_func", "factory") for item in nested)


def _tensors(file: File, node: ast.FunctionDef) -> dict[str, list[ast.expr]]:
    """Return the parameters of an eager kernel that are given at run time, with their dimensions."""
    annotations = {item.arg: item.annotation for item in [*node.args.args, *node.args.kwonlyargs] if item.annotation}
    names = {item.arg for item in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]}
    for statement in statements(node.body):
        if isinstance(statement, ast.AnnAssign) and statement.value is None:
            name = ast.unparse(statement.target)
            if name in names:
                annotations[name] = statement.annotation
    shapes = {name: _shape(file, annotation) for name, annotation in annotations.items()}
    return {name: shape for name, shape in shapes.items() if shape is not None}


def _shape(file: File, annotation: ast.expr) -> list[ast.expr] | None:
    """Return the dimensions that an annotation names, [] for a scalar, None if it is no run-time value."""
    inside: ast.expr | None = None
    if isinstance(annotation, ast.Call):
        inside = annotation.args[0] if annotation.args else None
        called = annotation.func
    elif isinstance(annotation, ast.Subscript):
        inside, called = annotation.slice, annotation.value
    else:
        called = annotation
    name = file.dotted(called)
    if not name.startswith(("tilelang.", "T.", "tl.", ".")) and "tilelang" not in name:
        return None
    last = name.rpartition(".")[2]
    if re.fullmatch(r"\w*(Tensor|Buffer)", last) or last in ("ptr", "dyn"):
        if isinstance(annotation, ast.Subscript) and isinstance(inside, ast.Tuple) and inside.elts:
            first = inside.elts[0]
            inside = first if isinstance(first, (ast.Tuple, ast.List)) else inside
        return list(inside.elts) if isinstance(inside, (ast.Tuple, ast.List)) else []
    return [] if _SCALARS.fullmatch(last) else None


def _sizes(file: File, node: ast.FunctionDef) -> list[str]:
    """Return the names that an eager kernel declares by T.const: sizes that its tensors bring along."""
    found: list[str] = []
    for statement in statements(node.body):
        value = getattr(statement, "value", None)
        if isinstance(value, ast.Call) and file.dotted(value.func).endswith(".const") and value.args:
            spelled = value.args[0]
            if isinstance(spelled, ast.Constant) and isinstance(spelled.value, str):
                found += [item for item in re.split(r"[,\s]+", spelled.value) if item]
    return list(dict.fromkeys(found))


def _instance(file: File, function: Function) -> Callable[[int], str] | None:
    """Return what makes the text of an instance, None where a method uses none, or its class needs no arguments."""
    node = function.node
    if not function.owners or is_static(file, node):
        return None
    if any(file.dotted(item) == "classmethod" for item in node.decorator_list) or not node.args.args:
        return None
    itself = node.args.args[0].arg
    if not any(isinstance(item, ast.Name) and item.id == itself for line in node.body for item in ast.walk(line)):
        return None
    owner = function.owners[-1]
    made = next((item for item in owner.body if isinstance(item, ast.FunctionDef) and item.name == "__init__"), None)
    if made is None:
        return None
    needed = [item for item in parameters(file, Function(made, function.owners)) if item.default is None]
    name = ".".join(item.name for item in function.owners)
    return lambda rung: f"{name}({', '.join(f'{item.name}={guess(item, rung)}' for item in needed)})"
