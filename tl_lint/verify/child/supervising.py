"""The process above a task's: it keeps the limits, ends what the task leaves behind and says what became of it.

Each task has a supervisor of its own, so that a task, its forks and its log are one process's business. It reads one
JSON line, the order, from a file, and writes one JSON line, the answer, to another. When the first file ends, whoever
asked has gone, and the task is killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import psutil  # type: ignore[import-untyped,unused-ignore]

from tl_lint.verify.child.telling import Telling

__all__ = ["LOG_SIZE", "Worker", "read_order", "supervise"]

LOG_SIZE = 64 << 10
"""Bytes of what a task prints that are kept, the last ones."""

_POLL = 0.005
_MEMORY_POLL = 0.02  # a process fills some 100 MB in that time
_FAMILY_POLL = 0.25  # finding descendants reads all of /proc
_START_LIMIT = 300.0  # seconds for the imports before a spawned task; they are not the task's own
_SET_CHILD_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of <sys/prctl.h>

_WINDOWS_SIGNALS = {0xC0000005: "SIGSEGV", 0xC00000FD: "SIGSEGV", 0xC0000094: "SIGFPE", 0xC0000409: "SIGABRT"}
"""Exit codes of processes that Windows ended: access violation, stack overflow, division by zero, abort."""


class Worker(Protocol):
    """A task's process, leader of a process group of its own."""

    pid: int
    log: int
    """The file from which what it prints is read."""
    telling: Telling

    def ended(self) -> bool:
        """Whether it is dead, not yet reaped where the system can tell that."""

    def reap(self) -> int:
        """Wait for its death and return its exit status, -N if signal N killed it."""


@dataclass
class _Tail:
    """The end of what a file holds, read by a thread."""

    file: int
    data: bytes = b""

    def read(self) -> None:
        with contextlib.suppress(OSError):
            while chunk := os.read(self.file, LOG_SIZE):
                self.data = (self.data + chunk)[-LOG_SIZE:]


def read_order(incoming: int) -> dict[str, Any] | None:
    """Return the order, None if whoever was to send it has gone."""
    data = bytearray()
    while not data.endswith(b"\n"):
        chunk = os.read(incoming, 1 << 20)
        if not chunk:
            return None
        data += chunk
    order: dict[str, Any] = json.loads(data)
    return order


def supervise(order: dict[str, Any], worker: Worker, incoming: int, outgoing: int) -> None:
    """Watch `worker` until it ends or has to be ended, and write the answer."""
    _adopt_orphans()
    start = time.monotonic()
    kills = _kernel_kills()
    tail = _Tail(worker.log)
    reader = threading.Thread(target=tail.read, daemon=True)
    reader.start()
    gone = threading.Event()
    threading.Thread(target=_wait_for_end, args=(incoming, gone), daemon=True).start()
    why = _watch(worker, order["seconds"], order["memory"], gone)
    seconds = time.monotonic() - start
    status = _end_all(worker)
    reader.join(1.0)  # it ends at once, unless a process escaped
    answer = _answer(worker.telling, status, why, tail.data)
    if status == -9 and not why and _kernel_kills() > kills:
        answer["out_of_memory"] = True
    _write(outgoing, json.dumps({**answer, "seconds": seconds}).encode() + b"\n")


def _wait_for_end(incoming: int, gone: threading.Event) -> None:
    with contextlib.suppress(OSError):
        while os.read(incoming, 1 << 10):
            pass
    gone.set()


def _watch(worker: Worker, limit: float, memory: int | None, gone: threading.Event) -> str:
    """Return when the worker is dead (""), or why it has to die: "time", "memory", "gone"."""
    begun = start = time.monotonic()
    family: list[psutil.Process] = []
    look, look_around = start, start + _FAMILY_POLL
    in_task = False
    while not worker.ended():
        now = time.monotonic()
        if not in_task and worker.telling.begun:
            in_task, begun = True, now
        if gone.wait(_POLL):
            return "gone"
        if now - begun > (limit if in_task else _START_LIMIT):
            return "time"
        if memory is None or now < look:
            continue
        look = now + _MEMORY_POLL
        if now >= look_around or not family:
            family = _family(worker.pid)
            look_around = now + _FAMILY_POLL
        if sum(_resident(process) for process in family) > memory:
            return "memory"
    return ""


def _family(pid: int) -> list[psutil.Process]:
    """Return the process and its descendants."""
    found: list[psutil.Process] = []
    with contextlib.suppress(psutil.Error):
        found.append(psutil.Process(pid))
        found += found[0].children(recursive=True) if _has_children(pid) else []
    return found


def _has_children(pid: int) -> bool:
    """Whether a process has children, True if that is not known. To look is 40 times cheaper than to list them."""
    try:
        return any(file.read_bytes() for file in Path(f"/proc/{pid}/task").glob("*/children"))
    except OSError:
        return True


def _resident(process: psutil.Process) -> int:
    with contextlib.suppress(psutil.Error):
        return int(process.memory_info().rss)
    return 0


def _end_all(worker: Worker) -> int:
    """Kill the worker, its group and all its descendants, and return the worker's exit status."""
    family = [] if sys.platform == "linux" else _family(worker.pid)
    if sys.platform != "win32":
        # Before it is reaped: until then nobody else can get its number.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(worker.pid, signal.SIGKILL)
    for process in family:
        with contextlib.suppress(psutil.Error):
            process.kill()
    status = worker.reap()
    if sys.platform == "linux":
        _end_orphans()
    return status


def _adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends, so that none escapes; where Linux's prctl is."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_orphans() -> None:
    end = time.monotonic() + 5.0
    while time.monotonic() < end:
        try:
            reaped, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not reaped:
            for process in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    process.kill()
            time.sleep(0.001)


def _answer(telling: Telling, status: int, why: str, log: bytes) -> dict[str, Any]:
    """Return what became of the task, with the fields of isolation.Ended."""
    told, ended = telling.read()
    finished = ended is not None and not why
    died = _signal(status) if not why and ended is None else 0
    exited = status if not why and ended is None and not died else (ended or {}).get("exit_status")
    refused = bool((ended or {}).get("out_of_memory")) or (died == signal.SIGABRT and b"std::bad_alloc" in log)
    return {
        "told": told,
        "error": (ended or {}).get("error", "") if finished else "",
        "signal": died,
        "exit_status": exited,
        "timed_out": why == "time",
        "out_of_memory": why == "memory" or (refused and not why),
        "log": log.decode(errors="replace"),
    }


def _signal(status: int) -> int:
    """Return the number of the signal that killed a process, 0 if none did."""
    if status < 0:
        return -status
    name = _WINDOWS_SIGNALS.get(status, "") if sys.platform == "win32" else ""
    return int(getattr(signal, name)) if name else 0


def _kernel_kills() -> int:
    """Return how many processes of this control group Linux has killed for want of memory, 0 if that is not known."""
    with contextlib.suppress(OSError, ValueError):
        group = Path("/proc/self/cgroup").read_text(encoding="utf-8").partition("0::/")[2].split("\n")[0]
        events = (Path("/sys/fs/cgroup") / group / "memory.events").read_text(encoding="ascii")
        return int(dict(line.split() for line in events.splitlines())["oom_kill"])
    return 0


def _write(outgoing: int, data: bytes) -> None:
    with contextlib.suppress(OSError):  # nobody listens any more
        left = memoryview(data)
        while left:
            left = left[os.write(outgoing, left) :]
