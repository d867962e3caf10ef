"""Answers for factories that ask which GPU there is, where there is none: that of the target is described.

Nothing can be run on it, and `torch.cuda.is_available()` stays false.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any

from tl_lint.verify.child.gpu_properties import properties_of

__all__ = ["described"]


@contextlib.contextmanager
def described(architecture: str = "sm_90") -> Iterator[None]:
    """Have torch.cuda and TileLang's driver describe a GPU of `architecture`, if torch finds none."""
    import torch

    if torch.cuda.device_count():  # by NVML; is_available() initialises CUDA, which takes 0.3 s
        yield
        return
    properties = properties_of(architecture)
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
