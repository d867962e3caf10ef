"""Compiles the CUDA source that TileLang emits: with nvcc if TileLang finds one, else with NVRTC. No GPU is needed."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["CompileError", "Compiled", "NoCompiler", "accelerated", "compile_cuda", "compiler", "detected_architecture"]


@dataclass(frozen=True)
class Compiled:
    """Machine code, and what made it, such as "nvcc 13.0"."""

    cubin: bytes
    compiler: str


class CompileError(Exception):
    """The compiler refused the source. The message is its last line that names an error; `log` all it said."""

    def __init__(self, message: str, log: str = "") -> None:
        """Take one line, and all of the compiler's own words."""
        super().__init__(message)
        self.log = log


class NoCompiler(Exception):
    """Neither nvcc nor NVRTC can be used here; the message says what is missing."""


def compile_cuda(source: str, architecture: str, pass_configs: Mapping[str, Any] | None = None) -> Compiled:
    """Compile CUDA source for an architecture such as "sm_90"; `pass_configs` are those of the kernel.

    nvcc is called through the function that TileLang itself compiles with, so its options are those of the release,
    fast math and further flags of `pass_configs` included. Raises CompileError and NoCompiler.
    """
    name = compiler()
    if name.startswith("nvcc"):
        cubin = _with_nvcc(source, accelerated(architecture), pass_configs or {})
    else:
        cubin = _with_nvrtc(source, architecture, pass_configs or {})
    return Compiled(cubin, name)


def compiler() -> str:
    """Return the compiler that is used here and its version, such as "nvcc 13.0". Raises NoCompiler."""
    missing = "no nvcc: TileLang finds no CUDA toolkit"
    with contextlib.suppress(RuntimeError):  # TileLang found no toolkit at all
        nvcc = _nvcc()
        if nvcc.exists():
            said = subprocess.run([str(nvcc), "--version"], capture_output=True, text=True, check=False).stdout
            release = re.search(r"release (\d+\.\d+)", said)
            if release:
                return f"nvcc {release[1]}"
        missing = f"no nvcc: {nvcc} does not run"
    try:
        from tilelang.contrib.nvrtc import get_nvrtc_version

        major, minor = get_nvrtc_version()
    except Exception as error:  # its Python bindings are missing, or the library that they load
        raise NoCompiler(f"{missing}; no NVRTC: {_last_line(str(error))}") from error
    return f"NVRTC {major}.{minor}"


def detected_architecture() -> str | None:
    """Return the architecture of the current GPU as TileLang names it, such as "sm_90a"; None without a GPU.

    It initialises CUDA in this process, which must not be forked after that.
    """
    import torch

    if not torch.cuda.is_available() or torch.version.hip is not None:
        return None
    major, minor = torch.cuda.get_device_capability()
    return accelerated(f"sm_{major}{minor}")


def accelerated(architecture: str) -> str:
    """Return an architecture with the "a" that nvcc needs for Hopper's and later chips' own instructions.

    TileLang adds it itself where it detects the GPU; given "sm_90" it does so up to 0.1.11 only.
    """
    number = re.fullmatch(r"sm_(\d+)", architecture)
    return f"{architecture}a" if number and int(number[1]) >= 90 else architecture


def _nvcc() -> Path:
    from tilelang.contrib import nvcc

    return Path(nvcc.find_cuda_path()) / "bin" / ("nvcc.exe" if os.name == "nt" else "nvcc")


def _with_nvcc(source: str, architecture: str, pass_configs: Mapping[str, Any]) -> bytes:
    import tilelang
    import tilelang.engine.lower  # registers the function, up to 0.1.14

    compile_callback = tilelang.tvm.get_global_func("tilelang_callback_cuda_compile")
    target = tilelang.tvm.target.Target({"kind": "cuda", "arch": architecture})
    try:
        with _without_cache():
            return bytes(compile_callback(source, target, dict(pass_configs)))
    except Exception as error:
        raise _refusal(str(error)) from error


@contextlib.contextmanager
def _without_cache() -> Iterator[None]:
    """Keep TileLang from answering out of its cache of binaries: the compiler itself is asked."""
    name = "TILELANG_DISABLE_CACHE"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _with_nvrtc(source: str, architecture: str, pass_configs: Mapping[str, Any]) -> bytes:
    from tilelang.contrib.nvrtc import compile_cuda as nvrtc_compile
    from tilelang.contrib.nvrtc import get_nvrtc_version
    from tilelang.env import CUTLASS_INCLUDE_DIR, TILELANG_TEMPLATE_PATH

    number = re.match(r"sm_(\d+)", architecture)
    if number is None:
        raise CompileError(f"{architecture} is no architecture of NVIDIA's")
    headers = _cuda_headers()
    if not headers:
        raise NoCompiler("NVRTC is here, CUDA's headers are not")
    folders = [TILELANG_TEMPLATE_PATH, CUTLASS_INCLUDE_DIR, *headers]
    options = [*(f"-I{folder}" for folder in folders), f"-D__CUDACC_VER_MAJOR__={get_nvrtc_version()[0]}"]
    if pass_configs.get("tl.enable_fast_math"):
        options.append("--use_fast_math")
    try:
        return bytes(nvrtc_compile(source, "cubin", int(number[1]), options, True))
    except Exception as error:
        raise _refusal(str(error)) from error


def _cuda_headers() -> Sequence[str]:
    """Return the folders with CUDA's headers: of the toolkit that TileLang found, then of NVIDIA's Python packages."""
    import importlib.util

    from tilelang.env import CUDA_HOME

    found = []
    homes = [Path(CUDA_HOME), *Path(CUDA_HOME).glob("targets/*-linux")] if CUDA_HOME else []
    packages = importlib.util.find_spec("nvidia")
    for folder in (packages.submodule_search_locations or []) if packages else []:
        homes += sorted(Path(folder).iterdir())
    for home in homes:
        if (home / "include" / "cuda_runtime.h").exists() or (home / "include" / "cccl").is_dir():
            found += [home / "include", home / "include" / "cccl"]
    return [str(folder) for folder in dict.fromkeys(found) if folder.is_dir()]


def _refusal(text: str) -> CompileError | NoCompiler:
    """Return the error for what TileLang raised: the source, a line "Compilation error:", the compiler's words.

    Without that line nothing was compiled; nor was it where nvcc or NVRTC lacks a part or does not know the chip.
    """
    _, found, said = text.rpartition("Compilation error:\n")
    said = re.sub(r"\n?(Command|Options): [^\n]*\s*$", "", said)
    print(said, file=sys.stderr)
    if not found or re.search(r"^nvcc fatal|^nvrtc: error:", said, re.MULTILINE):
        return NoCompiler(_last_line(said))
    return CompileError(_last_line(said), said)


def _last_line(text: str) -> str:
    """Return the last line that names an error, else the last one; temporary folders and counts of errors left out."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"\b(error|fatal)\b", line, re.IGNORECASE)]
    telling = [line for line in telling if not re.match(r"\d+ errors? detected", line)] or lines
    return re.sub(r"\S*/(?=tvm_kernels)", "", telling[-1]) if telling else ""
