"""A kernel that was not compiled: called, it returns new tensors of the shapes that the compiled one would return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tl_lint.verify.child.fake_tensors import forget
from tl_lint.verify.child.tir import namespace

__all__ = ["stand_in_adapter"]


def stand_in_adapter(prim_func: Any, out_idx: Any) -> Any:
    """Return an adapter of TileLang's for `prim_func`; `out_idx` is an index, indices (from the end too) or None."""
    from tilelang.engine.param import KernelParam
    from tilelang.jit.adapter import BaseKernelAdapter

    class Adapter(BaseKernelAdapter):  # type: ignore[misc]
        """What a JITKernel calls, and takes its source from."""

        def _convert_torch_func(self) -> Any:
            def call(*arguments: Any, **named: Any) -> Any:
                return _call(prim_func, self.params, self.result_idx, [*arguments, *named.values()])

            return call

        def get_kernel_source(self, *_args: Any, **_kwargs: Any) -> str:
            return ""

        def get_host_source(self, *_args: Any, **_kwargs: Any) -> str:
            return ""

        def _post_init(self) -> None:
            self.func = self._convert_torch_func()

        def __call__(self, *arguments: Any, **named: Any) -> Any:
            return self.func(*arguments, **named)

    buffers = prim_func.buffer_map
    params = [
        KernelParam.from_buffer(buffers[param]) if param in buffers else KernelParam.from_var(param)
        for param in prim_func.params
    ]
    indices = [int(index) for index in out_idx] if isinstance(out_idx, Sequence) else out_idx
    return Adapter(None, params, indices)


def _call(prim_func: Any, params: list[Any], results: list[int], arguments: list[Any]) -> Any:
    import torch

    for value in arguments:
        if isinstance(value, torch.Tensor) and value.dtype.is_floating_point:
            forget(value)  # the kernel may have written to it; the ints are rather sizes and indices
    if not results:
        return None
    inputs = [index for index in range(len(params)) if index not in results]
    given = dict(enumerate(arguments)) if len(arguments) == len(params) else dict(zip(inputs, arguments, strict=False))
    bound = _bound_sizes(prim_func, given)
    devices = [value.device for value in arguments if isinstance(value, torch.Tensor)]
    device = devices[0] if devices else torch.device("cuda")
    made = []
    for index in results:
        shape = [_size(dimension, bound) for dimension in params[index].shape]
        made.append(torch.zeros(_stored(shape, params[index]), dtype=params[index].torch_dtype(), device=device))
        forget(made[-1])
    return made[0] if len(made) == 1 else made


def _bound_sizes(prim_func: Any, given: dict[int, Any]) -> dict[Any, int]:
    """Return what a call gives the symbolic sizes of a kernel: by its tensors' shapes, or as scalars."""
    variable = type(prim_func.params[0]) if prim_func.params else object
    buffers = prim_func.buffer_map
    bound: dict[Any, int] = {}
    for index, value in given.items():
        param = prim_func.params[index]
        buffer = buffers[param] if param in buffers else None  # noqa: SIM401  # it is a map of TVM's
        if buffer is None:
            if isinstance(value, int):
                bound[param] = int(value)
            continue
        for dimension, size in zip(buffer.shape, getattr(value, "shape", ()), strict=False):
            if isinstance(dimension, variable):
                bound[dimension] = int(size)
    return bound


def _size(dimension: Any, bound: dict[Any, int]) -> int:
    """Return a dimension as a number; 1 if it hangs on something that the call does not give."""
    import tilelang

    if isinstance(dimension, int):
        return dimension
    tir = namespace()
    values = {variable: tir.IntImm(variable.dtype, size) for variable, size in bound.items()}
    value = tilelang.tvm.arith.Analyzer().simplify(tir.stmt_functor.substitute(dimension, values))
    return int(value) if isinstance(value, tir.IntImm) else 1


def _stored(shape: list[int], param: Any) -> list[int]:
    """Return the shape as torch stores it: elements of less than a byte share one."""
    import torch

    bits = int(param.dtype.bits) * int(param.dtype.lanes)
    stored = torch.empty((), dtype=param.torch_dtype(), device="cpu").element_size() * 8
    return [*shape[:-1], shape[-1] * bits // stored] if shape and bits < 8 else shape
