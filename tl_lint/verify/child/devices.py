"""Answers for factories that ask which GPU there is, where there is none: that of the target is described.

Nothing can be run on it, and `torch.cuda.is_available()` stays false.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

__all__ = ["described"]

# Multiprocessors, shared memory in KiB of one of them and of one block: CUDA C++ Programming Guide, "Technical
# specifications per compute capability"; the number of multiprocessors is that of A100, RTX 4090, H100, B200, RTX 5090.
_KNOWN = {
    (8, 0): (108, 164, 163),
    (8, 9): (128, 100, 99),
    (9, 0): (132, 228, 227),
    (10, 0): (148, 228, 227),
    (12, 0): (170, 100, 99),
}


@contextlib.contextmanager
def described(architecture: str = "sm_90") -> Iterator[None]:
    """Have torch.cuda and TileLang's driver describe a GPU of `architecture`, if torch finds none."""
    import torch

    if torch.cuda.device_count():  # by NVML; is_available() initialises CUDA, which takes 0.3 s
        yield
        return
    properties = _properties(architecture)
    driver: Any = importlib.import_module("tilelang.carver.arch.driver.cuda_driver")
    answers = (
        (torch.cuda, "get_device_capability", lambda *args, **kwargs: (properties.major, properties.minor)),
        (torch.cuda, "get_device_properties", lambda *args, **kwargs: properties),
        (torch.cuda, "get_device_name", lambda *args, **kwargs: properties.name),
        (torch.cuda, "current_device", lambda: 0),
        (driver, "get_cuda_device_properties", lambda *args, **kwargs: properties),
    )
    kept = [(holder, name, getattr(holder, name)) for holder, name, _ in answers]
    for holder, name, answer in answers:
        setattr(holder, name, answer)
    try:
        yield
    finally:
        for holder, name, original in kept:
            setattr(holder, name, original)


def _properties(architecture: str) -> SimpleNamespace:
    """Return what torch.cuda.get_device_properties gives for a GPU, "sm_90" or "sm_90a" say."""
    digits = "".join(character for character in architecture if character.isdigit()) or "90"
    capability = (int(digits[:-1]), int(digits[-1]))
    multiprocessors, shared, block = _KNOWN.get(capability, _KNOWN[9, 0])
    return SimpleNamespace(
        name=f"NVIDIA GPU of compute capability {capability[0]}.{capability[1]}",
        major=capability[0],
        minor=capability[1],
        multi_processor_count=multiprocessors,
        total_memory=80 << 30,
        warp_size=32,
        regs_per_multiprocessor=65536,
        max_threads_per_multi_processor=2048 if capability in ((8, 0), (9, 0), (10, 0)) else 1536,
        shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=block << 10,
        shared_memory_per_multiprocessor=shared << 10,
        L2_cache_size=50 << 20,
    )
