"""The real command on a GPU, as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from tests.gpu.measured import COMMANDED, ROOT

__all__ = ["rows"]

_SECONDS = 400


def rows(jobs: int) -> dict[str, Any]:
    """Run `tl-lint verify --level run` on the kernels of COMMANDED, and return what it says of each.

    Raises RuntimeError with what it wrote to standard error if it does not come to rows.
    """
    options = ["--level", "run", "--unsafe-fixes", "--no-cache", "--isolated", "--jobs", str(jobs)]
    command = [sys.executable, "-m", "tl_lint", "verify", *options, "--output-format", "json", *COMMANDED]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_SECONDS, check=False)
    if done.returncode != 1:  # some of them have to fail
        raise RuntimeError(f"the command ended with {done.returncode}: {done.stderr[-3000:]}")
    return {_name(row): _kept(row) for row in json.loads(done.stdout)}


def _name(row: dict[str, Any]) -> str:
    return f"{row['path'].removeprefix(f'{ROOT}/')}::{row['kernel']}"


def _kept(row: dict[str, Any]) -> dict[str, Any]:
    """Return what of a row is worth keeping; times in microseconds."""
    facts = row["facts"]
    comparison, timing = facts.get("comparison") or {}, facts.get("timing") or {}
    medians = {name: timing[name]["median_us"] for name in ("fixed", "control") if name in timing}
    return {
        **{key: row[key] for key in ("args", "verdict", "level", "message", "requested_width", "effective_width")},
        "gpu": facts.get("gpu"),
        "equal": comparison.get("equal"),
        "how": comparison.get("how"),
        "timing": medians,
        "seconds": round(row["seconds"], 2),
    }
