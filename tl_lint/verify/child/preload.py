"""Does once, before the first fork, what every child would have to. Importing this module is what does it.

Measured with TileLang 0.1.15: a fork that lowers the first kernel takes 17,000 page faults and 0.16 s of processor
time, one of a process that has lowered a kernel before 7,600 and 0.11 s.
"""

from __future__ import annotations

import contextlib
import importlib
from typing import Any, no_type_check

import tilelang
import tilelang.language as T
from tilelang.engine.lower import lower

from tl_lint.verify.child.project_files import remember_modules

__all__ = ["expect_errors"]

_TASKS = (
    "boundary",
    "checks",
    "compiling",
    "inputs",
    "instantiate",
    "loading",
    "lowering",
    "running",
    "tir",
    "timing",
    "work",
)


def expect_errors() -> None:
    """Have TVM read its libraries' debug symbols, which the first error of a process does in more than a second.

    Not done from the start, because where all is well it is not needed.
    """
    with contextlib.suppress(Exception):
        T.IntImm("float32", 4)


@no_type_check
def _kernel() -> Any:
    @T.prim_func
    def main(A: T.Tensor[[16, 64], T.float32], B: T.Tensor[[16, 64], T.float32]):
        with T.Kernel(16, threads=64) as bx:
            for i in T.Parallel(64):
                B[bx, i] = A[bx, i] + 1.0

    return main


def _warm_up() -> None:
    for name in _TASKS:
        with contextlib.suppress(ImportError):  # a task that needs it says so better
            importlib.import_module(f"tl_lint.verify.child.{name}")
    target = tilelang.tvm.target.Target({"kind": "cuda", "arch": "sm_80"})
    with contextlib.suppress(Exception), target:
        lower(_kernel(), target=target)
    remember_modules()


_warm_up()
