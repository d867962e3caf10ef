"""Hands each kernel to an existing Ray cluster, as a task of its own; see https://docs.ray.io for what a cluster is.

    with Cluster(address) as cluster:
        machine = cluster.machine(architecture, level)
        cluster.run(numbered_requests, take)

The workers get this very tl-lint from here; TileLang, and Ray in the same release as here, have to be there already, as
do the other modules that a kernel's file imports. Each worker process keeps one warm server for the kernels that it is
given, and those run in processes of their own, as they do without Ray. They all end when the worker does.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tl_lint.messages import one_line
from tl_lint.verify.isolation import Isolation
from tl_lint.verify.machine import VerifyError, examined
from tl_lint.verify.model import Level, Row, Verdict
from tl_lint.verify.pool import Gpus
from tl_lint.verify.proving import prove
from tl_lint.verify.requests import KernelRequest, Machine

__all__ = ["Cluster"]

_RETRIES = 3
_PATIENCE = 5.0
"""Seconds that cancelled tasks have to end their children."""
_REACH_LIMIT = 10.0
_LONGEST_REASON = 200
_VISIBLE = "CUDA_VISIBLE_DEVICES"
_ACCELERATOR = "accelerator_type:"
_QUIET = {"RAY_BACKEND_LOG_LEVEL": "error", "RAY_NUM_REDIS_GET_RETRIES": "3"}
"""Ray's own log is not for the terminal of a linter, and its 20 attempts to connect take 12 minutes."""


class Cluster:
    """A connection to a running Ray cluster; it is never started from here."""

    def __init__(self, address: str = "", retries: int = _RETRIES) -> None:
        """Connect to `address`, to that in RAY_ADDRESS for "", else to the cluster that runs on this machine.

        A kernel is tried `retries` times more where its worker dies. Raises VerifyError where there is no Ray, no
        cluster, or it cannot be used.
        """
        self._retries = retries
        self._accelerator: dict[str, float] = {}
        self._ray = _imported()
        self._connected_before = bool(self._ray.is_initialized())
        if not self._connected_before:
            self._connect(address or os.environ.get("RAY_ADDRESS") or "auto")
            sys.stdout = _WithoutRay(sys.stdout)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect, which ends what still runs."""
        if not self._connected_before:
            with contextlib.redirect_stdout(io.StringIO()):  # it prints what it held back
                self._ray.shutdown()
            if isinstance(sys.stdout, _WithoutRay):
                sys.stdout = sys.stdout.stream

    def machine(self, architecture: str | None, level: Level | None) -> Machine:
        """Return what a worker has; as `machine.examined`, which runs there. Raises VerifyError as that does."""
        task = self._remote(_examined, Level.RUN if level is None else level)
        try:
            answer: tuple[Machine, str] = self._ray.get(task.remote(architecture, level))
        except Exception as error:
            raise VerifyError(f"a Ray worker failed: {_reason(error)}") from None
        machine, node = answer
        if machine.gpus:  # the same kind of GPU for all, so that they can be compared
            kinds = [name for name in self._resources_of(node) if name.startswith(_ACCELERATOR)]
            self._accelerator = dict.fromkeys(kinds[:1], 0.001)
        return machine

    def run(self, requests: Sequence[tuple[int, KernelRequest]], take: Callable[[int, Row], None]) -> None:
        """Call `take` with the number and the row of each request, in the order in which they are done.

        The requests' machine is that of `machine()`. Each is a task that asks for one GPU where it is to run, and for
        one CPU. A request whose worker dies again and again, or that fails otherwise outside the kernel, has a row that
        says so; the others go on. Ctrl-C cancels all tasks.
        """
        pending: dict[Any, tuple[int, KernelRequest]] = {}
        try:
            for number, request in requests:
                task = self._remote(_proved, request.level)
                pending[task.remote(request)] = (number, request)
            while pending:
                finished, _ = self._ray.wait(list(pending), num_returns=1)
                for reference in finished:
                    number, request = pending[reference]
                    row = self._row(reference, request)
                    del pending[reference]
                    take(number, row)
        finally:
            self._cancel(list(pending))

    def _row(self, reference: Any, request: KernelRequest) -> Row:
        try:
            row = self._ray.get(reference)
        except Exception as error:
            return _not_reached(request, _reason(error))
        assert isinstance(row, Row)
        return row

    def _cancel(self, references: list[Any]) -> None:
        """Interrupt the tasks, which end their children then, and wait for that a little."""
        if not references or not self._ray.is_initialized():
            return
        for force in (False, True):
            for reference in references:
                self._ray.cancel(reference, force=force)
            _, references = self._ray.wait(references, num_returns=len(references), timeout=_PATIENCE)
            if not references:
                return

    def _remote(self, function: Callable[..., Any], level: Level) -> Any:
        """Return `function` as a task that asks for what `level` needs, as far as any worker has it."""
        gpu = level >= Level.RUN and any(each.get("GPU", 0) >= 1 for each in self._nodes())
        return self._ray.remote(
            num_cpus=1,
            num_gpus=int(gpu),
            resources=self._accelerator if gpu else {},
            max_retries=self._retries,
            max_calls=0,  # Ray ends a worker after each task with a GPU, for the memory that here no worker uses
        )(function)

    def _nodes(self) -> list[dict[str, float]]:
        return [node["Resources"] for node in self._ray.nodes() if node["Alive"]]

    def _resources_of(self, node_id: str) -> dict[str, float]:
        found = [node["Resources"] for node in self._ray.nodes() if node["NodeID"] == node_id]
        return found[0] if found else {}

    def _connect(self, address: str) -> None:
        if address == "local":
            raise VerifyError("the address `local` would start a Ray cluster; `ray start --head` does, and is yours to")
        _reach(address)
        try:
            with _without_stderr():
                self._ray.init(
                    address=address,
                    runtime_env={"py_modules": [str(Path(__file__).resolve().parents[1])]},
                    log_to_driver=False,
                    logging_level=logging.ERROR,
                )
        except Exception as error:
            where = "there is no Ray cluster on this machine" if address == "auto" else f"no Ray cluster at {address}"
            raise VerifyError(f"{where}: {_reason(error)}") from None
        if not any(node.get("CPU", 0) >= 1 for node in self._nodes()):
            self._ray.shutdown()
            raise VerifyError(f"no node of the Ray cluster at {address} has a CPU for tasks")


def _imported() -> Any:
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError as error:
        raise VerifyError(
            f"Ray cannot be imported ({one_line(error)}); `pip install 'tl-lint[ray]'` brings it"
        ) from None
    return ray


class _WithoutRay:
    """Standard output without what threads of Ray print there, whatever they are told: of workers that died."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write the text, unless a thread of Ray does; return its length."""
        if threading.current_thread().name.startswith("ray_"):
            return len(text)
        return int(self.stream.write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextlib.contextmanager
def _without_stderr() -> Iterator[None]:
    """Drop what is written to standard error; Ray's C++ logs each attempt to connect there, before it has a level."""
    kept = os.dup(2)
    try:
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _reach(address: str) -> None:
    """Raise VerifyError if nothing listens at "host:port" or "ray://host:port"; Ray itself takes minutes to say so."""
    host, found, port = address.rpartition("://")[2].rpartition(":")
    if not found or not port.isdigit():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), _REACH_LIMIT).close()
    except OSError as error:
        raise VerifyError(f"no Ray cluster at {address}: {error.strerror or error}") from None


def _reason(error: BaseException) -> str:
    """Return one line on an exception of Ray, or on the one that a task raised."""
    cause = getattr(error, "cause", None)
    error = cause if isinstance(cause, BaseException) else error
    text = one_line(error) if isinstance(error, VerifyError) else one_line(f"{type(error).__name__}: {error}")
    return text if len(text) <= _LONGEST_REASON else f"{text[: _LONGEST_REASON - 3]}..."


def _not_reached(request: KernelRequest, message: str) -> Row:
    return Row(
        path=request.path,
        kernel=request.kernel,
        verdict=Verdict.NOT_REACHED,
        tilelang=request.machine.tilelang,
        target=f"cuda:{request.machine.architecture}",
        message=message,
        line=request.line,
    )


# ---------------------------------------------------------------------- in a worker

_isolation: Isolation | None = None
"""The one of this worker process. It is not closed: Ray kills workers, and the server ends with this process."""
_machines: dict[tuple[str | None, Level | None], Machine] = {}


def _warm() -> Isolation:
    global _isolation
    if _isolation is None:
        _isolation = Isolation()
    return _isolation


def _examined(architecture: str | None, level: Level | None) -> tuple[Machine, str]:
    """Return what the machine has that the worker runs on, and the id of its node."""
    import ray

    known = (architecture, level)
    if known not in _machines:
        _machines[known] = examined(_warm(), architecture, level)
    return _machines[known], ray.get_runtime_context().get_node_id()


def _proved(request: KernelRequest) -> Row:
    """Return the row of a kernel, on the GPU that Ray has given the task."""
    own, _ = _examined(request.machine.architecture, request.level)
    for what in ("tilelang", "compiler", "gpu"):
        here, there = getattr(own, what), getattr(request.machine, what)
        if here != there:
            name = {"tilelang": "TileLang"}.get(what, what)
            return _not_reached(request, f"the worker on {socket.gethostname()} has {name} {here}, not {there}")
    devices = os.environ.get(_VISIBLE, "") if own.gpus else ""
    return prove(request, _warm(), Gpus((devices,) if devices else ()))
