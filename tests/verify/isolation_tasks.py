"""Tasks that behave as user code may, for test_isolation.py. They run in child processes."""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, no_type_check

Tell = Callable[[dict[str, Any]], None]
Task = Callable[[dict[str, Any], Tell], None]

IMPORTED_BY = os.getpid()


def echo(request: dict[str, Any], tell: Tell) -> None:
    tell({"request": request, "pid": os.getpid(), "main": repr(sys.modules["__main__"].__dict__.get("__file__"))})


def identify(request: dict[str, Any], tell: Tell) -> None:
    tell({"imported_here": os.getpid() == IMPORTED_BY, "modules": sorted(sys.modules)})


def raise_error(request: dict[str, Any], tell: Tell) -> None:
    tell({"step": 1})
    raise KeyError("no such kernel")


def raise_unprintable(request: dict[str, Any], tell: Tell) -> None:
    class Unprintable(Exception):
        def __str__(self) -> str:
            raise ValueError

    sys.stderr = None
    raise Unprintable


def signal_itself(request: dict[str, Any], tell: Tell) -> None:
    tell({"step": 1})
    os.kill(os.getpid(), request["signal"])
    time.sleep(60)


def read_null(request: dict[str, Any], tell: Tell) -> None:
    ctypes.string_at(0)


def abort(request: dict[str, Any], tell: Tell) -> None:
    os.abort()


def loop(request: dict[str, Any], tell: Tell) -> None:
    tell({"step": 1})
    while True:
        pass


def loop_in_c(request: dict[str, Any], tell: Tell) -> None:
    """Never gives the interpreter lock back."""
    sum(iter(int, 1))


def ignore_signals(request: dict[str, Any], tell: Tell) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    loop(request, tell)


def sys_exit(request: dict[str, Any], tell: Tell) -> None:
    sys.exit(request["code"])


def os_exit(request: dict[str, Any], tell: Tell) -> None:
    os._exit(request["code"])


def fill_memory(request: dict[str, Any], tell: Tell) -> None:
    held = []
    while True:
        held.append(b"x" * (1 << 20))


def fill_memory_in_a_child(request: dict[str, Any], tell: Tell) -> None:
    subprocess.run([sys.executable, "-c", "held = []\nwhile True: held.append(b'x' * (1 << 20))"], check=True)


def memory_error(request: dict[str, Any], tell: Tell) -> None:
    bytearray(1 << 62)


def flood(request: dict[str, Any], tell: Tell) -> None:
    chunk = b"0123456789abcde\n" * (1 << 16)
    for _ in range(request["mebibytes"]):
        os.write(1, chunk)
    print("the end")


def flood_for_ever(request: dict[str, Any], tell: Tell) -> None:
    while True:
        os.write(1, b"x" * (1 << 16))


def tell_too_much(request: dict[str, Any], tell: Tell) -> None:
    tell({"step": 1})
    while True:
        tell({"text": "x" * (1 << 20)})


def tell_no_json(request: dict[str, Any], tell: Tell) -> None:
    tell({"step": object()})


def close_files(request: dict[str, Any], tell: Tell) -> None:
    tell({"step": 1})
    os.closerange(0, 1024)
    tell({"step": 2})


def open_too_many(request: dict[str, Any], tell: Tell) -> None:
    held = []
    try:
        while True:
            held.append(os.dup(1))
    except OSError:
        tell({"step": 1})


def print_everywhere(request: dict[str, Any], tell: Tell) -> None:
    print("by print")
    print("to stderr \udce4", file=sys.stderr)
    os.write(1, b"to file 1\n")
    ctypes.CDLL(None).printf(b"by C\n")
    sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115
    print("lost")


def fork_and_return(request: dict[str, Any], tell: Tell) -> None:
    """Both processes go on."""
    os.fork()
    tell({"step": 1})


def leave_processes(request: dict[str, Any], tell: Tell) -> None:
    """Leave one in the group, one in a session of its own, and one whose parent has gone."""
    sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
    pids = [subprocess.Popen(sleep).pid, subprocess.Popen(sleep, start_new_session=True).pid]
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(writing, str(os.getpid()).encode())
            time.sleep(600)
        os._exit(0)
    os.wait()
    tell({"pids": [*pids, int(os.read(reading, 100))]})
    if request["then"] == "loop":
        loop(request, tell)
    if request["then"] == "crash":
        os.abort()


def write_pid_and_loop(request: dict[str, Any], tell: Tell) -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with Path(request["file"]).open("w") as file:
        file.write(f"{os.getpid()} {os.getppid()} {child.pid}\n")
    while True:
        time.sleep(1)


def kill_supervisor(request: dict[str, Any], tell: Tell) -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(600)


def variable(request: dict[str, Any], tell: Tell) -> None:
    tell({"value": os.environ.get(request["name"])})


def thread_goes_on(request: dict[str, Any], tell: Tell) -> None:
    threading.Thread(target=time.sleep, args=(600,)).start()


def reserve(request: dict[str, Any], tell: Tell) -> None:
    held = mmap.mmap(-1, 1 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    time.sleep(0.2)
    held.close()


def kill_server(request: dict[str, Any], tell: Tell) -> None:
    supervisor = Path(f"/proc/{os.getppid()}/stat").read_text(encoding="utf-8")
    os.kill(int(supervisor.rpartition(")")[2].split()[1]), signal.SIGKILL)


def lower(request: dict[str, Any], tell: Tell) -> None:
    tell({"source": _lowered(request.get("width"))})


def zero_width(request: dict[str, Any], tell: Tell) -> None:
    tell({"source": _lowered(0)})


@no_type_check
def _lowered(width: int | None) -> str:
    import tilelang
    import tilelang.language as T
    from tilelang.engine.lower import lower

    target = tilelang.tvm.target.Target({"kind": "cuda", "arch": "sm_90"})
    wanted = None if width is None else T.IntImm("int32", width)

    @T.prim_func
    def main(A: T.Tensor[[256], T.float32], B: T.Tensor[[256], T.float32]):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(256, coalesced_width=wanted):
                B[i] = A[i]

    with target:
        return str(lower(main, target=target).kernel_source)
