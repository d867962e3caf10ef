"""What torch says of a GPU of a given architecture, where there is none."""

from __future__ import annotations

import re
from types import SimpleNamespace

__all__ = ["capability_of", "name_of", "properties_of"]

# Multiprocessors; shared memory in KiB of one of them and of one block, and its threads: CUDA C++ Programming Guide,
# "Technical specifications per compute capability". The number of multiprocessors is that of T4, A100, A40, RTX 4090,
# H100, B200, RTX 5090.
_KNOWN = {
    (7, 5): (40, 64, 64, 1024),
    (8, 0): (108, 164, 163, 2048),
    (8, 6): (84, 100, 99, 1536),
    (8, 9): (128, 100, 99, 1536),
    (9, 0): (132, 228, 227, 2048),
    (10, 0): (148, 228, 227, 2048),
    (12, 0): (170, 100, 99, 1536),
}


def capability_of(architecture: str) -> tuple[int, int]:
    """Return the compute capability of an architecture such as "sm_90" or "sm_90a"; (9, 0) of what is none."""
    number = re.match(r"sm_(\d+)", architecture)
    return divmod(int(number[1]) if number else 90, 10)


def name_of(architecture: str) -> str:
    """Return a name for a GPU that is not there."""
    major, minor = capability_of(architecture)
    return f"NVIDIA GPU of compute capability {major}.{minor}"


def properties_of(architecture: str) -> SimpleNamespace:
    """Return what torch.cuda.get_device_properties gives for such a GPU; memory in bytes.

    Of a capability that is not known, the numbers are those of the one before.
    """
    capability = capability_of(architecture)
    known = max((each for each in _KNOWN if each <= capability), default=min(_KNOWN))
    multiprocessors, shared, block, threads = _KNOWN[known]
    return SimpleNamespace(
        name=name_of(architecture),
        major=capability[0],
        minor=capability[1],
        multi_processor_count=multiprocessors,
        total_memory=80 << 30,
        warp_size=32,
        max_threads_per_multi_processor=threads,
        max_threads_per_block=1024,
        regs_per_multiprocessor=65536,
        shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=block << 10,
        shared_memory_per_multiprocessor=shared << 10,
        L2_cache_size=50 << 20,
        is_integrated=False,
        gcnArchName="",
        uuid="00000000-0000-0000-0000-000000000000",
    )
