"""Spreads work over threads, each of which waits for a child process, and hands out GPUs. One machine; no queue beyond.

The order of the results does not depend on how many threads there are.
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TypeVar

from tl_lint.verify.model import GPU_LOCK

__all__ = ["Gpus", "run", "shard", "visible_devices"]

_Item = TypeVar("_Item")
_Request = TypeVar("_Request")
_Result = TypeVar("_Result")

_VISIBLE = "CUDA_VISIBLE_DEVICES"
_PATIENCE = 0.2  # Windows delivers Ctrl-C only between waits


def visible_devices(count: int, environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return what CUDA_VISIBLE_DEVICES has to be for a process to see just one of the `count` GPUs, for each of them.

    `count` is how many a process sees with `environment`, in which that variable may already leave some out, by number
    or UUID.
    """
    given = environment.get(_VISIBLE)
    if given is None:
        return tuple(map(str, range(count)))
    return tuple(entry.strip() for entry in given.split(","))[:count]


class Gpus:
    """The GPUs of this machine. Each is held by few processes at a time, which take turns to launch on it."""

    def __init__(self, devices: Sequence[str], share: int = 1) -> None:
        """`devices` are values of CUDA_VISIBLE_DEVICES, those of visible_devices(); `share` processes may hold one.

        With more than one they lock a file to have the GPU to themselves, as timings want, while others compile.
        """
        self._count = len(devices)
        self._shared = share > 1
        self._free: queue.SimpleQueue[str] = queue.SimpleQueue()
        for device in [*devices] * share:
            self._free.put(device)

    def __len__(self) -> int:
        return self._count

    @contextlib.contextmanager
    def one(self) -> Iterator[dict[str, str]]:
        """Wait for a free GPU, hold it, and give the environment of the process that is to use it.

        Without any GPU the environment is empty and nothing is waited for.
        """
        if not self._count:
            yield {}
            return
        device = self._free.get()
        try:
            yield {_VISIBLE: device, **({GPU_LOCK: str(_lock(device))} if self._shared else {})}
        finally:
            self._free.put(device)


def _lock(device: str) -> Path:
    """Return the file that this user's processes lock for a GPU, those of other runs too."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    return Path(tempfile.gettempdir()) / f"tl-lint-{user}-gpu-{re.sub('[^A-Za-z0-9-]', '_', device)}.lock"


def run(
    requests: Sequence[_Request],
    work: Callable[[_Request], _Result],
    jobs: int,
    advance: Callable[[int], None] = lambda count: None,
    cancel: Callable[[], None] = lambda: None,
) -> list[_Result]:
    """Return `work` of each request, in their order, from `jobs` threads.

    `advance` is told, in the calling thread, how many were finished since it was last called. If `work` raises or
    Ctrl-C is pressed, what has not begun is dropped, `cancel` is called, which has to make what runs return or raise
    (Isolation.close does), and the exception is raised.
    """
    executor = ThreadPoolExecutor(max(1, min(jobs, len(requests))), thread_name_prefix="verify")
    try:
        futures = [executor.submit(work, request) for request in requests]
        pending: set[Future[_Result]] = set(futures)
        while pending:
            finished, pending = wait(pending, _PATIENCE, FIRST_COMPLETED)
            for future in finished:
                future.result()
            if finished:
                advance(len(finished))
        return [future.result() for future in futures]
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        cancel()
        raise
    finally:
        executor.shutdown()


def shard(items: Sequence[_Item], part: tuple[int, int]) -> list[_Item]:
    """Return the share of `items` that shard I of N does, (I, N) being `part`: each N-th of them, from the I-th on.

    Each item is in exactly one shard as long as all shards are given the same items in the same order, as the jobs of a
    CI matrix at one commit are. Neighbours, which often cost the same, go to different shards.
    """
    index, count = part
    return list(items[index - 1 :: count])
