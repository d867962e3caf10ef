"""The process in which a task runs: what is set up before the user's code, and how the task's end is told."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from tl_lint.verify.child.launching import STREAMS
from tl_lint.verify.child.telling import Telling

__all__ = ["die_with_parent", "load", "perform_task"]

_LONGEST_ERROR = 1 << 20  # characters
_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>


def load(task: str) -> Callable[[dict[str, Any], Callable[[dict[str, Any]], None]], None]:
    """Return the function that "package.module:function" names. Raises ImportError or AttributeError without one."""
    module, _, name = task.partition(":")
    function: Callable[[dict[str, Any], Callable[[dict[str, Any]], None]], None]
    function = getattr(importlib.import_module(module), name)
    return function


def die_with_parent(parent: int) -> None:
    """Have the system end this process when its parent, `parent`, ends; a no-op where Linux's prctl is missing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before we asked
            os._exit(1)


def perform_task(
    task: str, request: dict[str, Any], environment: Mapping[str, str], telling: Telling, preload: list[str]
) -> NoReturn:
    """Run a task in this process, whose files 0, 1 and 2 are in place, tell how it ended, and end the process."""
    owner = os.getpid()
    telling.own()
    _settle(environment)
    try:
        for module in preload:
            importlib.import_module(module)
        function = load(task)
        telling.begin()
        function(request, telling.tell)
        ended: dict[str, Any] = {}
    except SystemExit as error:
        ended = {"exit_status": _exit_status(error)}
    except BaseException as error:
        with contextlib.suppress(BaseException):
            traceback.print_exc()
        ended = {"error": _one_text(error), "out_of_memory": _is_memory_error(error)}
    _flush()
    if os.getpid() == owner:  # else the user's code forked, and this is the copy
        telling.end(ended)
    os._exit(0)


def _settle(environment: Mapping[str, str]) -> None:
    """Undo what this process should not have from those before it."""
    os.environ.pop(STREAMS, None)
    os.environ.update(environment)
    gc.enable()
    sys.argv = [""]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash is expected; its image would fill the disk
    with contextlib.suppress(OSError):
        # Should the system run out of memory, this process is to go, not ours.
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _exit_status(error: SystemExit) -> int:
    """Return what the process would have ended with; a message is printed, as Python does."""
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code & 0xFF
    with contextlib.suppress(BaseException):
        print(error.code, file=sys.stderr)
    return 1


def _one_text(error: BaseException) -> str:
    """Return "Type: message"; the message is the user's code's and may be anything."""
    try:
        message = str(error)
    except BaseException:
        message = "(its message cannot be shown)"
    return f"{type(error).__name__}: {message}"[:_LONGEST_ERROR]


def _is_memory_error(error: BaseException) -> bool:
    """Whether memory was refused: by Python, by torch on a GPU, or by C++ below them."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    text = _one_text(error)
    return any(sign in text for sign in ("std::bad_alloc", "can't allocate memory", "CUDA_ERROR_OUT_OF_MEMORY"))


def _flush() -> None:
    """Write out what Python and C hold back, whatever the user's code made of the streams."""
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        with contextlib.suppress(BaseException):
            stream.flush()  # type: ignore[union-attr]
    if sys.platform != "win32":
        with contextlib.suppress(BaseException):
            ctypes.CDLL(None).fflush(None)
