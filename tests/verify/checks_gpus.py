"""Checks of what is said of GPUs, on ones that are not there; run by test_gpus."""

from collections.abc import Callable, Mapping
from typing import Any, cast

import torch

from tl_lint.verify.child import devices, fake_cuda
from tl_lint.verify.child.inputs import Unsupported
from tl_lint.verify.child.probing import probe
from tl_lint.verify.child.timing import timed_somewhere
from tl_lint.verify.isolation import Ended, Isolation
from tl_lint.verify.machine import examined
from tl_lint.verify.model import Level
from tl_lint.verify.requests import Machine

PROPERTIES = ("get_device_name", "get_device_properties", "get_device_capability")


def said() -> list[Any]:
    return [getattr(torch.cuda, name)(0) for name in PROPERTIES]


def by_devices(architecture: str) -> list[Any]:
    with devices.described(architecture):
        return said()


# Before the first fake_cuda.install, after which torch has a GPU.
DESCRIBED = {name: by_devices(name) for name in ("sm_75", "sm_80", "sm_86", "sm_90a", "sm_103", "sm_120")}


class Here:
    """In place of an Isolation: the task is done in this process, which has a GPU that is not there."""

    def call(self, task: str, request: dict[str, Any], *_rest: object) -> Ended:
        assert task == "tl_lint.verify.child.probing:probe"
        told: list[dict[str, Any]] = []
        probe(request, told.append)
        return Ended(told, "", 0, None, False, False, "", 0.0)


def machine(gpu: str, wanted: str | None, **answers: Callable[..., Any]) -> Machine:
    fake_cuda.install(gpu)
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)
    return examined(cast("Isolation", Here()), wanted, Level.RUN)


def check_both_describe_the_same_gpu() -> None:
    for architecture, expected in DESCRIBED.items():
        fake_cuda.install(architecture)
        assert said() == expected, architecture


def check_shared_memory_is_that_of_the_chip_or_of_one_before() -> None:
    shared = {name: properties.shared_memory_per_block_optin >> 10 for name, (_, properties, _) in DESCRIBED.items()}
    assert shared == {"sm_75": 64, "sm_80": 163, "sm_86": 99, "sm_90a": 227, "sm_103": 227, "sm_120": 99}
    assert [capability for *_, capability in DESCRIBED.values()][:2] == [(7, 5), (8, 0)]


def check_nothing_is_run_on_a_gpu_of_another_architecture() -> None:
    other = machine("sm_90", "sm_80")
    assert other.limits[Level.RUN] == f"the GPU, {other.gpu}, is sm_90a, not sm_80"
    assert other.architecture == "sm_80"
    for gpu, wanted in (("sm_90", "sm_90"), ("sm_90", "sm_90a"), ("sm_90", None), ("sm_80", "sm_80"), ("sm_120", None)):
        assert Level.RUN not in machine(gpu, wanted).limits, (gpu, wanted)


def check_only_gpus_like_the_first_are_used() -> None:
    names = ["H200", "H200", "T4", "H200"]
    found = machine("sm_90", None, device_count=lambda: 4, get_device_name=names.__getitem__)
    assert (found.gpu, found.gpus, found.architecture) == ("H200", 2, "sm_90a")
    assert machine("sm_90", None).gpus == 1


def check_a_kernel_is_timed_where_it_can_be() -> None:
    def small_only(sizes: Mapping[str, int]) -> dict[str, Any]:
        if sizes["n"] > 1000:
            raise Unsupported("no room")
        return {"fixed": sizes["n"]}

    assert timed_somewhere([{"n": 4096}, {"n": 256}], small_only) == {"timing": {"sizes": {"n": 256}, "fixed": 256}}
    assert timed_somewhere([{"n": 512}, {"n": 256}], small_only)["timing"]["sizes"] == {"n": 512}


def check_what_keeps_a_kernel_from_being_timed_is_a_fact() -> None:
    def fails(sizes: Mapping[str, int]) -> dict[str, Any]:
        raise RuntimeError(f"CUDA error: {len(sizes)}\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1")

    def launch_fails(_sizes: Mapping[str, int]) -> dict[str, Any]:
        raise ValueError

    assert timed_somewhere([{"n": 4096}, {"n": 256}], fails) == {"no_timing": "at n=4096: CUDA error: 1"}
    assert timed_somewhere([{}], launch_fails) == {"no_timing": "ValueError"}
