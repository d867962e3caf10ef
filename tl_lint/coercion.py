"""Where the annotations of a loop enter TVM, and what an int among them has to become there.

T.Parallel hands its annotations to C++ as they are, and C++ reads `coalesced_width` with `as<IntImmNode>()`: a Python
int arrives there as a raw one and aborts the compilation (tile-ai/tilelang issue 3013). T.copy and T.async_copy are
spared, since the map that they hand over boxes an int. Nothing here imports TileLang before it is called.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["WIDTH", "Function", "all_loops", "boxed", "parallel_loops", "wants_boxing"]

WIDTH = "coalesced_width"

Function = tuple[Any, str]
"""A module and the name of a function of it. All ways to write a loop look that name up when they are called."""

_LARGEST = 2**31 - 1


def parallel_loops() -> list[Function]:
    """Return the functions that make T.Parallel and T.parallel, however the language was imported."""
    import tilelang

    return _present([(tilelang._ffi_api, "Parallel"), (_builder(), "Parallel")])


def all_loops() -> list[Function]:
    """Return the functions that make any loop that can have annotations."""
    import tilelang

    of_tilelang = [(tilelang._ffi_api, name) for name in ("Parallel", "Pipelined", "Persistent")]
    names = ("Serial", "Parallel", "Vectorized", "Unroll", "ThreadBinding")
    return _present([*of_tilelang, *((_builder(), name) for name in names)])


def _present(functions: list[Function]) -> list[Function]:
    return [(module, name) for module, name in functions if hasattr(module, name)]


def _builder() -> Any:
    """Return TVM's module of loops in C++; its own name differs from release to release."""
    from tilelang.language import loop

    return loop.tb_tir.parallel.__globals__["_ffi_api"]


def wants_boxing(value: object) -> bool:
    """Return whether a width is one that C++ ought to read: positive, and an integer by Python's own count.

    That is int, bool (True is 1, as T.copy takes it), enum.IntEnum and numpy's integers. Zero, negative numbers, float,
    str and numpy.bool_ are not: what the compiler says of them stands.
    """
    return isinstance(value, numbers.Integral) and 0 < int(value) <= _LARGEST


def boxed(annotations: Any, allowed: Callable[[], bool] = lambda: True) -> Any:
    """Return `annotations` with its width as a TIR constant; itself, if it has none that wants boxing.

    `allowed` is asked only if one does.
    """
    if not isinstance(annotations, Mapping) or not wants_boxing(annotations.get(WIDTH)) or not allowed():
        return annotations
    import tilelang.language

    return {**annotations, WIDTH: tilelang.language.IntImm("int32", int(annotations[WIDTH]))}
