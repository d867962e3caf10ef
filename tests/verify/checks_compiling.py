"""Checks of child.compiling; run by test_compiling, once with what is installed here and once with NVRTC alone."""

import os
import shutil
from typing import Any

import tilelang
import tilelang.language as T

from tl_lint.verify.child.compiling import CompileError, NoCompiler, accelerated, compile_cuda, compiler
from tl_lint.verify.child.lowering import lower, target_object

NVRTC = "TESTS_NVRTC_ONLY" in os.environ


def source() -> str:
    """Return the CUDA source of a kernel with Hopper's own instructions."""

    @T.prim_func  # type: ignore[untyped-decorator]
    def main(  # type: ignore[no-untyped-def]
        A: T.Tensor((128, 64), "float16"),  # type: ignore[valid-type]
        B: T.Tensor((64, 128), "float16"),  # type: ignore[valid-type]
        C: T.Tensor((128, 128), "float16"),  # type: ignore[valid-type]
    ):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((128, 64), "float16")
            b = T.alloc_shared((64, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c)
            T.copy(c, C)

    text = lower(main, target_object("cuda", "sm_90")).source
    assert "wgmma" in text
    return text


SOURCE = source()


def refused(text: str, architecture: str = "sm_90") -> Any:
    try:
        compile_cuda(text, architecture)
    except (CompileError, NoCompiler) as error:
        return error
    raise AssertionError("it compiled")


def check_the_compiler_is_named() -> None:
    assert compiler().split()[0] == ("NVRTC" if NVRTC or not shutil.which("nvcc") else "nvcc")


def check_a_kernel_compiles_to_machine_code() -> None:
    compiled = compile_cuda(SOURCE, "sm_90", {"tl.enable_fast_math": True})
    assert compiled.cubin.startswith(b"\x7fELF")
    assert compiled.compiler == compiler()


def check_the_last_error_is_the_message() -> None:
    error = refused(SOURCE.replace("half_t", "half_q"))
    assert isinstance(error, CompileError)
    assert "error: " in str(error) and str(error).startswith("tvm_kernels"), error
    assert 'identifier "half_q" is undefined' in error.log
    assert "\n" not in str(error)


def check_what_is_no_fault_of_the_source_is_told_apart() -> None:
    error = refused(SOURCE, "sm_20")
    assert isinstance(error, NoCompiler), error
    assert ("nvrtc: error: invalid value" if NVRTC else "Unsupported gpu architecture") in str(error), error


def check_the_cache_setting_is_left_as_it_was() -> None:
    assert "TILELANG_DISABLE_CACHE" not in os.environ
    assert tilelang.env.is_cache_enabled()


def check_hopper_and_later_get_their_own_instructions() -> None:
    given = ["sm_80", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100f", "sm_120"]
    assert [accelerated(item) for item in given] == [
        "sm_80",
        "sm_89",
        "sm_90a",
        "sm_90a",
        "sm_100a",
        "sm_100f",
        "sm_120a",
    ]
