"""A GPU that is not there: what torch.cuda says of it, and calls that would reach it and do nothing."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable
from typing import Any

from tl_lint.verify.child.gpu_properties import capability_of, name_of, properties_of

__all__ = ["install"]


def install(architecture: str) -> None:
    """Have torch take one GPU of `architecture` ("sm_90") for present. Tensors on it are those of fake_tensors.py."""
    import torch

    for name, value in {**_answers(architecture), **_nothings(), **_objects()}.items():
        setattr(torch.cuda, name, value)
    torch.version.cuda = torch.version.cuda or "12.8"
    _redirect()


def _answers(architecture: str) -> dict[str, Callable[..., Any]]:
    capability = capability_of(architecture)
    values: dict[str, Any] = {
        "is_available": True,
        "is_initialized": True,
        "device_count": 1,
        "current_device": 0,
        "get_device_capability": capability,
        "get_device_name": name_of(architecture),
        "get_device_properties": properties_of(architecture),
        "get_arch_list": [f"sm_{capability[0]}{capability[1]}"],
        "is_bf16_supported": True,
        "is_current_stream_capturing": False,
        "mem_get_info": (80 << 30, 80 << 30),
        "memory_allocated": 0,
        "max_memory_allocated": 0,
        "memory_reserved": 0,
        "max_memory_reserved": 0,
        "memory_summary": "",
        "memory_stats": {},
        "can_device_access_peer": False,
        "utilization": 0,
        "initial_seed": 0,
        "clock_rate": 1,
    }
    return {name: _always(value) for name, value in values.items()}


def _always(value: Any) -> Callable[..., Any]:
    return lambda *_args, **_kwargs: value


def _nothings() -> dict[str, Callable[..., Any]]:
    names = (
        "_lazy_init init synchronize set_device empty_cache ipc_collect manual_seed manual_seed_all seed seed_all "
        "reset_peak_memory_stats reset_max_memory_allocated reset_accumulated_memory_stats set_stream set_rng_state "
        "set_rng_state_all set_per_process_memory_fraction set_sync_debug_mode"
    )
    return {name: _always(None) for name in names.split()}


class _Device(contextlib.ContextDecorator):
    """A block in which a device or a stream is the current one."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        self.idx = 0

    def __enter__(self) -> _Device:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class _Stream(_Device):
    """A stream: everything on it has happened."""

    cuda_stream = 0
    stream_id = 0
    device_index = 0

    def query(self) -> bool:
        return True

    def synchronize(self, *_args: Any) -> None:
        """Wait for nothing."""

    wait_stream = wait_event = synchronize

    def record_event(self, event: Any = None) -> Any:
        return event or _Event()


class _Event:
    """An event: it lies a millisecond before every later one."""

    cuda_event = 0

    def __init__(self, *_args: Any, **_kwargs: Any) -> None: ...

    def record(self, *_args: Any) -> None:
        """Note nothing."""

    synchronize = wait = record

    def query(self) -> bool:
        return True

    def elapsed_time(self, _end: Any) -> float:
        return 1.0


class _Graph:
    """A captured graph: what it holds ran when it was captured."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None: ...

    def replay(self, *_args: Any) -> None:
        """Run nothing."""

    reset = capture_begin = capture_end = replay


def _objects() -> dict[str, Any]:
    stream = _Stream()
    return {
        "device": _Device,
        "device_of": _Device,
        "stream": _Device,
        "graph": _Device,
        "_DeviceGuard": _Device,
        "Stream": _Stream,
        "ExternalStream": _Stream,
        "Event": _Event,
        "CUDAGraph": _Graph,
        "current_stream": _always(stream),
        "default_stream": _always(stream),
        "graph_pool_handle": _always((0, 0)),
        "nvtx": types.SimpleNamespace(range_push=_always(0), range_pop=_always(0), mark=_always(None), range=_Device),
    }


def _redirect() -> None:
    """Make generators on the CPU, whatever device they are asked for, and do nothing where only a driver could."""
    import torch

    torch.Tensor.pin_memory = lambda self, *_args, **_kwargs: self
    torch.Tensor.record_stream = _always(None)
    real = torch.Generator

    class Generator(real):  # type: ignore[misc, valid-type]
        """A generator that takes the name of any device."""

        def __new__(cls, device: Any = None) -> Any:
            return real()

    torch.Generator = Generator
