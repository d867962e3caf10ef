"""What the machine allows, asked of it once before any kernel is built."""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from tl_lint.messages import one_line
from tl_lint.verify.isolation import Isolation, Limits
from tl_lint.verify.lines import last_line
from tl_lint.verify.model import Level
from tl_lint.verify.requests import Machine

__all__ = ["VerifyError", "examined", "unsupervised"]

_PROBE = "tl_lint.verify.child.probing:probe"
_LIMITS = Limits(120.0, None)


_NO_TILELANG = "TileLang is not installed in this environment; install it there, or tl-lint with its extra 'verify'"


class VerifyError(Exception):
    """Nothing can be verified; the message is one line and says what would help."""


def unsupervised() -> str:
    """Return why tasks cannot be supervised in this environment, in one line, "" where they can be."""
    try:
        import psutil  # type: ignore[import-untyped,unused-ignore]  # noqa: F401
    except ImportError as error:
        if error.name == "psutil":
            return "psutil is not installed in this environment, and no kernel is built without it"
        return f"psutil cannot be imported, and no kernel is built without it: {one_line(error)}"
    return ""


def examined(isolation: Isolation, architecture: str | None, level: Level | None) -> Machine:
    """Return what the machine has, looked at no further than `level` needs, None for all of it.

    `architecture` is the wanted one, such as "sm_90", None for that of the GPU; on a GPU of another one nothing is run.
    Of different GPUs only the first and those like it that follow it count. Raises VerifyError where TileLang
    cannot be imported, or no task can be supervised.
    """
    if importlib.util.find_spec("tilelang") is None:
        raise VerifyError(_NO_TILELANG)
    if reason := unsupervised():
        raise VerifyError(f"{reason}; install it there, or tl-lint with its extra 'verify'")
    wanted = Level.RUN if level is None else level
    request = {"architecture": architecture, "compile": wanted >= Level.COMPILE, "run": wanted >= Level.RUN}
    ended = isolation.call(_PROBE, request, _LIMITS, {})
    facts = {key: value for told in ended.told for key, value in told.items()}
    if "tilelang" not in facts or "architecture" not in facts:
        raise VerifyError(_without_tilelang(last_line(ended.error) or last_line(ended.log)))
    gpus = _alike(facts.get("gpus") or [])
    return Machine(
        tilelang=facts["tilelang"],
        architecture=facts["architecture"],
        compiler=facts.get("compiler"),
        gpu=gpus[0][0] if gpus else None,
        gpus=len(gpus),
        limits=_limits(facts, gpus),
    )


def _alike(gpus: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return the first GPU and those that follow it of the same name: what one of them says holds for all."""
    return list(itertools.takewhile(lambda gpu: gpu[0] == gpus[0][0], gpus))


def _limits(facts: Mapping[str, Any], gpus: Sequence[Sequence[str]]) -> dict[Level, str]:
    limits = {}
    if "no_compiler" in facts:
        limits[Level.COMPILE] = str(facts["no_compiler"])
    if "no_gpu" in facts:
        limits[Level.RUN] = str(facts["no_gpu"])
    elif gpus and gpus[0][1].rstrip("a") != facts["architecture"].rstrip("a"):
        name, architecture = gpus[0]
        limits[Level.RUN] = f"the GPU, {name}, is {architecture}, not {facts['architecture']}"
    return limits


def _without_tilelang(reason: str) -> str:
    if "No module named 'tilelang'" in reason:
        return _NO_TILELANG
    return f"TileLang cannot be imported: {reason or 'its process died'}; `tl-lint doctor` may tell why"
