"""Checks of child.inputs; run by test_inputs under several releases."""

import linecache
from typing import Any

import tilelang.language as T
import torch

from tl_lint.verify.child.inputs import Unsupported, arguments, number_of_bytes, sizes_to_try

FLOATS = ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def kernel(**parameters: str) -> Any:
    """Return a prim_func with these parameters and an empty body."""
    text = "@T.prim_func\ndef made("
    text += ", ".join(f"{name}: {annotation}" for name, annotation in parameters.items())
    text += "):\n    with T.Kernel(1, threads=32) as bx:\n        T.evaluate(0)\n"
    path = f"/nowhere/{len(known)}.py"
    known.append(path)
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    scope: dict[str, Any] = {"T": T, "m": T.dynamic("m"), "n": T.dynamic("n"), "s": T.dynamic("s")}
    exec(compile(text, path, "exec"), scope)
    return scope["made"]


known: list[str] = []


def made(prim_func: Any, case: int = 0, seed: int = 0) -> dict[str, Any]:
    return {item.name: item for item in arguments(prim_func, sizes_to_try(prim_func)[case], seed, "cpu")}


def check_each_type_has_its_tensor() -> None:
    for dtype in [*FLOATS, *INTEGERS]:
        argument = made(kernel(A=f"T.Tensor((4, 8), '{dtype}')"))["A"]
        assert argument.dtype == dtype
        assert argument.value.dtype == getattr(torch, dtype), dtype
        assert argument.value.shape == (4, 8)
        assert argument.value.stride() == (8, 1)
        assert len(set(argument.value.double().reshape(-1).tolist())) > 2, dtype


def check_floats_are_finite_and_small() -> None:
    for dtype in FLOATS:
        values = made(kernel(A=f"T.Tensor((64, 64), '{dtype}')"))["A"].value.double()
        assert values.abs().max() <= 1 and values.min() < -0.9 and values.max() > 0.9, dtype


def check_bools_and_scales() -> None:
    assert set(made(kernel(A="T.Tensor((64,), 'bool')"))["A"].value.tolist()) == {True, False}
    scales = made(kernel(A="T.Tensor((64,), 'float8_e8m0fnu')"))["A"].value.double()
    assert set(scales.tolist()) <= {2.0**power for power in range(-3, 4)}


def check_types_below_a_byte_are_packed() -> None:
    argument = made(kernel(A="T.Tensor((4, 8), 'int4')"))["A"]
    assert (argument.value.dtype, tuple(argument.value.shape), argument.value.stride()) == (torch.int8, (4, 4), (4, 1))
    argument = made(kernel(A="T.Tensor((4, 8), 'float4_e2m1fn')"))["A"]
    assert tuple(argument.value.shape) == (4, 4)
    try:
        made(kernel(A="T.Tensor((4, 7), 'int4')"))
    except Unsupported as error:
        assert "fill no whole bytes" in str(error)
    else:
        raise AssertionError("half a byte was made")


def check_symbols_are_the_same_everywhere() -> None:
    prim_func = kernel(
        A="T.Tensor((m, n), 'float32')", B="T.Tensor((n, m * 2), 'float32')", C="T.Tensor((m,), 'int32')"
    )
    assert sizes_to_try(prim_func)[0] == {"m": 256, "n": 384}
    for case, sizes in enumerate(sizes_to_try(prim_func)):
        found = made(prim_func, case)
        m, n = sizes["m"], sizes["n"]
        assert found["A"].shape == (m, n) and found["B"].shape == (n, m * 2) and found["C"].shape == (m,)


def check_some_sizes_fill_no_block() -> None:
    cases = sizes_to_try(kernel(A="T.Tensor((m, n), 'float32')"))
    assert all(value % 128 == 0 for value in cases[0].values())
    assert all(value % 128 and value % 16 == 0 for value in cases[1].values())
    assert all(value % 2 for value in cases[2].values())


def check_given_sizes_are_kept() -> None:
    prim_func = kernel(A="T.Tensor((m, n), 'float32')")
    assert [case["m"] for case in sizes_to_try(prim_func, {"m": 7})] == [7, 7, 7]
    assert sizes_to_try(prim_func, {"m": 7, "n": 8}) == [{"m": 7, "n": 8}]
    assert sizes_to_try(prim_func, {"k": 3})[0] == {"m": 256, "n": 384, "k": 3}
    assert sizes_to_try(kernel(A="T.Tensor((8,), 'float32')")) == [{}]


def check_scalars_fit_the_buffers() -> None:
    prim_func = kernel(A="T.Tensor((64, 48), 'float32')", k="T.int32", f="T.float32", b="T.bool", h="T.float16")
    found = made(prim_func)
    assert [found[name].value for name in "kfbh"] == [48, 0.5, True, 0.5]


def check_strides_are_kept() -> None:
    found = made(
        kernel(A="T.StridedTensor((4, 8), (16, 1), 'float32')", B="T.StridedTensor((m, 8), (s, 1), 'float32')")
    )
    assert found["A"].value.stride() == (16, 1)
    assert found["B"].value.stride() == (8 + 16, 1)
    copy = found["A"].copy()
    assert copy.value.stride() == (16, 1)
    copy.value.zero_()
    assert not torch.equal(copy.memory, found["A"].memory)
    assert torch.equal(copy.memory[8:16], found["A"].memory[8:16]), "the gaps between rows are copied too"


def check_there_is_a_guard_behind_the_end() -> None:
    argument = made(kernel(A="T.Tensor((4, 8), 'float32')"))["A"]
    assert argument.memory.numel() == 32 + 64
    assert number_of_bytes([argument]) == 96 * 4


def check_indices_stay_in_range() -> None:
    found = made(
        kernel(A="T.Tensor((100, 7), 'float32')", index="T.Tensor((1000,), 'int64')", one="T.Tensor((1,), 'int32')")
    )
    assert set(found["index"].value.tolist()) == set(range(7))
    assert 0 <= int(found["one"].value) < 7


def check_offsets_ascend_from_zero() -> None:
    for name in ("cu_seqlens", "cu_seqlens_q", "indptr", "offsets", "block_offset"):
        values = made(kernel(A="T.Tensor((50, 70), 'float32')", **{name: "T.Tensor((20,), 'int32')"}))[name].value
        assert values[0] == 0 and torch.equal(values, values.sort().values) and values[-1] < 20, name
    plain = made(kernel(A="T.Tensor((50, 70), 'float32')", seqs="T.Tensor((20,), 'int32')"))["seqs"].value
    assert not torch.equal(plain, plain.sort().values)


def check_the_seed_decides() -> None:
    prim_func = kernel(A="T.Tensor((64,), 'float32')", B="T.Tensor((64,), 'float32')")
    one, again, other = made(prim_func), made(prim_func), made(prim_func, seed=1)
    assert torch.equal(one["A"].memory, again["A"].memory)
    assert not torch.equal(one["A"].memory, other["A"].memory)
    assert not torch.equal(one["A"].memory, one["B"].memory)


def check_pointers_that_become_tensors() -> None:
    @T.prim_func  # type: ignore[untyped-decorator]
    def pointers(A: T.ptr, n: T.int32):  # type: ignore[no-untyped-def]
        with T.Kernel(1, threads=32):
            tensor = T.make_tensor(A, (n,), "float16")
            for i in T.Parallel(32):
                tensor[i] = 1.0

    found = arguments(pointers, {"n": 256}, 0, "cpu")
    assert found[0].value.dtype == torch.float16 and found[0].shape == (256,)
    assert found[1].value == 256
    assert sizes_to_try(pointers)[0] == {"n": 256}
