"""Turns a kernel's name and arguments into its prim_func, under any TileLang from 0.1.8 on; nothing is compiled.

Functions are called as the user's code calls them, whatever wraps them. Where that reaches TileLang's compiler or its
autotuner, the prim_func that came there is the kernel, and the call ends. Questions about the GPU are answered for the
target around us where there is none.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import inspect
from collections.abc import Iterator
from typing import Any

from tl_lint.verify.child import devices
from tl_lint.verify.child.tir import namespace

__all__ = ["BadArguments", "NotAKernel", "instantiate"]

_DEPTH = 8


class NotAKernel(TypeError):
    """What a name stands for, or makes, is no prim_func."""


class BadArguments(TypeError):
    """The arguments can't be evaluated, or are none that the function takes: not the kernel's own failure."""


class _Reached(BaseException):
    """A prim_func came to the compiler; no `except Exception` of the user's code is to stop this."""

    def __init__(self, prim_func: Any) -> None:
        self.prim_func = prim_func


def instantiate(module: Any, name: str, arguments: str = "") -> Any:
    """Return the PrimFunc that `name`, dotted for a method, makes in `module` when called with `arguments`.

    `arguments` is the text of a call's arguments, evaluated in the module's scope: "M=1024, dtype=T.float16". What a
    factory returns is called in its turn with what follows ")(": "M=1024)(threads=128". A method gets an instance as
    `self=Class(...)`, and a bare one if none is given. Raises whatever the user's code raises, NotAKernel if no
    prim_func comes out, BadArguments if the arguments can't be evaluated or the function takes no such ones.
    """
    owner, made = None, module
    for part in name.split("."):
        owner, made = made, getattr(made, part, None)
    if made is None:
        raise NotAKernel(f"the file has no {name} once it is imported")
    if _is_prim_func(made):
        if arguments.strip():
            raise BadArguments(f"{name} is a prim_func and takes no arguments here")
        return made
    calls = _calls(arguments)
    scope = dict(vars(module))
    with devices.described(_architecture()), _nothing_compiled():
        try:
            for number, call in enumerate(calls):
                args, kwargs = _values(call, scope)
                if number == 0:
                    args, kwargs = _with_instance(owner, name, made, args, kwargs)
                made = _called_rightly(made, args, kwargs)
            return _finished(made, name)
        except _Reached as reached:
            return reached.prim_func


def _architecture() -> str:
    """Return that of the target around us, such as "sm_90"."""
    import tilelang

    target = tilelang.tvm.target.Target.current(allow_none=True)
    return str(dict(target.attrs).get("arch", "sm_90")) if target is not None else "sm_90"


def _is_prim_func(value: Any) -> bool:
    return isinstance(value, namespace().PrimFunc)


def _calls(arguments: str) -> list[ast.Call]:
    """Return the calls that `arguments` stand for, innermost first."""
    try:
        node: ast.expr = ast.parse(f"_tl_lint_made({arguments})", mode="eval").body
    except SyntaxError as error:
        raise BadArguments(f"the arguments can't be read: {error}") from None
    calls: list[ast.Call] = []
    while isinstance(node, ast.Call):
        calls.insert(0, node)
        node = node.func
    return calls


def _values(call: ast.Call, scope: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Evaluate the arguments of a call in the module's scope. Raises BadArguments if that raises."""
    collect = ast.Call(ast.Name("_tl_lint_collect", ast.Load()), call.args, call.keywords)
    expression = ast.fix_missing_locations(ast.Expression(collect))
    code = compile(expression, "<arguments>", "eval")
    names = {**scope, "_tl_lint_collect": lambda *args, **kwargs: (args, kwargs)}
    try:
        result: tuple[tuple[Any, ...], dict[str, Any]] = eval(code, names)
    except Exception as error:
        raise BadArguments(f"the arguments can't be evaluated: {type(error).__name__}: {error}") from error
    return result


def _with_instance(
    owner: Any, name: str, made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Put an instance before the arguments of an ordinary method, if none is among them."""
    if not isinstance(owner, type):
        return args, kwargs
    held = owner.__dict__.get(name.rpartition(".")[2], made)
    if isinstance(held, (staticmethod, classmethod)):
        return args, kwargs
    if "self" in kwargs:
        kwargs = dict(kwargs)
        return (kwargs.pop("self"), *args), kwargs
    return (_instance(owner), *args), kwargs


def _instance(owner: type) -> Any:
    """Return an instance of a class; if it can't be made without arguments, one that was never initialised."""
    with contextlib.suppress(Exception):
        return owner()
    return object.__new__(owner)


def _called_rightly(made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function; a TypeError because it takes no such arguments becomes a BadArguments."""
    try:
        return _called(made, args, kwargs)
    except TypeError as error:
        try:
            inspect.signature(inspect.unwrap(getattr(_jit(made), "func", made))).bind(*args, **kwargs)
        except TypeError:
            raise BadArguments(str(error)) from error
        except ValueError:  # it tells no signature
            pass
        raise


def _called(made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    jit = _jit(made)
    if jit is not None:
        return jit.get_tir(*args, **kwargs)
    if not callable(made):
        raise NotAKernel(f"a {type(made).__name__} was returned where a function was expected")
    return made(*args, **kwargs)


def _jit(made: Any) -> Any:
    """Return the jit object behind wrappers, None if there is none."""
    for _ in range(_DEPTH):
        if hasattr(made, "get_tir"):
            return made
        inner = getattr(made, "jit_impl", None)  # tilelang.autotune
        if inner is None:
            inner = getattr(made, "__wrapped__", None)
        if inner is None and isinstance(made, functools.partial) and not (made.args or made.keywords):
            inner = made.func
        if inner is None:
            return None
        made = inner
    return None


def _finished(made: Any, name: str) -> Any:
    """Return the prim_func in what a factory returned."""
    for _ in range(_DEPTH):
        if _is_prim_func(made):
            return made
        held = getattr(made, "prim_func", None)  # a kernel that was compiled already
        if _is_prim_func(held):
            return held
        if isinstance(made, (tuple, list)) and made:
            found = [item for item in made if _is_prim_func(item)]
            made = found[0] if found else made[0]
            continue
        if isinstance(made, type) or not callable(made):
            break
        made = _called(made, (), {})
    raise NotAKernel(f"{name} makes a {type(made).__name__}, not a prim_func")


@contextlib.contextmanager
def _nothing_compiled() -> Iterator[None]:
    """End the call with the first prim_func that reaches the compiler or the autotuner.

    `tilelang.jit.cached` is what tilelang.compile, jit functions and the autotuner all call, from 0.1.8 to 0.1.15.
    """
    jit_module: Any = importlib.import_module("tilelang.jit")  # as an attribute, `tilelang.jit` is the decorator
    tuner: Any = importlib.import_module("tilelang.autotuner.tuner").AutoTuner
    kept = jit_module.cached, tuner.run

    def cached(func: Any = None, *args: Any, **kwargs: Any) -> Any:
        raise _Reached(func)

    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        configs = self.configs() if callable(self.configs) else self.configs
        made = _called(self.fn, (), dict(configs[0]))
        raise _Reached(_finished(made, getattr(self.fn, "__name__", "the tuned function")))

    jit_module.cached, tuner.run = cached, run
    try:
        yield
    finally:
        jit_module.cached, tuner.run = kept
