"""A server that has imported TileLang once and forks a process for each task. Linux only."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import socket
import sys
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from tl_lint.verify.child.supervising import read_order, supervise
from tl_lint.verify.child.telling import Telling
from tl_lint.verify.child.working import die_with_parent, perform_task

__all__ = ["EXPECT_ERRORS", "FORK", "serve"]

FORK = b"f"
EXPECT_ERRORS = b"e"

_NVML_CHECK = "PYTORCH_NVML_BASED_CUDA_CHECK"
_NOT_INITIALIZED = 3  # CUDA_ERROR_NOT_INITIALIZED of cuda.h


def serve(control: int, preload: Sequence[str]) -> None:
    """Import `preload`, say on the socket `control` whether forking is safe, and do what it is then told over it.

    FORK, with a file, makes the supervisor of a task; EXPECT_ERRORS calls `expect_errors` of the modules that have one.
    Ends when the socket does, after all its tasks.
    """
    connection = socket.socket(fileno=control)
    failed = _imported(preload)
    # What is there now stays: collecting it in each fork would copy its memory.
    gc.collect()
    gc.freeze()
    gc.disable()
    connection.sendall(json.dumps({"fork": not _uses_cuda(), "error": failed}).encode() + b"\n")
    while True:
        data, files, _, _ = socket.recv_fds(connection, 1, 1)
        if not data:
            break
        if data == EXPECT_ERRORS:
            _expect_errors(preload)
        for file in files:
            with contextlib.suppress(OSError):  # too many processes: the caller finds the file closed
                if _fork() == 0:
                    _supervise(connection, file, list(preload) if failed else [])
            os.close(file)
        _reap(os.WNOHANG)
    _reap(0)


def _reap(options: int) -> None:
    """Reap the supervisors that have ended; with options 0, wait for all of them."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, options)[0]:
            pass


def _imported(preload: Sequence[str]) -> str:
    """Import the modules; return the error of one that fails, which each task will then meet by itself."""
    given = os.environ.get(_NVML_CHECK)
    # TileLang asks torch for GPUs as it is imported; this way it is answered without CUDA, which forks do not survive.
    os.environ[_NVML_CHECK] = "1"
    try:
        for module in preload:
            importlib.import_module(module)
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    finally:
        if given is None:
            del os.environ[_NVML_CHECK]
        else:
            os.environ[_NVML_CHECK] = given
    return ""


def _expect_errors(preload: Sequence[str]) -> None:
    for module in preload:
        expect = getattr(sys.modules.get(module), "expect_errors", None)
        if expect is not None:
            with contextlib.suppress(Exception):
                expect()
    gc.freeze()


def _uses_cuda() -> bool:
    """Whether CUDA's driver has been initialised in this process."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    libraries = {line.split(maxsplit=5)[5] for line in maps.splitlines() if "/libcuda.so" in line}
    count = ctypes.c_int()
    for library in libraries:
        with contextlib.suppress(OSError, AttributeError):
            if ctypes.CDLL(library).cuDeviceGetCount(ctypes.byref(count)) != _NOT_INITIALIZED:
                return True
    return False


def _fork() -> int:
    """Fork without Python's warning that there are threads: those of OpenBLAS stand still, and it restarts them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _supervise(control: socket.socket, file: int, preload: list[str]) -> NoReturn:
    """Be the supervisor of the task that is ordered over `file`, and end."""
    try:
        control.close()
        order = read_order(file)
        if order is not None:
            supervise(order, _Forked(order, file, preload), file, file)
    finally:
        os._exit(0)


class _Forked:
    """A task in a fork of this process."""

    def __init__(self, order: dict[str, Any], file: int, preload: list[str]) -> None:
        supervisor = os.getpid()
        self.telling = Telling()
        self.log, writing = os.pipe()
        self.pid = _fork()
        if self.pid:
            os.close(writing)
            return
        try:
            os.setsid()
            die_with_parent(supervisor)
            os.close(file)
            os.close(self.log)
            os.dup2(writing, 1)
            os.dup2(writing, 2)
            os.close(writing)
            perform_task(order["task"], order["request"], order["environment"], self.telling, preload)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)

    def ended(self) -> bool:
        """Whether it is a zombie."""
        assert sys.platform == "linux"
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def reap(self) -> int:
        """Return its exit status, -N if signal N killed it."""
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
