"""What the machine allows, asked of it once before any kernel is built."""

from __future__ import annotations

from tl_lint.verify.isolation import Isolation, Limits
from tl_lint.verify.model import Level
from tl_lint.verify.outcomes import last_line
from tl_lint.verify.requests import Machine

__all__ = ["VerifyError", "examined"]

_PROBE = "tl_lint.verify.child.probing:probe"
_LIMITS = Limits(120.0, None)


class VerifyError(Exception):
    """Nothing can be verified; the message is one line and says what would help."""


def examined(isolation: Isolation, architecture: str | None, level: Level | None) -> Machine:
    """Return what the machine has, looked at no further than `level` needs, None for all of it.

    `architecture` is the wanted one, such as "sm_90", None for that of the GPU. Raises VerifyError where TileLang
    cannot be imported.
    """
    wanted = Level.RUN if level is None else level
    request = {"architecture": architecture, "compile": wanted >= Level.COMPILE, "run": wanted >= Level.RUN}
    ended = isolation.call(_PROBE, request, _LIMITS, {})
    facts = {key: value for told in ended.told for key, value in told.items()}
    if "tilelang" not in facts or "architecture" not in facts:
        raise VerifyError(_without_tilelang(last_line(ended.error) or last_line(ended.log)))
    limits = {}
    if "no_compiler" in facts:
        limits[Level.COMPILE] = str(facts["no_compiler"])
    if "no_gpu" in facts:
        limits[Level.RUN] = str(facts["no_gpu"])
    gpus = facts.get("gpus") or []
    return Machine(
        tilelang=facts["tilelang"],
        architecture=facts["architecture"],
        compiler=facts.get("compiler"),
        gpu=gpus[0] if gpus else None,
        gpus=len(gpus),
        limits=limits,
    )


def _without_tilelang(reason: str) -> str:
    if "No module named 'tilelang'" in reason:
        return "TileLang is not installed in this environment; install it there, or tl-lint with its extra 'verify'"
    return f"TileLang cannot be imported: {reason or 'its process died'}; `tl-lint doctor` may tell why"
