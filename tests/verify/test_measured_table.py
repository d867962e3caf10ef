"""The table of what coalesced_width does, row by row, from kernels given to `tl-lint verify`.

The expectations are those of the issue about T.Parallel at tile-ai/tilelang (3013), measured by others before.
"""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.front import environment
from tests.tilelang_environment import interpreter

pytestmark = pytest.mark.long

KERNELS = Path(__file__).with_name("kernels") / "table.py"
RELEASES = ("0.1.13", "0.1.15")

ABORT = "coalesced_width should be an IntImmNode."
OK: dict[str, Any] = {}

BOTH: list[tuple[str, object]] = [
    *((f"loop({width})", ABORT) for width in ("4", "2", "1", "np.int32(4)", "True", "4.0", '"4"')),
    ("annotated(4)", ABORT),
    *((f"loop({width})", ABORT) for width in ("T.float32(4)", 'T.dynamic("n")', "T.int32(None)")),
    ('loop(T.IntImm("int32", 4))', 4),
    ('loop(T.IntImm("int64", 4))', 4),
    ("loop(T.int32(4))", 4),
    ("loop(T.uint8(4))", 4),
    ("loop(T.int32(np.int32(4)))", 4),
    ('loop(T.IntImm("int32", np.int32(4)))', 4),
    ('loop(T.IntImm("int32", True))', 1),
    ('loop(T.int32(T.IntImm("int32", 4)))', 4),
    ('loop(T.IntImm("int32", T.IntImm("int32", 4)))', "TypeError"),
    ("loop(T.min(4, 8))", 4),
    ("loop(T.ceildiv(8, 2))", 4),
    ("loop(T.int32(2) * 2)", 4),
    ('loop(T.cast(4, "int32"))', 4),
    ('loop(tvm.tir.IntImm("int32", 4))', "AttributeError"),
    ("loop(tvm.tir.const(4))", "AttributeError"),
    ('loop(tvm.tirx.IntImm("int32", 4))', 4),
    ("loop(tvm.tirx.const(4))", 4),
    ("loop(None)", None),
    ("copied(4)", 4),
    ("copied(1)", 1),
]
"""A call of a kernel, and the width in effect, or what the compiler says, or the error of Python."""

APART: dict[str, list[tuple[str, object]]] = {
    "0.1.13": [
        ('loop(T.IntImm("int32", 3))', "not divisible"),
        ('loop(T.IntImm("int32", 8))', "not divisible"),
        ('loop(T.IntImm("int32", 0))', "crashes SIGFPE"),
        ('loop(T.IntImm("int32", -4))', "fails"),
        ("copied(0)", "crashes SIGFPE"),
    ],
    "0.1.15": [
        ('loop(T.IntImm("int32", 3))', 2),
        ('loop(T.IntImm("int32", 8))', 4),
        ('loop(T.IntImm("int32", 0))', "must be a positive integer"),
        ('loop(T.IntImm("int32", -4))', "must be a positive integer"),
        ("copied(0)", "must be a positive integer"),
    ],
}


@cache
def verified(release: str) -> list[dict[str, Any]]:
    """Return the rows of one run over all calls."""
    calls = [argument for call, _ in BOTH + APART[release] for argument in ("--call", call)]
    command = [str(interpreter(release)), "-m", "tl_lint", "verify", str(KERNELS), "--level", "lower", "--no-cache"]
    result = subprocess.run(
        [*command, "--output-format", "json", *calls],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 2, result.stderr  # arguments that were asked for and cannot be evaluated
    rows: list[dict[str, Any]] = json.loads(result.stdout)
    return rows


@pytest.mark.parametrize("release", RELEASES)
def test_every_row_of_the_table(release: str) -> None:
    rows = {f"{row['kernel']}({row['args']})": row for row in verified(release)}
    wrong = {}
    for call, expected in BOTH + APART[release]:
        row = rows[call]
        if not _agrees(row, expected):
            wrong[call] = (expected, row["verdict"], row["original"]["outcome"], row["original"]["message"])
    assert not wrong


def _agrees(row: dict[str, Any], expected: object) -> bool:
    original = row["original"]
    if expected is None or isinstance(expected, int):
        return bool(row["verdict"] == "ok" and row["effective_width"] == expected)
    assert isinstance(expected, str)
    if expected in ("TypeError", "AttributeError"):  # Python refuses the arguments themselves
        return row["verdict"] == "not-instantiated" and f"{expected}:" in original["message"]
    if expected == "fails" or expected.startswith("crashes"):
        return bool(row["verdict"] == "fails" and original["outcome"] == expected)
    return (row["verdict"], original["outcome"]) == ("fails", "fails") and expected in original["message"]


def test_a_killed_process_does_not_end_the_run() -> None:
    rows = verified("0.1.13")
    assert len(rows) == len(BOTH) + len(APART["0.1.13"])
    crashed = [number for number, row in enumerate(rows) if row["original"]["outcome"] == "crashes SIGFPE"]
    assert len(crashed) == 2
    assert any(row["verdict"] == "ok" for row in rows[crashed[0] + 1 :])
