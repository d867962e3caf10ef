"""The task that says what importing TileLang comes to, in a process that has imported nothing yet."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

__all__ = ["imported"]


def imported(request: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Import the `modules` of the request in that order; what one raises is raised, what kills the process kills it.

    Told before: `tvm`, the file of a module of that name that Python finds by itself, None if it finds none, which is
    right: TileLang brings its own. Told after each module: {its name: what it says of itself}.
    """
    tell({"tvm": _found("tvm")})
    for name in request["modules"]:
        module = importlib.import_module(name)
        described = {"torch": _torch, "tilelang": _tilelang}.get(name)
        tell({name: {"version": str(getattr(module, "__version__", "")), **(described(module) if described else {})}})


def _found(name: str) -> str | None:
    specification = importlib.util.find_spec(name)
    return None if specification is None else specification.origin


def _torch(torch: Any) -> dict[str, Any]:
    return {"cuda": torch.version.cuda, "hip": torch.version.hip}


def _tilelang(tilelang: Any) -> dict[str, Any]:
    cache = getattr(tilelang.env, "TILELANG_CACHE_DIR", None)
    return {"file": str(tilelang.__file__), "cache": None if cache is None else str(cache)}
