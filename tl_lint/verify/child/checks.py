"""What is looked at beside whether a kernel builds; each check has a module of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tl_lint.verify.child import control_flow, data_race, identifiers, parameters, stores, widths
from tl_lint.verify.child.tir import requested_widths
from tl_lint.verify.child.widths import effective_widths
from tl_lint.verify.model import Check

__all__ = ["after_lowering", "at_trace", "effective_widths"]


def at_trace(prim_func: Any, configs: Mapping[str, Any] | None = None) -> list[Check]:
    """Return what the checks say of a prim_func as traced: only what is wrong has an entry.

    `configs` are the pass configurations of its jit: one may say that TileLang's warning of data races is mistaken.
    """
    if (configs or {}).get("tl.disable_data_race_check"):
        return []
    return data_race.check(prim_func)


def after_lowering(prim_func: Any, lowered: Any, effective: Sequence[int | None] | None = None) -> list[Check]:
    """Return what the checks say of a kernel that was lowered: only what is wrong has an entry.

    `lowered` has the CUDA `source` and `device_module`; `effective` is what `effective_widths` returned, if asked.
    """
    found = stores.check(prim_func, lowered.device_module)
    found += parameters.check(prim_func, lowered.device_module)
    found += control_flow.check(lowered.device_module)
    found += identifiers.check(lowered.source)
    if effective is not None:
        found += widths.check(requested_widths(prim_func), effective)
    return found
