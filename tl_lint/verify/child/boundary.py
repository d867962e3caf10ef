"""What the user's code hands to the language's loops, seen while it is traced, and ints made into what C++ reads."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from tl_lint import coercion
from tl_lint.verify.child.tir import Place

__all__ = ["installed"]

# The tracer compiles a function anew, but under its own file, with its globals and its line numbers, so that of the
# frames below the call the innermost that is in none of these packages is where the user's text stands.
_NOT_THE_USER = ("tilelang", "tvm", "tvm_ffi", "functools", "contextlib")


@contextlib.contextmanager
def installed(coerce: bool) -> Iterator[list[Place]]:
    """While the block runs, note where each annotated loop is made: the list, for `tir.annotations`, grows meanwhile.

    With `coerce`, T.Parallel and T.parallel take a width as the language's documentation says, whatever the release.
    """
    places: list[Place] = []
    boxing = {(id(module), name) for module, name in coercion.parallel_loops()} if coerce else set()
    with contextlib.ExitStack() as stack:
        for module, name in coercion.all_loops():
            original = getattr(module, name)
            stack.callback(setattr, module, name, original)
            setattr(module, name, _noting(original, places, (id(module), name) in boxing))
        yield places


def _noting(original: Callable[..., Any], places: list[Place], boxing: bool) -> Callable[..., Any]:
    def make_loop(*arguments: Any) -> Any:
        if boxing:
            arguments = tuple(coercion.boxed(argument) for argument in arguments)
        frame = original(*arguments)
        place = _caller(frame.vars[0]) if len(frame.vars) else None
        if place is not None:
            places.append(place)
        return frame

    return make_loop


def _caller(variable: Any) -> Place | None:
    """Return where the innermost frame that is the user's stands."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _NOT_THE_USER:
        frame = frame.f_back
    if frame is None:
        return None
    return Place(variable, frame.f_code.co_filename, _line(frame), _end_line(frame))


def _line(frame: FrameType) -> int:
    """Return the line that a frame is at, or that of its statement where the tracer has lost the former.

    From 0.1.14 the tracer wraps what is called into text of its own, and with it the call gets that text's line.
    """
    from tilelang.language.eager.builder import Builder

    tracer = Builder.current()
    if tracer is None or "__tb" not in frame.f_code.co_freevars:
        return frame.f_lineno
    return max(frame.f_lineno, int(tracer.current_line))


def _end_line(frame: FrameType) -> int | None:
    """Return the last line of what a frame is at."""
    if sys.version_info < (3, 11):
        return None
    for number, position in enumerate(frame.f_code.co_positions()):
        if number == frame.f_lasti // 2:
            return position[1]
    return None
