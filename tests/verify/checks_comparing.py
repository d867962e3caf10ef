"""Checks of child.comparing; run by test_comparing."""

from typing import Any

import torch

from tl_lint.verify.child.comparing import BufferResult, compared, same_bits, tolerance

NAN = float("nan")
FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2]
INTEGERS = [torch.bool, torch.int8, torch.uint8, torch.int16, torch.uint16, torch.int32, torch.uint32, torch.int64]


def result(control: Any, actual: Any, tolerances: tuple[float, float] | None = None) -> BufferResult:
    control = control if isinstance(control, list) else [control, control]
    dtype = str(actual.dtype).removeprefix("torch.")
    return compared("B", dtype, tuple(actual.shape), control, actual, tolerances)


def check_each_type_is_compared_bit_for_bit() -> None:
    for dtype in [*FLOATS, *INTEGERS]:
        one = torch.tensor([1.0, 0.0, 1.0, 1.0]).to(dtype)
        other = torch.tensor([1.0, 0.0, 0.0, 1.0]).to(dtype)
        assert result(one, one.clone()).equal, dtype
        found = result(one, other)
        assert (found.equal, found.how, found.differing) == (False, "bit for bit", 1), dtype
        assert "1 of 4 differ, first at 2" in found.message, found.message


def check_a_rounding_is_a_difference() -> None:
    one = torch.tensor([1.0], dtype=torch.float64)
    assert not result(one, torch.nextafter(one, one + 1)).equal


def check_zeros_of_two_signs_differ() -> None:
    assert not result(torch.tensor([0.0]), torch.tensor([-0.0])).equal


def check_nan_equals_nan_of_any_bits() -> None:
    for dtype in FLOATS:
        assert same_bits(torch.tensor([NAN, 1.0]).to(dtype), torch.tensor([NAN, 1.0]).to(dtype)).all(), dtype
    odd = torch.tensor([0x7FC00001], dtype=torch.int32).view(torch.float32)
    assert result(torch.tensor([NAN]), odd).equal


def check_nan_elsewhere_differs() -> None:
    assert result(torch.tensor([NAN, 1.0]), torch.tensor([1.0, NAN])).differing == 2
    assert result(torch.tensor([1.0]), torch.tensor([NAN]), (1e-2, 1e-2)).differing == 1


def check_packed_types_are_compared_as_bytes() -> None:
    one = torch.tensor([0x7F, 0x12], dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
    other = torch.tensor([0x7F, 0x13], dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
    assert result(one, one.clone()).equal
    assert result(one, other).message == "1 of 2 differ, first at 1: [19], not [18]"


def check_a_control_that_does_not_repeat_itself_allows_the_tolerance() -> None:
    first = torch.tensor([1.0, 100.0])
    again = torch.tensor([1.0, 100.0001])
    found = result([first, again], torch.tensor([1.0, 99.9999]))
    assert found.equal
    assert found.how.startswith("within a relative 1.3e-06 and an absolute 1e-05, and twice the control's own spread")
    assert "it does not repeat itself" in found.how
    assert not result([first, again], torch.tensor([1.0, 100.001])).equal
    assert not result([first, again], torch.tensor([1.001, 100.0])).equal


def check_integers_of_a_control_that_does_not_repeat_itself_may_be_in_any_order() -> None:
    first, again = torch.tensor([3, 1, 2]), torch.tensor([1, 2, 3])
    assert result([first, again], torch.tensor([2, 3, 1])).equal
    assert not result([first, again], torch.tensor([2, 3, 3])).equal


def check_infinity_is_near_itself_only() -> None:
    infinity = float("inf")
    found = result([torch.tensor([infinity, 1.0])], torch.tensor([infinity, infinity]), (1e-2, 1e-2))
    assert found.differing == 1


def check_given_tolerances_take_the_place_of_bits() -> None:
    assert result(torch.tensor([1.0]), torch.tensor([1.009]), (1e-2, 0.0)).equal
    assert not result(torch.tensor([1.0]), torch.tensor([1.011]), (1e-2, 0.0)).equal
    assert not result(torch.tensor([4]), torch.tensor([5]), (1e-2, 1e-2)).equal


def check_tolerances_are_those_of_torch() -> None:
    from torch.testing._comparison import default_tolerances

    for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
        assert tolerance(str(dtype).removeprefix("torch.")) == default_tolerances(dtype), dtype
    assert tolerance("float8_e4m3fn")[0] == torch.finfo(torch.float8_e4m3fn).eps
    assert tolerance("float8_e5m2")[0] == torch.finfo(torch.float8_e5m2).eps
    assert tolerance("int32") == (0.0, 0.0)
