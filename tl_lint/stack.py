"""A thread with a deep stack: parsers and tree walkers that recurse need room, or they end the process."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

__all__ = ["with_deep_stack"]

P = ParamSpec("P")
R = TypeVar("R")

_STACK_SIZES = tuple(mebibytes << 20 for mebibytes in (512, 256, 128, 64))
_RECURSION_LIMIT = 50_000
_lock = threading.RLock()
_inside = threading.local()


def with_deep_stack(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Return `function(*args, **kwargs)`, run in a thread with a stack of 64 to 512 MiB and a high recursion limit.

    What it raises is raised here. The garbage collector rests meanwhile: LibCST's trees have no cycles, and looking for
    some costs half as much again as parsing. Recursion limit and collector are put back afterwards.
    """
    if getattr(_inside, "yes", False):
        return function(*args, **kwargs)
    outcome: list[R] = []
    failure: list[BaseException] = []

    def work() -> None:
        _inside.yes = True
        try:
            outcome.append(function(*args, **kwargs))
        except BaseException as error:
            failure.append(error)

    with _lock:
        limit, collecting = sys.getrecursionlimit(), gc.isenabled()
        gc.disable()
        sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
        try:
            _started(work).join()
        finally:
            sys.setrecursionlimit(limit)
            if collecting:
                gc.enable()
    if failure:
        raise failure[0]
    return outcome[0]


def _started(work: Callable[[], None]) -> threading.Thread:
    """Return a started thread with the largest stack that the system grants."""
    for size in _STACK_SIZES:
        before = threading.stack_size(size)
        try:
            thread = threading.Thread(target=work, name="tl-lint", daemon=True)
            thread.start()
            return thread
        except (RuntimeError, MemoryError):  # no room for such a stack
            if size == _STACK_SIZES[-1]:
                raise
        finally:
            threading.stack_size(before)
    raise AssertionError
