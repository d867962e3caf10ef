"""Runs a task in a process of its own, and says what became of it, whatever that is.

    with Isolation() as isolation:
        ended = isolation.call("tl_lint.verify.child.work:perform", {...}, Limits(seconds=60, memory=8 << 30))

On Linux the process is forked from a server that has imported TileLang once; elsewhere, and where TileLang's import
has initialised CUDA, which no fork survives, it is a new Python. Nothing of the user's code runs in this process or in
the server. Neither is the standard library's forkserver used: it runs this program's `__main__` again in each child,
and its processes must not be started from several threads at once (each start polls the processes of the other
threads, and two that read one exit status leave one of them with 255).

Processes: this one - server - supervisor, one a task (supervising.py) - the task's, and whatever that starts. Each
ends when the one before it does.
"""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tl_lint.verify.child.launching import command, environment

__all__ = ["Closed", "Ended", "Isolation", "Limits"]

_SERVER_LIMIT = 300.0  # seconds for its imports
_CLOSE_LIMIT = 10.0
_FORK, _EXPECT_ERRORS = b"f", b"e"  # those of forking.py, which this process must not import: it needs psutil
_KILLED = 9  # SIGKILL, which Windows has no name for

# Ctrl-C at the terminal is for this process alone.
_DETACHED: dict[str, Any] = {"creationflags": 0x200} if sys.platform == "win32" else {"start_new_session": True}


@dataclass(frozen=True)
class Limits:
    """What a task may use. `memory` counts the bytes in RAM of its process and of all that it starts; None: no limit.

    A forked process has some 300 MB when it starts, those of TileLang and torch.
    """

    seconds: float
    memory: int | None = None


@dataclass
class Ended:
    """What became of a task; if all fields but the first and the last two are empty, it came to its end.

    `error` is "Type: message" of the exception it raised. `exit_status` is set if the task's code ended its process
    itself. `log` is what it printed, by whatever means, the last 64 KiB of it. `seconds` is its time, from the start of
    its process on.
    """

    told: list[dict[str, Any]]
    error: str = ""
    signal: int = 0
    exit_status: int | None = None
    timed_out: bool = False
    out_of_memory: bool = False
    log: str = ""
    seconds: float = 0.0


class Closed(RuntimeError):
    """The Isolation was closed, before a task or during it."""


class _Connection(Protocol):
    """The way to a task's supervisor."""

    def ask(self, order: bytes) -> bytes:
        """Send the order and return the answer, b"" if the supervisor died."""

    def close(self) -> None:
        """End the task, if it still runs. May be called from any thread, and repeatedly."""


class Isolation:
    """Runs tasks in processes of their own. Safe to call from several threads at once."""

    def __init__(self, preload: Sequence[str] = ("tl_lint.verify.child.preload",), method: str | None = None) -> None:
        """Tasks find the modules `preload` imported. `method` is "fork" or "spawn"; None: fork where that is safe."""
        self._preload = list(preload)
        self._method = method or ("fork" if sys.platform == "linux" else "spawn")
        self._lock = threading.Lock()
        self._server: _Server | None = None
        self._open: set[_Connection] = set()
        self._expecting = False
        self._closed = False

    @property
    def method(self) -> str:
        """How processes are made, "fork" or "spawn"; known for sure after the first call."""
        return self._method

    def start(self) -> None:
        """Have the server begin its imports, without waiting for it. Done by the first call at the latest."""
        with self._lock:
            if self._method == "fork" and self._server is None and not self._closed:
                self._server = _Server(self._preload)

    def call(
        self, task: str, request: dict[str, Any], limits: Limits, environment: Mapping[str, str] | None = None
    ) -> Ended:
        """Run "module:function" with `request`, which is JSON data, and return what became of it.

        `environment` is set before the task's module is imported, but after TileLang is where the process is forked.
        Raises Closed if the Isolation is closed meanwhile, TypeError if the request is not JSON data.
        """
        order = {
            "task": task,
            "request": request,
            "seconds": limits.seconds,
            "memory": limits.memory,
            "environment": dict(environment or {}),
        }
        connection = self._connect()
        try:
            answer = connection.ask(json.dumps(order).encode() + b"\n")
        finally:  # an interrupt, too, ends the task
            connection.close()
            with self._lock:
                self._open.discard(connection)
        if self._closed:
            raise Closed
        if not answer.endswith(b"\n"):
            return Ended([], signal=_KILLED, log="the process that supervised the task died\n")
        ended = Ended(**json.loads(answer))
        if ended.error:
            self._expect_errors()
        return ended

    def close(self) -> None:
        """End all tasks and the server, and wait for that."""
        self._closed = True
        if (server := self._server) is not None:
            server.interrupt()
        with self._lock:
            connections = list(self._open)
            server, self._server = self._server, None
        for connection in connections:
            connection.close()
        if server is not None:
            server.close()

    def __enter__(self) -> Isolation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _connect(self) -> _Connection:
        with self._lock:
            if self._closed:
                raise Closed
            connection = self._forked() if self._method == "fork" else None
            if self._closed:  # meanwhile, which is why there may be none
                if connection is not None:
                    connection.close()
                raise Closed
            if connection is None:
                self._method = "spawn"
                connection = _Spawned(self._preload)
            self._open.add(connection)
            return connection

    def _expect_errors(self) -> None:
        """After the first error, have the server do once what each further one would cost."""
        with self._lock:
            if self._server is not None and not self._expecting:
                self._expecting = True
                self._server.expect_errors()

    def _forked(self) -> _Connection | None:
        """Return the way to a new supervisor, None if there is no server that can fork."""
        for _ in range(2):  # a server may have been killed since the last call
            if self._server is None:
                self._server = _Server(self._preload)
            if not self._server.ready():
                self._server.close()
                self._server = None
                return None
            with contextlib.suppress(OSError):
                return self._server.fork()
            self._server.close()
            self._server = None
        return None


class _Server:
    """The process of forking.py."""

    def __init__(self, preload: list[str]) -> None:
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                command("tl_lint.verify.child.forking:serve", theirs.fileno(), preload),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=environment(),
                **_DETACHED,
            )
        self._ready: bool | None = None

    def ready(self) -> bool:
        """Wait for the imports, and return whether it can fork; not if it died of them or initialised CUDA."""
        if self._ready is None:
            self._ready = False
            self._control.settimeout(_SERVER_LIMIT)
            with contextlib.suppress(OSError, ValueError), self._control.makefile("rb") as answers:
                self._ready = bool(json.loads(answers.readline())["fork"])
            self._control.settimeout(None)
        return self._ready

    def fork(self) -> _Connection:
        """Return the way to a new supervisor. Raises OSError if the server is dead."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._control, [_FORK], [theirs.fileno()])
            except OSError:
                ours.close()
                raise
        return _Forked(ours)

    def expect_errors(self) -> None:
        """Have it do what the first error in each task would cost; it does not fork meanwhile."""
        with contextlib.suppress(OSError):
            self._control.sendall(_EXPECT_ERRORS)

    def interrupt(self) -> None:
        """Have it end, and a thread that waits for it not wait any longer."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End it; it waits for the supervisors, whose tasks have to be ended before."""
        self._control.close()
        try:
            self._process.wait(_CLOSE_LIMIT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class _Forked:
    """The way to a supervisor that the server forked."""

    def __init__(self, ours: socket.socket) -> None:
        self._socket = ours

    def ask(self, order: bytes) -> bytes:
        answer = bytearray()
        with contextlib.suppress(OSError):
            self._socket.sendall(order)
            while chunk := self._socket.recv(1 << 20):
                answer += chunk
        return bytes(answer)

    def close(self) -> None:
        with contextlib.suppress(OSError):  # wakes a thread that waits in recv, which close alone would not
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


class _Spawned:
    """The way to a supervisor in a new Python."""

    def __init__(self, preload: list[str]) -> None:
        self._process = subprocess.Popen(
            command("tl_lint.verify.child.spawning:supervise_spawned", preload),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
            **_DETACHED,
        )

    def ask(self, order: bytes) -> bytes:
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(order)
            self._process.stdin.flush()
            with self._process.stdout as answers:
                return bytes(answers.read())
        return b""

    def close(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.wait()
