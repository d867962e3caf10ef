"""Lets `coalesced_width=4` compile on the TileLang releases that abort on it, for kernels that can't be edited.

    import tl_lint.compat

    with tl_lint.compat.coerced():
        import their_package
        their_package.kernel(1024)(a, b)

or, for a whole program, `python -m tl_lint.compat SCRIPT ARG...` and `python -m tl_lint.compat -m MODULE ARG...`.

Taken are T.Parallel's keyword, its `annotations={"coalesced_width": 4}`, and the annotations of T.parallel, if the
value is a positive integer of Python or numpy: an int, a bool (True is 1), an enum.IntEnum, a numpy.integer. The kernel
then compiles with the width asked for, as if it were T.IntImm("int32", 4). Everything else, zero, negative numbers,
float and str among it, goes to the compiler as it was.

Releases 0.1.8 to 0.1.15 were measured to need it. On a newer one a small kernel is lowered when the first such width
comes by, in some tenths of a second, and if it compiles nothing is changed any more. If it does not, the compiler says
so once, in a line of its own.

What counts is when a kernel is traced, not when its package or the language is imported. All threads of the process
are meant, and processes forked from it; those that are spawned anew are not.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import runpy
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from tl_lint import coercion
from tl_lint.after_import import AfterImport

__all__ = ["coerced", "is_needed", "main"]

_NEWEST_KNOWN = (0, 1, 15)
_PROBE = "tl_lint.compat.probe"
_USAGE = "usage: python -m tl_lint.compat [-m MODULE | SCRIPT] ARG..."


@contextlib.contextmanager
def coerced() -> Iterator[None]:
    """Make T.Parallel take ints as its signature says while the block runs, or the function that this decorates.

    Blocks may be nested and overlap in several threads: the last one to end puts everything back. TileLang is not
    imported; it may be before, within or after.
    """
    _STATE.enter()
    try:
        yield
    finally:
        _STATE.leave()


class _State:
    """How many blocks are open, and what is in place because of them."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._open = 0
        self._replaced: list[tuple[coercion.Function, Any, Any]] = []
        self._waiting: AfterImport | None = None

    def enter(self) -> None:
        with self._lock:
            self._open += 1
            if self._open > 1:
                return
            # A package that is half imported is in sys.modules too, but has no language yet.
            if "tilelang.language" in sys.modules:
                self._replace()
            else:
                self._waiting = AfterImport({"tilelang": self._imported})
                self._waiting.wait()

    def leave(self) -> None:
        with self._lock:
            self._open -= 1
            if self._open:
                return
            if self._waiting is not None:
                self._waiting.forget()
                self._waiting = None
            for (module, name), original, ours in self._replaced:
                if getattr(module, name) is ours:  # somebody may have wrapped it since: ours is then without effect
                    setattr(module, name, original)
            self._replaced.clear()

    def _imported(self) -> None:
        with self._lock:
            if self._open and not self._replaced:
                self._replace()

    def _replace(self) -> None:
        for module, name in coercion.parallel_loops():
            original = getattr(module, name)
            ours = self._coercing(original)
            setattr(module, name, ours)
            self._replaced.append(((module, name), original, ours))

    def _coercing(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def make_loop(*arguments: Any) -> Any:
            if not self._open or threading.current_thread().name == _PROBE:
                return original(*arguments)
            return original(*(coercion.boxed(argument, is_needed) for argument in arguments))

        return make_loop


_STATE = _State()


@functools.cache
def is_needed() -> bool:
    """Return whether the installed TileLang aborts on an int: by its release, or by trying if it is a newer one."""
    try:
        release = Version(importlib.metadata.version("tilelang")).release
    except (importlib.metadata.PackageNotFoundError, InvalidVersion):
        release = ()
    if release and release[:3] <= _NEWEST_KNOWN:
        return True
    return not _takes_an_int()


def _takes_an_int() -> bool:
    """Return whether a small kernel with `coalesced_width=4` lowers, tried in a thread of its own.

    A kernel may be being traced in this one, and TVM keeps that state, the target and the pass context by thread. The
    thread's name keeps its own loops from being coerced.
    """
    result = []

    def attempt() -> None:
        with contextlib.suppress(Exception):
            from tl_lint.coercion_probe import lowers_with_an_int

            result.append(lowers_with_an_int())

    thread = threading.Thread(target=attempt, name=_PROBE)
    thread.start()
    thread.join()
    return result == [True]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a script or, after -m, a module as `python` would, with ints taken; return the exit code of a wrong call.

    Whatever the program raises is raised, SystemExit included.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    by_name = given[:1] == ["-m"]
    if by_name:
        given.pop(0)
    if not given or (given[0].startswith("-") and given[0] != "-"):
        print(_USAGE, file=sys.stderr)
        return 0 if given[:1] in (["-h"], ["--help"]) else 2
    if not by_name and not Path(given[0]).exists():
        print(f"python -m tl_lint.compat: no such file: {given[0]}", file=sys.stderr)
        return 2
    sys.argv[:] = given
    _STATE.enter()  # for good: threads of the program may outlive its last line
    keep_path = getattr(sys.flags, "safe_path", False)
    if by_name:
        if not keep_path:
            sys.path[0] = str(Path.cwd())
        runpy.run_module(given[0], run_name="__main__", alter_sys=True)
    else:
        if not keep_path:
            sys.path[0] = str(Path(given[0]).resolve().parent)
        runpy.run_path(given[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
