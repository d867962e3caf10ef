"""Tensors without memory, on a GPU that is not there: torch's FakeTensorMode, with values for those that are small.

FakeTensorMode computes shapes, dtypes and devices alone, and stops a script that asks for a value: `.item()`, `if`,
`torch.nonzero`. Here a tensor of few elements made from known ones also carries its value, computed on the CPU, so
that lengths, offsets and indices are what the script made them; any other value asked for is taken to be one (a bool
true, a float nearly zero, which as an error is small).

C++ is told that such a tensor is on torch's device "meta", which every build of torch has; Python sees "cuda:0" or
"cpu". So "cuda" becomes "meta" on the way in (_devices), and "meta" becomes "cuda:0" where operations arrive (_mode).
With "cuda" in C++, as FakeTensorMode has it, a torch without a GPU does neither views nor backward passes of them.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["forget", "install"]

_SMALL = 1 << 16
"""Elements of the largest tensor that carries its value."""

_LARGEST_GUESS = 1 << 24
"""Elements of the largest tensor whose value is made up."""

_FLOAT = 1e-9
"""A float that was never computed: below every tolerance, and nothing divides by zero."""


def forget(tensor: Any) -> None:
    """Say that the value of a tensor is no longer known, after something that is not run has written to it."""
    getattr(tensor, "__dict__", {}).pop("_known_value", None)


def install() -> None:
    """Have all tensors made from now on be such."""
    _make_reading_work()
    mode = _mode()
    _hide_cuda_from_torch()
    _in_every_thread(mode)
    _in_every_thread(_devices())


def _in_every_thread(mode: Any) -> None:
    """Enter a mode of torch's for good, here and in each thread that is started later; torch keeps one a thread."""
    mode.__enter__()
    run = threading.Thread.run

    def run_in_mode(self: threading.Thread) -> None:
        with mode:
            run(self)

    threading.Thread.run = run_in_mode  # type: ignore[method-assign]


def _mode() -> Any:
    """Return the mode. Its class is made here, because torch is not to be imported before the script imports it."""
    import torch
    from torch._subclasses import fake_tensor

    unknown = (
        fake_tensor.DataDependentOutputException,
        fake_tensor.DynamicOutputShapeException,
        fake_tensor.UnsupportedOperatorException,
    )

    read = torch.ops.aten._local_scalar_dense.default

    class Mode(fake_tensor.FakeTensorMode):  # type: ignore[misc]
        """See the module."""

        # Torch is not to look for a GPU, though we say that there is one.
        avoid_device_init = True

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = dict(kwargs or {})
            if kwargs.get("device") is not None and kwargs["device"].type in ("meta", "cuda"):
                kwargs["device"] = torch.device("cuda", 0)
            args, kwargs = _mapped(self._placed, args), _mapped(self._placed, kwargs)
            if func is read:
                return _from_values(self, func, args, kwargs)
            try:
                result = super().__torch_dispatch__(func, types, args, kwargs)
            except unknown:
                return _from_values(self, func, args, kwargs)
            _follow(func, args, kwargs, result)
            return result

        def _placed(self, item: Any) -> Any:
            """Say where a tensor lies that C++ has made on its own: a number as one, or what a fake one led to."""
            if not isinstance(item, torch.Tensor) or isinstance(item, fake_tensor.FakeTensor) or not item.is_meta:
                return item
            device = torch.device("cuda", 0) if item.dim() else torch.device("cpu")
            return fake_tensor.FakeTensor(self, item, device)

    return Mode(allow_non_fake_inputs=True)


def _devices() -> Any:
    """Return a mode in which C++ gets "meta" for every GPU: given by name, as a torch.device or by its number."""
    import torch
    from torch.overrides import TorchFunctionMode

    class Mode(TorchFunctionMode):  # type: ignore[misc]
        """See above."""

        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func is torch.device:  # scripts compare them with those of tensors; a number alone means a GPU
                return func("cuda", *args) if args and type(args[0]) is int else func(*args, **(kwargs or {}))
            kwargs = {key: _without_cuda(value) for key, value in (kwargs or {}).items()}
            if type(kwargs.get("device")) is int:
                kwargs["device"] = torch.device("meta")
            if func in from_data:
                return _from_data(func, args, kwargs)
            return func(*map(_without_cuda, args), **kwargs)

    from_data = (torch.tensor, torch.as_tensor, torch.asarray, torch.Tensor.new_tensor)
    return Mode()


def _from_data(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Make a tensor of given numbers on the CPU, which keeps them, and move it: on "meta" it would have none."""
    import torch

    device = kwargs.pop("device", None)
    if device is None:
        device = args[0].device if isinstance(args[0], torch.Tensor) else torch.get_default_device()
    requires_grad = kwargs.pop("requires_grad", False)
    # C++ would ask tensors among the numbers for their values past all modes.
    args = [_mapped(_number, item) if isinstance(item, (list, tuple)) else item for item in args]
    made = _to(func(*args, **kwargs, device="cpu"), device)
    return made.requires_grad_() if requires_grad else made


def _number(item: Any) -> Any:
    import torch

    return item.tolist() if isinstance(item, torch.Tensor) else item


def _without_cuda(value: Any) -> Any:
    """Return "meta" for a GPU, everything else as it is."""
    import torch

    if isinstance(value, torch.device):
        return torch.device("meta") if value.type == "cuda" else value
    return "meta" if isinstance(value, str) and re.fullmatch(r"cuda(:\d+)?", value) else value


def _hide_cuda_from_torch() -> None:
    """Have C++ take fake tensors for tensors on "meta", and decide here which of them lies where."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensor
    from torch.utils._device import DeviceContext

    make, enter = torch.Tensor._make_subclass, DeviceContext.__init__

    def make_subclass(cls: Any, data: Any, require_grad: bool = False, **kwargs: Any) -> Any:
        return make(cls, data, require_grad, **({} if issubclass(cls, FakeTensor) else kwargs))

    def initialize(self: Any, device: Any) -> None:
        enter(self, _without_cuda(device))

    torch.Tensor._make_subclass = staticmethod(make_subclass)
    DeviceContext.__init__ = initialize
    FakeTensor.is_cuda = property(lambda self: self.fake_device.type == "cuda")
    FakeTensor.is_cpu = property(lambda self: self.fake_device.type == "cpu")
    FakeTensor.is_meta = property(lambda self: False)
    swap = torch.utils.swap_tensors

    def swap_tensors(kept: Any, other: Any) -> None:
        """Let a module move its parameters; the real function refuses tensors that something refers to weakly."""
        if not isinstance(kept, FakeTensor):
            swap(kept, other)
            return
        kept.data = other
        kept.fake_device, kept._known_value = other.fake_device, getattr(other, "_known_value", None)

    torch.utils.swap_tensors = swap_tensors
    torch.Tensor.to = _to
    torch.Tensor.cuda = lambda self, device=None, *_args, **_kwargs: _to(self, "cuda")
    torch.Tensor.cpu = lambda self, *_args, **_kwargs: _to(self, "cpu")
    torch.Tensor.type_as = lambda self, other: _to(self, other)


def _to(self: Any, *args: Any, copy: bool = False, other: Any = None, **kwargs: Any) -> Any:
    """Do what Tensor.to does; C++ cannot tell whether a tensor is where it is to go."""
    import torch

    like = other if other is not None else args[0] if args and isinstance(args[0], torch.Tensor) else None
    if like is not None:
        device, dtype, memory_format = like.device, like.dtype, kwargs.get("memory_format")
    else:
        if args and type(args[0]) is int:
            args = (torch.device("cuda", args[0]), *args[1:])
        copy = copy or any(item is True for item in args[3:])
        device, dtype, _, memory_format = torch._C._nn._parse_to(*map(_without_cuda, args[:3]), **kwargs)
        if device is not None and device.type == "meta":
            device = torch.device("cuda", 0)
    device, dtype = device or self.device, dtype or self.dtype
    keeps = memory_format in (None, torch.preserve_format)
    if self.device == device and self.dtype == dtype and keeps and not copy:
        return self
    return torch.ops.aten._to_copy(self, dtype=dtype, device=_without_cuda(device), memory_format=memory_format)


def _follow(func: Any, args: Any, kwargs: Any, result: Any) -> None:
    """Give the results of an operation their values, if its inputs have theirs and all are small."""
    tensors, results = _tensors((args, kwargs)), _tensors(result)
    small = all(item.numel() <= _SMALL for item in (*tensors, *results))
    if small and all(_value(item) is not None for item in tensors):
        try:
            values = _tensors(_computed(func, args, kwargs, _value))
        except Exception:
            values = []
        if len(values) == len(results):
            for item, value in zip(results, values, strict=True):
                if value.shape == item.shape:
                    item._known_value = value
            return
    for argument, item in zip(func._schema.arguments, args, strict=False):
        if argument.alias_info is not None and argument.alias_info.is_write:
            for tensor in _tensors(item):
                forget(tensor)


def _mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """Return arguments or results of an operation with a function applied to what they hold."""
    if isinstance(value, (list, tuple)):
        items = [_mapped(function, item) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {key: _mapped(function, item) for key, item in value.items()}
    return function(value)


def _tensors(value: Any) -> list[Any]:
    """Return the tensors among arguments or results of an operation, in order."""
    import torch

    found: list[Any] = []
    _mapped(lambda item: found.append(item) if isinstance(item, torch.Tensor) else None, value)
    return found


def _value(tensor: Any) -> Any:
    """Return the value of a tensor on the CPU, None if it is not known."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensor

    if isinstance(tensor, FakeTensor):
        known = getattr(tensor, "_known_value", None)
        return tensor.constant if known is None else known
    return tensor if type(tensor) in (torch.Tensor, torch.nn.Parameter) and tensor.device.type == "cpu" else None


def _guess(tensor: Any) -> Any:
    """Return the value of a tensor, made up if it is not known."""
    import torch

    known = _value(tensor)
    if known is not None:
        return known
    if tensor.numel() > _LARGEST_GUESS:
        raise ValueError(f"a tensor of {tensor.numel()} elements has no value here")
    return torch.full(tensor.shape, _FLOAT if tensor.dtype.is_floating_point else 1, dtype=tensor.dtype)


def _guess_one(tensor: Any) -> Any:
    """Return a made-up value of one element in place of a tensor of any size, none for one without elements."""
    import torch

    shape = [min(size, 1) for size in tensor.shape]
    return torch.full(shape, _FLOAT if tensor.dtype.is_floating_point else 1, dtype=tensor.dtype)


def _computed(func: Any, args: Any, kwargs: Any, value: Any) -> Any:
    """Run an operation on values in place of the tensors, on the CPU."""
    import torch
    from torch.utils._mode_utils import no_dispatch

    def plain(item: Any) -> Any:
        if isinstance(item, torch.Tensor):
            return value(item)
        return torch.device("cpu") if isinstance(item, torch.device) and item.type != "meta" else item

    with no_dispatch(), torch.no_grad():
        result = func(*_mapped(plain, args), **_mapped(plain, kwargs))
        if func.overloadpacket in (torch.ops.aten.empty, torch.ops.aten.empty_like, torch.ops.aten.empty_strided):
            result.zero_()
        return result


def _from_values(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    """Return what an operation whose result hangs on values gives for those known and made up."""
    import torch

    tensors = _tensors((args, kwargs))
    one_answer = not any("Tensor" in str(returned.type) for returned in func._schema.returns)
    # Whether results that were never computed are close to those expected: they are.
    guess = _guess_one if one_answer and any(_value(tensor) is None for tensor in tensors) else _guess
    result = _computed(func, args, kwargs, guess)
    device = tensors[0].device if tensors else torch.device("cpu")

    def fake(item: Any) -> Any:
        if not isinstance(item, torch.Tensor):
            return item
        with mode:
            made = torch.empty(item.shape, dtype=item.dtype, device=device)
        made._known_value = item
        return made

    return _mapped(fake, result)


def _make_reading_work() -> None:
    """Let tensors be read as numpy arrays and lists, and asked where they lie."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensor
    from torch.utils._mode_utils import no_dispatch

    real = {name: getattr(torch.Tensor, name) for name in ("numpy", "tolist", "data_ptr")}

    def read(name: str) -> Any:
        def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            if not isinstance(self, FakeTensor):
                return real[name](self, *args, **kwargs)
            if name == "data_ptr":
                return 256
            with no_dispatch():
                return real[name](_guess(self), *args, **kwargs)

        return method

    for name in real:
        setattr(torch.Tensor, name, read(name))
        with contextlib.suppress(AttributeError):
            delattr(FakeTensor, name)
