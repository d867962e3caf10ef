"""A finding that can only say "may" is settled by tracing, from the command to its JSON."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.front import environment
from tests.tilelang_environment import interpreter

TEXT = """import tilelang.language as T


def scale(width):
    @T.prim_func
    def main(a: T.Tensor((1024,), "float32"), b: T.Tensor((1024,), "float32")):
        with T.Kernel(4, threads=64) as bx:
            for i in T.Parallel(256, coalesced_width=width):
                b[bx * 256 + i] = a[bx * 256 + i] * 2.0

    return main
"""


@pytest.mark.long
@pytest.mark.parametrize("release", ["0.1.13", "0.1.15"])
def test_a_doubtful_width_is_a_fact_for_an_int_and_cleared_for_a_constant(release: str, tmp_path: Path) -> None:
    file = tmp_path / "scale.py"
    file.write_text(TEXT, encoding="utf-8")
    calls = ["scale(4)", 'scale(T.IntImm("int32", 4))']
    command = [str(interpreter(release)), "-m", "tl_lint", "verify", str(file), "--level", "trace", "--no-cache"]
    options = ["--isolated", "--output-format", "json", *(item for call in calls for item in ("--call", call))]
    ran = subprocess.run(
        [*command, *options], env=environment(), capture_output=True, text=True, timeout=120, check=False
    )
    rows = json.loads(ran.stdout)
    found = {f"{row['kernel']}({row['args']})": row["facts"]["findings"] for row in rows}
    line = TEXT[: TEXT.index("T.Parallel")].count("\n") + 1
    assert found == {
        call: [{"code": "TLC002", "line": line, "outcome": outcome, "fixable": True}]
        for call, outcome in zip(calls, ("fact", "cleared"), strict=True)
    }
