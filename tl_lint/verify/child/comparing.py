"""Compares what two kernels left in their buffers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

__all__ = ["BufferResult", "compared", "same_bits", "tolerance"]

# What torch.testing.assert_close allows, and one step of the type for the types of eight bits.
_TOLERANCES = {
    "float64": (1e-7, 1e-7),
    "float32": (1.3e-6, 1e-5),
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float8_e4m3": (0.125, 2.0**-9),
    "float8_e5m2": (0.25, 2.0**-16),
    "float8_e8m0": (0.0, 0.0),
}


@dataclass(frozen=True)
class BufferResult:
    """How one buffer came out. `how` says by which measure, `differing` counts elements that fail it."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    equal: bool
    how: str
    differing: int = 0
    message: str = ""


def tolerance(dtype: str) -> tuple[float, float]:
    """Return the relative and the absolute tolerance of a dtype; (0, 0) for integers."""
    return next((value for name, value in _TOLERANCES.items() if dtype.startswith(name)), (0.0, 0.0))


def same_bits(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Tell for each element of two flat tensors of one type whether it has the same bits in both, or is NaN in both."""
    import torch

    whole = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[one.itemsize]
    same = one.view(whole) == other.view(whole)
    if one.dtype.is_floating_point and "float4" not in str(one.dtype):
        same |= one.float().isnan() & other.float().isnan()
    return same


def compared(
    name: str,
    dtype: str,
    shape: tuple[int, ...],
    control: Sequence[torch.Tensor],
    actual: torch.Tensor,
    tolerances: tuple[float, float] | None = None,
) -> BufferResult:
    """Compare a buffer with what the control left there in its runs, all of them flat.

    Bit for bit if the control repeats itself and no `tolerances` (relative, absolute) are given. Else floats may
    differ by the tolerance, `tolerances` or that of the dtype, and by twice as much as the control's runs do from each
    other; integers have to be the same values in another order at least.
    """
    first = control[0]
    repeats = all(bool(same_bits(first, again).all()) for again in control[1:])
    if repeats and tolerances is None:
        return _result(name, dtype, shape, same_bits(first, actual), first, actual, "bit for bit")
    if not first.dtype.is_floating_point or "float4" in str(first.dtype):
        return _unordered(name, dtype, shape, first, actual, repeats)
    relative, absolute = tolerances or tolerance(dtype)
    wide = [item.double() for item in control]
    spread = max((float((item - wide[0]).abs().nan_to_num(0, 0, 0).max()) for item in wide[1:]), default=0.0)
    found = actual.double()
    near = (found - wide[0]).abs() <= absolute + 2 * spread + relative * wide[0].abs()
    near |= (found == wide[0]) | (found.isnan() & wide[0].isnan())
    how = f"within a relative {relative:.2g} and an absolute {absolute:.2g}"
    if not repeats:
        how += f", and twice the control's own spread of {spread:.2g}: it does not repeat itself"
    return _result(name, dtype, shape, near, first, actual, how)


def _unordered(
    name: str, dtype: str, shape: tuple[int, ...], first: torch.Tensor, actual: torch.Tensor, repeats: bool
) -> BufferResult:
    import torch

    if repeats:
        return _result(name, dtype, shape, same_bits(first, actual), first, actual, "value by value")
    whole = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[first.itemsize]
    one, other = first.view(whole).sort().values, actual.view(whole).sort().values
    how = "as values in any order: the control does not repeat itself"
    return _result(name, dtype, shape, one == other, one, other, how)


def _result(
    name: str,
    dtype: str,
    shape: tuple[int, ...],
    same: torch.Tensor,
    expected: torch.Tensor,
    actual: torch.Tensor,
    how: str,
) -> BufferResult:
    differing = int((~same).sum())
    message = ""
    if differing:
        place = int((~same).nonzero()[0])
        message = f"{differing} of {same.numel()} differ, first at {place}: {_shown(actual, place)}, "
        message += f"not {_shown(expected, place)}"
    return BufferResult(name, dtype, shape, not differing, how, differing, message)


def _shown(values: torch.Tensor, place: int) -> str:
    import torch

    element = values[place : place + 1]
    return str(element.view(torch.uint8).tolist() if "float4" in str(values.dtype) else element.tolist()[0])
