"""Times kernels against each other on the GPU."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tl_lint.verify.lines import first_line

__all__ = ["Timing", "timed", "timed_somewhere"]

_WARM_UPS = 3
_SAMPLES = 40
_FLUSHED = 1 << 29
"""Bytes written before each launch, at least: some 0.1 ms of work, in which Python has queued what follows."""

_BUDGET = 2.0
"""Seconds that all samples may take together, once five of each are there."""


@dataclass(frozen=True)
class Timing:
    """Times of one kernel in microseconds: the median, the quartiles and the fastest of `samples` launches."""

    median_us: float
    lower_quartile_us: float
    upper_quartile_us: float
    fastest_us: float
    samples: int


def timed_somewhere(
    sizes: Sequence[dict[str, int]], time: Callable[[dict[str, int]], dict[str, Any]]
) -> dict[str, Any]:
    """Return what `time` of the first of `sizes` that it can be called with says, as the fact "timing".

    If it raises with each of them, the fact is "no_timing": one line, why it did first. That blames no kernel: the
    memory may be full, and a kernel need not take sizes that nobody has asked for.
    """
    reasons = []
    for tried in sizes:
        try:
            return {"timing": {"sizes": tried} | time(tried)}
        except Exception as error:
            said = first_line(str(error)) or type(error).__name__
            where = ", ".join(f"{name}={value}" for name, value in tried.items())
            reasons.append(f"at {where}: {said}" if where else said)
    return {"no_timing": reasons[0]}


def timed(launches: Mapping[str, Callable[[], None]]) -> dict[str, Any]:
    """Time functions that launch a kernel, by name, in turn; return {"how": …, name: {"median_us": …}, …}.

    Before each launch a buffer of several times the L2 cache is written, so that every launch finds its data in the
    GPU's memory, and the GPU is busy until the launch is queued: the CUDA events around it see little of Python.
    """
    import time

    import torch

    cache = int(getattr(torch.cuda.get_device_properties(torch.cuda.current_device()), "L2_cache_size", 0)) or 64 << 20
    flush = torch.empty(max(4 * cache, _FLUSHED), dtype=torch.int8, device="cuda")
    for launch in launches.values():
        for _ in range(_WARM_UPS):
            launch()
    torch.cuda.synchronize()
    taken: dict[str, list[float]] = {name: [] for name in launches}
    end = time.monotonic() + _BUDGET
    for turn in range(_SAMPLES):
        if turn >= 5 and time.monotonic() > end:
            break
        # The order alternates, so that neither always follows the other.
        for name in list(launches)[:: 1 if turn % 2 else -1]:
            taken[name].append(_one(launches[name], flush))
    how = f"CUDA events, microseconds, L2 cache ({cache >> 20} MiB) flushed before each launch, launches interleaved"
    return {"how": how} | {name: asdict(_timing(values)) for name, values in taken.items()}


def _one(launch: Callable[[], None], flush: Any) -> float:
    """Return the microseconds of one launch."""
    import torch

    before, after = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    flush.zero_()
    before.record()
    launch()
    after.record()
    after.synchronize()
    return float(before.elapsed_time(after)) * 1000


def _timing(values: list[float]) -> Timing:
    quarters = statistics.quantiles(values, n=4, method="inclusive")
    median, lower, upper, fastest = (
        round(number, 2) for number in (statistics.median(values), quarters[0], quarters[2], min(values))
    )
    return Timing(median, lower, upper, fastest, len(values))
