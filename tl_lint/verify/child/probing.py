"""The task that says what the machine has: TileLang, a compiler of CUDA, GPUs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["probe"]

_DEFAULT_ARCHITECTURE = "sm_90"
_EMPTY_KERNEL = 'extern "C" __global__ void nothing() {}\n'


def probe(request: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Tell `tilelang`, `architecture`, `compiler` or `no_compiler` (why), `gpus` or `no_gpu` (why).

    `gpus` are in the order of their numbers, each its name and its architecture as nvcc takes it, such as "sm_90a".
    `architecture` of the request is the wanted one ("sm_90"), None for that of the GPU, or sm_90 where there is none.
    """
    import tilelang

    from tl_lint.verify.child.compiling import CompileError, NoCompiler, compile_cuda, detected_architecture

    tell({"tilelang": str(tilelang.__version__)})
    architecture = request["architecture"] or detected_architecture() or _DEFAULT_ARCHITECTURE
    tell({"architecture": architecture})
    if request["compile"]:
        try:
            tell({"compiler": compile_cuda(_EMPTY_KERNEL, architecture).compiler})
        except (NoCompiler, CompileError) as error:
            tell({"no_compiler": str(error)})
    if request["run"]:
        tell(_gpus())


def _gpus() -> dict[str, Any]:
    try:
        import torch
    except ImportError as error:
        return {"no_gpu": f"torch cannot be imported: {error}"}
    if torch.version.cuda is None:
        return {"no_gpu": f"torch {torch.__version__} is built without CUDA"}
    if not torch.cuda.is_available():
        return {"no_gpu": "torch sees no CUDA GPU"}
    return {"gpus": [_gpu(index) for index in range(torch.cuda.device_count())]}


def _gpu(index: int) -> tuple[str, str]:
    import torch

    from tl_lint.verify.child.compiling import accelerated

    major, minor = torch.cuda.get_device_capability(index)
    return torch.cuda.get_device_name(index), accelerated(f"sm_{major}{minor}")
