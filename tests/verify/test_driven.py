"""`tl-lint verify --driver` as a user runs it, on the real TileLang: rows of the kernels that a script builds."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.front import environment
from tests.tilelang_environment import interpreter

pytestmark = pytest.mark.long

NEWEST = "0.1.15"
ABORT = "coalesced_width should be an IntImmNode."

KERNELS = """import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def bare(N, block=256):
    @T.prim_func
    def main(a: T.Tensor((N,), "float32"), b: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=64) as bx:
            for i in T.Parallel(block, coalesced_width=4):
                b[bx * block + i] = a[bx * block + i]

    return main


@tilelang.jit(out_idx=[1])
def doubtful(N, width, block=256):
    @T.prim_func
    def main(a: T.Tensor((N,), "float32"), b: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=64) as bx:
            for i in T.Parallel(block, coalesced_width=width):
                b[bx * block + i] = a[bx * block + i]

    return main


@tilelang.jit
def broken(N):
    raise ValueError(f"not {N}")
"""

MAIN = """import sys
import tempfile

import torch
from kernels import T, bare, broken, doubtful

print('{"of": "the script"}')
tempfile.mkstemp(prefix="of-the-script")
x = torch.randn(1024, device="cuda")
bare(1024)(x)
if "stop" in sys.argv:
    raise RuntimeError("stopped")
bare(1024)(x)
bare(2048)(torch.randn(2048, device="cuda"))
doubtful(1024, 4)
doubtful(1024, T.int32(2))
for N in (1, 2):
    try:
        broken(N)
    except ValueError as error:
        print(error)
"""


@dataclass(frozen=True)
class Result:
    """What a run gave: its exit status, its rows, what it said beside, and the folder that it ran in."""

    status: int
    rows: list[dict[str, Any]]
    stderr: str
    folder: Path

    def of(self, kernel: str) -> list[dict[str, Any]]:
        """Return the rows of a kernel."""
        return [row for row in self.rows if row["kernel"] == kernel]


def verified(folder: Path, *arguments: str) -> Result:
    """Run `tl-lint verify` on the two files, with a temporary folder of its own: folder/tmp."""
    (folder / "kernels.py").write_text(KERNELS)
    (folder / "main.py").write_text(MAIN)
    (folder / "tmp").mkdir()
    variables = {"XDG_CACHE_HOME": str(folder / ".cache"), "TMPDIR": str(folder / "tmp"), "NO_COLOR": "1"}
    done = subprocess.run(
        [
            str(interpreter(NEWEST)),
            "-m",
            "tl_lint",
            "verify",
            "--output-format",
            "json",
            "--level",
            "lower",
            *arguments,
        ],
        cwd=folder,
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return Result(done.returncode, json.loads(done.stdout), done.stderr, folder)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return verified(tmp_path_factory.mktemp("whole"), "main.py", "kernels.py", "--driver", "python main.py", "--fix")


def test_the_kernels_of_a_script_are_rows_in_its_order_each_once(whole: Result) -> None:
    assert whole.status == 1, whole.stderr
    assert [(row["kernel"], row["args"], row["verdict"]) for row in whole.rows] == [
        ("bare", "N=1024", "fix-confirmed"),
        ("bare", "N=2048", "fix-confirmed"),
        ("doubtful", "N=1024, width=4", "fails"),
        ("doubtful", "N=1024, width=2", "ok"),
        ("broken", "N=1", "not-instantiated"),
        ("broken", "N=2", "not-instantiated"),
    ]
    assert {row["args_source"] for row in whole.rows} == {"driver"}


def test_the_three_runs_are_paired_and_the_fix_is_written(whole: Result) -> None:
    for row in whole.of("bare"):
        assert ABORT in row["original"]["message"]
        assert (row["fixed"]["outcome"], row["control"]["outcome"]) == ("passes", "passes")
        assert (row["requested_width"], row["effective_width"]) == (4, 4)
        assert row["facts"]["oracle"]["equal"] is True
    fixed = KERNELS.replace("coalesced_width=4", 'coalesced_width=T.IntImm("int32", 4)')
    assert (whole.folder / "kernels.py").read_text() == fixed
    assert (whole.folder / "main.py").read_text() == MAIN
    assert "kernels.py fixed: 1 verified fix (1 TLC001)" in whole.stderr


def test_a_doubtful_width_is_settled_in_the_rows_of_its_own_kernel(whole: Result) -> None:
    lines = KERNELS.splitlines()
    line = lines.index("            for i in T.Parallel(block, coalesced_width=width):") + 1
    settled = [row["facts"]["findings"] for row in whole.of("doubtful")]
    assert settled == [
        [{"code": "TLC002", "line": line, "outcome": outcome, "fixable": True}] for outcome in ("fact", "cleared")
    ]
    for row in [*whole.of("bare"), *whole.of("broken")]:
        assert "findings" not in row["facts"]
    decorator = lines.index("def doubtful(N, width, block=256):")  # the line above, counted from 1
    assert {row["line"] for row in whole.of("doubtful")} == {decorator}


def test_each_failing_call_has_its_own_error(whole: Result) -> None:
    assert [row["original"]["message"] for row in whole.of("broken")] == ["ValueError: not 1", "ValueError: not 2"]


def test_nothing_of_the_script_is_shown_or_left_behind(whole: Result) -> None:
    assert "of the script" not in whole.stderr  # nor in the JSON, which was read
    assert "not 1" not in whole.stderr
    assert list((whole.folder / "tmp").iterdir()) == []
    assert sorted(path.name for path in whole.folder.iterdir()) == [".cache", "kernels.py", "main.py", "tmp"]


def test_kernels_of_a_script_that_stops_are_verified_and_that_is_said(tmp_path: Path) -> None:
    result = verified(tmp_path, "main.py", "kernels.py::ba*", "--driver", "python main.py stop")
    assert result.status == 0, result.stderr
    assert [(row["kernel"], row["args"], row["verdict"]) for row in result.rows] == [
        ("bare", "N=1024", "fix-confirmed")
    ]
    assert (tmp_path / "kernels.py").read_text() == KERNELS
    assert "the driver command did not come to its end" in result.stderr
    assert "exits 1: RuntimeError: stopped" in result.stderr
