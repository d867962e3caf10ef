"""Lowers a prim_func to CUDA source, the way TileLang's own jit would."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tl_lint.verify.child.streams import captured

__all__ = ["Lowered", "lower", "pass_configs", "target_object"]


@dataclass(frozen=True)
class Lowered:
    """What lowering gave: CUDA source, the module of TIR behind it, and what the compiler printed meanwhile."""

    source: str
    device_module: Any
    log: str


def target_object(kind: str, architecture: str) -> Any:
    """Return TVM's target, such as that of "cuda" and "sm_90"; every release from 0.1.8 takes it in this form."""
    import tilelang

    return tilelang.tvm.target.Target({"kind": kind, "arch": architecture})


def lower(
    prim_func: Any, target: Any, configs: Mapping[str, Any] | None = None, log_file: str | None = None
) -> Lowered:
    """Lower `prim_func` for `target`, a TVM target, under the pass configurations that its jit decorator names.

    What is printed meanwhile goes through `log_file`, if given, which outlives this process. Raises what the compiler
    raises.
    """
    import tilelang
    from tilelang.engine.lower import lower as tilelang_lower

    context = tilelang.tvm.transform.PassContext(opt_level=3, config=dict(configs or {}))
    try:
        with captured(log_file) as log, context, target:
            artifact = tilelang_lower(prim_func, target=target)
    finally:
        os.write(2, "".join(log).encode(errors="replace"))
    return Lowered(str(artifact.kernel_source), artifact.device_mod, log[0])


def pass_configs(made: Any, prim_func: Any) -> dict[str, Any]:
    """Return the pass configurations of a kernel: those of the prim_func, overruled by those of the jit around it.

    `made` is what the kernel's name stands for in its module; jit functions may be wrapped, as by functools.lru_cache
    or tilelang.autotune. A prim_func carries its own from 0.1.9.
    """
    found: dict[str, Any] = {}
    attributes = getattr(prim_func, "attrs", None)
    if attributes and "tilelang_pass_configs" in attributes:
        found.update(attributes["tilelang_pass_configs"])
    found.update(_of_jit(made))
    return {str(getattr(key, "value", key)): value for key, value in found.items()}


def _of_jit(made: Any) -> Mapping[Any, Any]:
    for _ in range(20):
        configs = getattr(made, "pass_configs", None)
        if isinstance(configs, Mapping):
            return configs
        inner = (getattr(made, name, None) for name in ("jit_impl", "__wrapped__", "func"))
        made = next((item for item in inner if item is not None), None)
        if made is None:
            break
    return {}
