"""Makes seeded inputs for every parameter of a prim_func.

Values by dtype: floats are uniform in [-1, 1); float8_e8m0 are powers of two from 1/8 to 8; bytes, bools and anything
packed into bytes (int4, float4) are any bits; 16-bit integers lie in [-128, 128), or [0, 256) unsigned. 32 and 64-bit
integers may be indices, so they lie in [0, the smallest size above 1 of any buffer), and ascend from 0 where the name
says that they are offsets ("cu_seqlens", "indptr", "offsets"). A scalar that is no size is that smallest size if it is
an integer, 0.5 if it is a float.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

__all__ = ["Argument", "Unsupported", "arguments", "number_of_bytes", "sizes_to_try"]

_SIZES = ((256, 384, 512), (208, 336, 144), (197, 331, 139))
"""Multiples of a usual block; multiples of 16 bytes that fill no block; neither. One each for the symbols in turn."""

_GUARD = 64
"""Elements behind a buffer's end, compared like the rest: a kernel that writes past the end is seen."""

_GAP = 16
"""Elements between rows whose distance is a symbol."""

_ASCENDING = re.compile(r"(^|_)(cu|cum)_?(seq|len|sum)|indptr|offsets?$|(^|_)cumsum", re.IGNORECASE)


class Unsupported(Exception):
    """A parameter is of a kind that no input can be made for; it says nothing of the kernel."""


@dataclass(frozen=True)
class Argument:
    """What is passed for one parameter: a number, or a view of `memory`, a flat tensor that holds all of it.

    `shape` and `strides` count elements of `memory`, which for types below a byte are the bytes that hold them.
    """

    name: str
    dtype: str
    number: int | float | bool | None = None
    memory: torch.Tensor | None = None
    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()

    @property
    def value(self) -> Any:
        """The number, or the tensor."""
        return self.number if self.memory is None else self.memory.as_strided(self.shape, self.strides)

    def copy(self) -> Argument:
        """Return the same argument in memory of its own, gaps and all."""
        return self if self.memory is None else replace(self, memory=self.memory.clone())


@dataclass(frozen=True)
class _Layout:
    """A buffer's sizes in elements of TIR, with every symbol replaced."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def sizes_to_try(prim_func: Any, given: Mapping[str, int] | None = None) -> list[dict[str, int]]:
    """Return values for the symbols in the shapes and strides of a prim_func's buffers, by name, several times over.

    The first are multiples of usual blocks, the later ones not; `given` fixes some, and scalars. Without symbols it
    is one empty dict.
    """
    names = list(dict.fromkeys(_symbols(buffer.shape for _, buffer in _buffers(prim_func))))
    cases = [{name: values[index % len(values)] for index, name in enumerate(names)} for values in _SIZES]
    cases = [
        _with_strides(prim_func, case | {name: int(value) for name, value in (given or {}).items()}) for case in cases
    ]
    return [case for index, case in enumerate(cases) if case not in cases[:index]]


def _with_strides(prim_func: Any, sizes: Mapping[str, int]) -> dict[str, int]:
    """Return the sizes with values for the symbols that are strides only: rows apart by 16 elements."""
    sizes = dict(sizes)
    for _, buffer in _buffers(prim_func):
        step = 1
        for extent, stride in zip(reversed(buffer.shape), reversed(buffer.strides), strict=False):
            for name in _symbols([[stride]]):
                sizes.setdefault(name, step + _GAP if step > 1 else step)
            step = _number(stride, sizes) * _number(extent, sizes)
    return sizes


def arguments(prim_func: Any, sizes: Mapping[str, int], seed: int, device: str) -> list[Argument]:
    """Return an argument for each parameter, in their order, on a device such as "cuda".

    Symbols have the same value wherever they stand. The same seed makes the same values. Raises Unsupported, and
    KeyError if `sizes` lacks a symbol.
    """
    layouts = {index: _layout(buffer, sizes) for index, buffer in _buffers(prim_func)}
    extents = [extent for layout in layouts.values() for extent in layout.shape if extent > 1]
    smallest = min(extents, default=1)
    made = []
    for index, parameter in enumerate(prim_func.params):
        if index in layouts:
            made.append(_tensor(layouts[index], smallest, seed * 1009 + index, device))
        else:
            made.append(_scalar(str(parameter.name), str(parameter.dtype), sizes, smallest))
    return made


def number_of_bytes(made: Iterable[Argument]) -> int:
    """Return the memory that arguments take."""
    return sum(item.memory.nbytes for item in made if item.memory is not None)


def _buffers(prim_func: Any) -> list[tuple[int, Any]]:
    """Return (index of the parameter, buffer) of those that are one; pointers made into tensors are among them."""
    known = prim_func.buffer_map
    return [(index, known[parameter]) for index, parameter in enumerate(prim_func.params) if parameter in known]


def _symbols(sizes: Iterable[Iterable[Any]]) -> Iterator[str]:
    """Yield the names of the symbols in shapes or strides, in order, some more than once."""
    from tl_lint.verify.child.tir import namespace

    tir = namespace()
    names: list[str] = []

    def visit(node: Any) -> None:
        if isinstance(node, tir.Var):
            names.append(str(node.name))

    for expression in itertools.chain.from_iterable(sizes):
        if not isinstance(expression, int):
            tir.stmt_functor.post_order_visit(expression, visit)
    yield from names


def _layout(buffer: Any, sizes: Mapping[str, int]) -> _Layout:
    shape = tuple(_number(extent, sizes) for extent in buffer.shape)
    strides = tuple(_number(stride, sizes) for stride in buffer.strides) or _contiguous(shape)
    if min(shape, default=1) < 0 or min(strides, default=0) < 0:
        raise Unsupported(f"{buffer.name} has a negative size or stride: {shape}, {strides}")
    return _Layout(str(buffer.name), str(buffer.dtype), shape, strides)


def _contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def _number(expression: Any, sizes: Mapping[str, int]) -> int:
    """Return the value of a size: an int, or an expression of symbols."""
    import tilelang

    from tl_lint.verify.child.tir import namespace

    if isinstance(expression, int):
        return expression
    tir = namespace()
    values: dict[Any, Any] = {}

    def visit(node: Any) -> None:
        if isinstance(node, tir.Var):
            values[node] = tir.IntImm(str(node.dtype), sizes[str(node.name)])

    tir.stmt_functor.post_order_visit(expression, visit)
    replaced = tir.stmt_functor.substitute(expression, values) if values else expression
    result = tilelang.tvm.arith.Analyzer().simplify(replaced)
    if not isinstance(result, tir.IntImm):
        raise Unsupported(f"the size {expression} has no value")
    return int(result.value)


def _tensor(layout: _Layout, smallest: int, seed: int, device: str) -> Argument:
    import torch

    storage, packed = _storage(layout.dtype)
    if layout.shape and layout.shape[-1] % packed:
        raise Unsupported(f"{layout.name} has {layout.shape[-1]} of {layout.dtype} in a row, which fill no whole bytes")
    shape, strides = layout.shape, layout.strides
    if packed > 1:
        shape = (*shape[:-1], shape[-1] // packed)
        strides = (*(stride // packed for stride in strides[:-1]), strides[-1])
    extent = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    count = (0 if 0 in shape else extent) + _GUARD
    generator = torch.Generator(device=device).manual_seed(seed)
    memory = _values(layout, storage, packed, count, smallest, generator)
    if _ASCENDING.search(layout.name) and not storage.is_floating_point and packed == 1 and storage.itemsize >= 4:
        memory = memory.long().sort().values.to(storage)
        memory[0] = 0
    return Argument(layout.name, layout.dtype, None, memory, shape, strides)


def _storage(dtype: str) -> tuple[torch.dtype, int]:
    """Return torch's type for a dtype of TIR, and how many values are in one element of it."""
    import torch
    from tilelang import language

    bits = re.match(r"[a-z]+(\d+)", dtype)
    packed = 8 // int(bits[1]) if bits and int(bits[1]) < 8 else 1
    try:
        return language.dtype(dtype).as_torch(), packed
    except (ValueError, AttributeError) as error:
        if packed > 1 and 8 % int(bits[1] if bits else 8) == 0:
            return torch.int8, packed
        raise Unsupported(f"torch has no type for {dtype}") from error


def _values(
    layout: _Layout, storage: torch.dtype, packed: int, count: int, smallest: int, generator: torch.Generator
) -> torch.Tensor:
    import torch

    device = generator.device

    def integers(low: int, high: int) -> torch.Tensor:
        return torch.randint(low, high, (count,), generator=generator, device=device)

    if storage == torch.bool:
        return integers(0, 2).to(torch.bool)
    if packed > 1 or storage in (torch.int8, torch.uint8):
        return integers(0, 256).to(torch.uint8).view(storage)
    if "e8m0" in layout.dtype:
        return integers(124, 131).to(torch.uint8).view(storage)
    if storage.is_floating_point:
        wide = torch.float64 if storage == torch.float64 else torch.float32
        return (torch.rand(count, generator=generator, device=device, dtype=wide) * 2 - 1).to(storage)
    if storage.itemsize == 2:
        return integers(*((0, 256) if layout.dtype.startswith("u") else (-128, 128))).to(storage)
    return integers(0, max(smallest, 1)).to(storage)


def _scalar(name: str, dtype: str, sizes: Mapping[str, int], smallest: int) -> Argument:
    if name in sizes:
        return Argument(name, dtype, int(sizes[name]))
    if dtype == "bool":
        return Argument(name, dtype, True)
    if re.fullmatch(r"u?int\d+", dtype):
        bits = int(dtype.lstrip("uint"))
        return Argument(name, dtype, min(smallest, 2 ** (bits - 1) - 1))
    if re.match(r"b?float", dtype):
        return Argument(name, dtype, 0.5)
    raise Unsupported(f"the parameter {name} is a {dtype} of unknown size")
