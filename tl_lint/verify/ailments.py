"""What is wrong with an environment, and what helps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from tl_lint.releases import KNOWN
from tl_lint.verify.model import Level
from tl_lint.verify.requests import Machine
from tl_lint.verify.surroundings import Surroundings
from tl_lint.verify.tvm_ffi import WORKING

__all__ = ["Problem", "problems"]


@dataclass(frozen=True)
class Problem:
    """Something that was found. `message` and `remedy` are a line each.

    `serious` is whether it keeps something from working that could work on this machine; what is merely not there,
    such as a GPU, is not.
    """

    name: str
    message: str
    remedy: str = ""
    serious: bool = True


def problems(around: Surroundings, machine: Machine | None) -> list[Problem]:
    """Return what is wrong; `machine` is None where it could not be asked, since TileLang cannot be imported."""
    return [*_of_tilelang(around), *_of_the_release(around), *_of_requirements(around), *_of_cuda(around, machine)]


def _of_tilelang(around: Surroundings) -> Iterator[Problem]:
    if "tilelang" not in around.versions:
        yield Problem("no-tilelang", "TileLang is not installed", "pip install 'tl-lint[verify]'")
    elif around.unsupervised:
        remedy = f"pip install {'--force-reinstall ' if 'psutil' in around.versions else ''}psutil"
        yield Problem("no-psutil", f"{around.unsupervised}; nothing could be measured", remedy)
    elif around.tilelang is not None and around.tilelang.error:
        yield Problem("tilelang-fails", f"importing TileLang fails: {around.tilelang.error}", _what_helps(around))
    if around.z3_missing is not None:
        message = f"TileLang's libraries look for libz3 in {around.z3_missing}, and it is not there"
        yield Problem("no-libz3", message, "pip install --force-reinstall 'z3-solver<4.15.5,>=4.13.0'")
    if around.after_tvm is not None and around.after_tvm.error:
        distribution = "apache-tvm" if "apache-tvm" in around.versions else "the distribution that brings it"
        message = f"another tvm is installed; imported before TileLang, it makes that fail: {around.after_tvm.error}"
        yield Problem("another-tvm", message, f"TileLang brings its own as tilelang.tvm: pip uninstall {distribution}")
    elif "apache-tvm" in around.versions:
        message = f"apache-tvm {around.versions['apache-tvm']} is installed beside the TVM that TileLang brings"
        yield Problem("another-tvm", message, "use tilelang.tvm: pip uninstall apache-tvm", serious=False)


def _what_helps(around: Surroundings) -> str:
    wanted, ffi = WORKING.get(around.versions["tilelang"]), around.versions.get("apache-tvm-ffi")
    if wanted is not None and ffi != wanted:
        return f"it was seen to work with apache-tvm-ffi {wanted}, not {ffi}: pip install apache-tvm-ffi=={wanted}"
    return "pip install --force-reinstall tilelang" if not around.unmet else ""


def _of_the_release(around: Surroundings) -> Iterator[Problem]:
    release = around.versions.get("tilelang")
    try:
        if release is None or Version(release) in KNOWN:
            return
    except InvalidVersion:
        pass
    message = f"no rule was measured on TileLang {release}; known are {KNOWN[0]} to {KNOWN[-1]}"
    yield Problem("unknown-release", message, "what was measured here is below; a newer tl-lint may know the release")


def _of_requirements(around: Surroundings) -> Iterator[Problem]:
    for unmet in around.unmet:
        there = "which is not installed" if unmet.installed is None else f"and {unmet.installed} is installed"
        message = f"{unmet.owner} requires {unmet.requirement}, {there}"
        yield Problem("requirement", message, f"pip install '{unmet.requirement}'")


def _of_cuda(around: Surroundings, machine: Machine | None) -> Iterator[Problem]:
    if around.torch is not None and around.torch.error:
        yield Problem("torch-fails", f"importing torch fails: {around.torch.error}")
    elif around.torch is not None and around.torch.facts.get("cuda") is None and not around.torch.facts.get("hip"):
        version = around.versions["torch"]
        message = f"torch {version} is built without CUDA: kernels are lowered and compiled, not run"
        remedy = "install a build of torch with CUDA" if around.gpus else ""
        yield Problem("torch-without-cuda", message, remedy, serious=bool(around.gpus))
    if machine is None:
        return
    if Level.COMPILE in machine.limits:
        yield Problem("no-compiler", machine.limits[Level.COMPILE], "install a CUDA toolkit, or tilelang[nvcc]")
    if around.gpus and not machine.gpus and around.torch is not None and around.torch.facts.get("cuda") is not None:
        message = f"nvidia-smi lists {len(around.gpus)}, and {machine.limits.get(Level.RUN, 'torch sees no GPU')}"
        yield Problem("gpu-not-seen", message, "look at CUDA_VISIBLE_DEVICES, and at the driver's version")
