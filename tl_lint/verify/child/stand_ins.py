"""What TileLang does in a driven process in place of compiling kernels, tuning them and measuring them.

A kernel is captured on its way to the compiler. Without a GPU it is then not compiled: a JITKernel comes back all the
same, whose call returns new tensors of the shapes it would return, so that the script goes on to its next kernel. With
a GPU it is compiled, and stood in for only if that fails.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from tl_lint.verify.child.captures import capture
from tl_lint.verify.child.stand_in_kernel import stand_in_adapter

__all__ = ["install"]

_inside = threading.local()
_CUDA = 2  # kDLCUDA of DLPack


def install(without_gpu: bool) -> None:
    """Capture what reaches the compiler, and tune nothing; `without_gpu`: compile and measure nothing either."""
    _wrap_kernels(without_gpu)
    _wrap_lower(without_gpu)
    _compile_in_order()
    _skip_tuning()
    if without_gpu:
        _answer_for_the_gpu()
        _skip_measuring()


def _wrap_kernels(without_gpu: bool) -> None:
    from tilelang.jit.kernel import JITKernel

    original = JITKernel.__init__
    signature = inspect.signature(original)

    @functools.wraps(original)
    def initialize(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        if given["func"] is not None and not getattr(_inside, "kernel", False):
            capture(given["func"], given["pass_configs"])
        if not without_gpu:
            _inside.kernel = True
            try:
                original(self, *args, **kwargs)
                return
            except Exception:
                # It failed as it would without us; what comes after it in the script is wanted too.
                traceback.print_exc()
            finally:
                _inside.kernel = False
        _stand_in(self, given)

    JITKernel.__init__ = initialize
    if without_gpu:
        for module in ("tilelang.jit", "tilelang.cache"):
            # On the way there the caches ask for the GPU's architecture, and for keys that are not needed.
            vars(sys.modules[module])["cached"] = _uncached(JITKernel)


def _uncached(kernel: Callable[..., Any]) -> Callable[..., Any]:
    def cached(func: Any = None, out_idx: Any = None, *args: Any, **kwargs: Any) -> Any:
        chosen = {key: kwargs.get(key) for key in ("target", "target_host", "pass_configs", "compile_flags")}
        return kernel(func, out_idx, **chosen)

    return cached


def _stand_in(kernel: Any, given: Mapping[str, Any]) -> None:
    """Give a JITKernel the attributes that its own constructor would, with nothing compiled behind them."""
    kernel.prim_func = given["func"]
    kernel.verbose = given["verbose"]
    kernel.pass_configs = dict(given["pass_configs"] or {})
    kernel.compile_flags = given["compile_flags"]
    kernel.target, kernel.target_host = given["target"], given["target_host"]
    kernel.execution_backend = "tvm_ffi"
    kernel.artifact = None
    kernel.adapter = stand_in_adapter(given["func"], given["out_idx"])
    kernel.torch_function = kernel.adapter.func


def _wrap_lower(without_gpu: bool) -> None:
    import tilelang
    from tilelang.engine.param import CompiledArtifact

    module = sys.modules["tilelang.engine.lower"]
    original: Callable[..., Any] = vars(module)["lower"]

    @functools.wraps(original)
    def lower(func_or_mod: Any, *args: Any, **kwargs: Any) -> Any:
        functions = getattr(func_or_mod, "functions", None)
        functions = [func_or_mod] if functions is None else list(functions.values())
        if not getattr(_inside, "kernel", False):
            for function in functions:
                capture(function)
        if not without_gpu:
            return original(func_or_mod, *args, **kwargs)
        parameters = stand_in_adapter(functions[0], None).params if functions else []
        return CompiledArtifact(None, None, parameters, "")

    for owner in (module, tilelang.engine, tilelang):
        vars(owner)["lower"] = lower


def _compile_in_order() -> None:
    """Have par_compile take one kernel after the other: that is how kernels of two runs are told to be the same."""
    import tilelang

    module = sys.modules["tilelang.jit"]
    original: Callable[..., Any] = vars(module)["par_compile"]

    @functools.wraps(original)
    def par_compile(*args: Any, **kwargs: Any) -> Any:
        bound = inspect.signature(original).bind(*args, **kwargs)
        bound.arguments["num_workers"] = 1
        return original(*bound.args, **bound.kwargs)

    for owner in (module, tilelang):
        if "par_compile" in vars(owner):
            vars(owner)["par_compile"] = par_compile


def _skip_tuning() -> None:
    """Have the autotuner choose its first configuration unmeasured; its own run also writes a log where it stands."""
    from tilelang.autotuner.param import AutotuneResult
    from tilelang.autotuner.tuner import AutoTuner

    def run(self: Any, *_args: Any, **_kwargs: Any) -> Any:
        config = _first_config(self)
        if self.jit_compile is not None:
            kernel = self.jit_compile(**config)
        else:
            kernel = self.compile_args.compile_program(self.fn(**config))
        kernel.latency, kernel.config, kernel.ref_latency = 1.0, config, 1.0
        return AutotuneResult(
            latency=1.0, config=config, ref_latency=1.0, libcode="", func=kernel.prim_func, kernel=kernel
        )

    AutoTuner.run = run


def _first_config(tuner: Any) -> dict[str, Any]:
    """Return the first configuration of an autotuner, without what the caller has already given."""
    given = getattr(tuner, "_kernel_parameters", None) or ((), ())
    args, kwargs = given[0], dict(given[1])
    configs = tuner.configs(*args, **kwargs) if callable(tuner.configs) else tuner.configs
    names = list(inspect.signature(getattr(tuner.fn, "orig_func", tuner.fn)).parameters)
    taken = {*names[: len(args)], *kwargs}
    return {key: value for key, value in next(iter(configs)).items() if key in names and key not in taken}


def _answer_for_the_gpu() -> None:
    """Have TVM see the GPU that torch tells of, and target="auto" mean CUDA though there be no toolkit either."""
    import tilelang
    import torch
    from tilelang.contrib import nvcc

    find = nvcc.find_cuda_path

    def find_cuda_path() -> str:
        try:
            return str(find())
        except Exception:
            return "/usr/local/cuda"

    nvcc.find_cuda_path = find_cuda_path
    device = tilelang.tvm.runtime.Device
    ask = device._GetDeviceAttr
    seen = torch.cuda.get_device_properties(0)
    # The numbers are those of TVM's DeviceAttrKind.
    answers = {
        0: 1,
        1: seen.max_threads_per_block,
        2: seen.warp_size,
        3: seen.shared_memory_per_block,
        4: f"{seen.major}.{seen.minor}",
        5: seen.name,
        6: 1_000_000,
        7: seen.multi_processor_count,
        8: "[1024, 1024, 64]",
        13: seen.L2_cache_size,
        14: seen.total_memory,
        15: seen.total_memory,
    }

    def get_attribute(self: Any, kind: int, number: int, attribute: int) -> Any:
        return answers.get(attribute) if kind == _CUDA else ask(self, kind, number, attribute)

    device._GetDeviceAttr = get_attribute


def _skip_measuring() -> None:
    """Run what is to be measured once, and compare no results: there are none."""
    from tilelang.profiler import Profiler

    def do_bench(fn: Callable[[], Any], *_args: Any, **kwargs: Any) -> Any:
        try:
            fn()
        except Exception:
            traceback.print_exc()
        quantiles = kwargs.get("quantiles")
        return [1.0] * len(quantiles) if quantiles else 1.0

    def nothing(*_args: Any, **_kwargs: Any) -> None:
        return None

    for module in ("tilelang.profiler", "tilelang.profiler.bench"):
        if module in sys.modules:
            vars(sys.modules[module])["do_bench"] = do_bench
    for name in ("assert_allclose", "manual_assert_close", "assert_consistent"):
        setattr(Profiler, name, nothing)
