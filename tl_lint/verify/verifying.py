"""verify(options): plan, look up what is known, build the rest, and hand out the rows."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from tl_lint.verify.cache import Cache, key_of
from tl_lint.verify.isolation import Isolation
from tl_lint.verify.machine import VerifyError, examined
from tl_lint.verify.model import Level, Row
from tl_lint.verify.options import VerifyOptions
from tl_lint.verify.planning import planned, unknown_names
from tl_lint.verify.pool import Gpus, run, shard, visible_devices
from tl_lint.verify.proving import prove
from tl_lint.verify.requests import KernelRequest, Machine

__all__ = ["Verification", "VerifyError", "verify"]


@dataclass(frozen=True)
class Verification:
    """The rows of a run, in the order of the files and their kernels, and the machine that they were made on.

    `warnings` are lines on what was probably meant otherwise.
    """

    rows: tuple[Row, ...]
    machine: Machine
    warnings: tuple[str, ...] = ()


def verify(
    options: VerifyOptions,
    on_row: Callable[[Row], None] = lambda row: None,
    expect: Callable[[int], None] = lambda count: None,
) -> Verification:
    """Verify the kernels of `options.files`, or those that its driver builds, and return their rows.

    `expect` is told once how many rows there will be; `on_row` is called with each, in their order, one at a time but
    from several threads. Nothing is written but the cache. Raises VerifyError where nothing can be verified.
    """
    with _executor(options) as executor:
        machine = executor.machine(_architecture(options.target), options.level)
        requests, warnings = _requests(options, machine, executor)
        if options.shard is not None:
            requests = shard(requests, options.shard)
        expect(len(requests))
        rows = _Rows(requests, on_row, Cache.of_user(options.cache))
        if rows.missing:
            executor.run(rows.missing, rows.take)
    return Verification(rows.all(), machine, warnings)


def _executor(options: VerifyOptions) -> _Executor:
    if options.ray is None:
        return _Local(options.jobs)
    from tl_lint.verify.ray_executor import Cluster

    return Cluster(options.ray)


def _architecture(target: str) -> str | None:
    """Return the architecture of a target such as "cuda -arch=sm_90", None where it has none."""
    _, found, architecture = target.partition("-arch=")
    return architecture.strip() if found else None


def _requests(
    options: VerifyOptions, machine: Machine, executor: _Executor
) -> tuple[list[KernelRequest], tuple[str, ...]]:
    """Return a request for each kernel, and lines on what was probably meant otherwise."""
    if not options.driver:
        return planned(options, machine), tuple(unknown_names(options))
    from tl_lint.verify.driven import driven

    if isinstance(executor, _Local):
        found = driven(options, machine, executor.isolation)
    else:
        with Isolation() as isolation:  # the command runs here, wherever its kernels are built then
            found = driven(options, machine, isolation)
    return found.requests, found.warnings


class _Executor(Protocol):
    """Where kernels are built."""

    def machine(self, architecture: str | None, level: Level | None) -> Machine:
        """Return what the machine has that builds them, as `machine.examined` does."""

    def run(self, requests: Sequence[tuple[int, KernelRequest]], take: Callable[[int, Row], None]) -> None:
        """Call `take` with the number of each request and its row."""

    def __enter__(self) -> _Executor: ...

    def __exit__(self, *exception: object) -> None: ...


class _Local:
    """This machine."""

    def __init__(self, jobs: int | None) -> None:
        self.isolation = Isolation()
        self._jobs = jobs
        self._gpus = Gpus(())

    def machine(self, architecture: str | None, level: Level | None) -> Machine:
        self.isolation.start()
        machine = examined(self.isolation, architecture, level)
        devices = visible_devices(machine.gpus)
        self._gpus = Gpus(devices, _share(self._jobs or _jobs(), len(devices)))
        return machine

    def run(self, requests: Sequence[tuple[int, KernelRequest]], take: Callable[[int, Row], None]) -> None:
        def work(numbered: tuple[int, KernelRequest]) -> None:
            number, request = numbered
            take(number, prove(request, self.isolation, self._gpus))

        run(requests, work, self._jobs or _jobs(), cancel=self.isolation.close)

    def __enter__(self) -> _Local:
        return self

    def __exit__(self, *exception: object) -> None:
        self.isolation.close()


def _share(jobs: int, gpus: int) -> int:
    """Return how many kernels may be under way for one GPU; where files can't be locked, one, for the timings' sake."""
    return max(1, -(-jobs // max(1, gpus))) if sys.platform == "linux" else 1


def _jobs() -> int:
    """Return how many kernels to build at once: one for each processor that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


class _Rows:
    """Rows as they come, from the cache or from anywhere, and handed out in their order."""

    def __init__(self, requests: Sequence[KernelRequest], on_row: Callable[[Row], None], cache: Cache) -> None:
        self._requests = requests
        self._on_row = on_row
        self._cache = cache
        self._keys = [key_of(replace(request, shown="")) for request in requests]
        self._lock = threading.Lock()
        self._rows: list[Row | None] = [
            self._known(request, key) for request, key in zip(requests, self._keys, strict=True)
        ]
        self._next = 0
        self.missing = [(number, request) for number, request in enumerate(requests) if self._rows[number] is None]
        with self._lock:
            self._hand_out()

    def take(self, number: int, row: Row) -> None:
        """Accept the row of a request; called from any thread."""
        self._cache.put(self._keys[number], row, row.facts.get("files", ()))
        with self._lock:
            self._rows[number] = row
            self._hand_out()

    def all(self) -> tuple[Row, ...]:
        """Return the rows, all of which have to be there."""
        rows = tuple(row for row in self._rows if row is not None)
        assert len(rows) == len(self._requests)
        return rows

    def _known(self, request: KernelRequest, key: str) -> Row | None:
        """Return the kept row; not if everything a kernel leaves is wanted, which is not kept."""
        return None if request.keep else self._cache.get(key)

    def _hand_out(self) -> None:
        while self._next < len(self._rows) and (row := self._rows[self._next]) is not None:
            self._next += 1
            self._on_row(row)
