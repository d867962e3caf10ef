"""Spreads files over processes. The order of the answers does not depend on how many there are."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from tl_lint.findings import FileReport
from tl_lint.tasks import File, Run
from tl_lint.work import check_file, failed

__all__ = ["MOST_PROCESSES", "check_in_processes"]

MOST_PROCESSES = 60
"""Windows waits for no more than 61 at once."""

_BATCH = 4


def check_in_processes(files: Sequence[File], run: Run, jobs: int, advance: Callable[[int], None]) -> list[FileReport]:
    """Return the report of each of `files`, in their order, from `jobs` processes.

    `advance` is told how many files have been done since it was last called. A file whose process dies is tried once
    more, alone, and reported as a TLC000 if that process dies too; the others are not affected.
    """
    others = multiprocessing.active_children()
    batches = [files[start : start + _BATCH] for start in range(0, len(files), _BATCH)]
    done: dict[int, list[FileReport]] = {}
    executor = _pool(min(jobs, len(batches), MOST_PROCESSES))
    try:
        futures = {executor.submit(_check_batch, batch, run): index for index, batch in enumerate(batches)}
        for index, reports in _finished(futures):
            done[index] = reports
            advance(len(reports))
    except BrokenProcessPool:  # raised by submit, where a process dies early
        pass
    except KeyboardInterrupt:
        for child in set(multiprocessing.active_children()).difference(others):
            child.terminate()
        raise
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
    missing = [index for index in range(len(batches)) if index not in done]
    alone = _alone([file for index in missing for file in batches[index]], run, advance)
    for index in missing:
        done[index] = [next(alone) for _ in batches[index]]
    return [report for index in range(len(batches)) for report in done[index]]


def _finished(futures: dict[Future[list[FileReport]], int]) -> Iterator[tuple[int, list[FileReport]]]:
    """Yield the answers that arrive, with their numbers; those of a broken pool do not."""
    for future in as_completed(futures):
        try:
            yield futures[future], future.result()
        except BrokenProcessPool:
            continue


def _alone(files: Sequence[File], run: Run, advance: Callable[[int], None]) -> Iterator[FileReport]:
    """Yield the reports of `files`, checked one at a time in a process that is replaced when it dies."""
    executor: ProcessPoolExecutor | None = None
    try:
        for file in files:
            executor = executor or _pool(1)
            try:
                report = executor.submit(_check_batch, [file], run).result()[0]
            except BrokenProcessPool:
                executor = None
                report = failed(file, "internal error, please report it: the process that checked this file died")
            advance(1)
            yield report
    finally:
        if executor is not None:
            executor.shutdown(wait=False, cancel_futures=True)


def _check_batch(files: Sequence[File], run: Run) -> list[FileReport]:
    return [check_file(file, run) for file in files]


def _pool(size: int) -> ProcessPoolExecutor:
    """Return a pool that forks where that is safe, so that LibCST and the rules are loaded once for all."""
    method = "fork" if sys.platform == "linux" else "spawn"
    return ProcessPoolExecutor(size, multiprocessing.get_context(method), initializer=_leave_interrupts_to_the_parent)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
