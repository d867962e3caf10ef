"""`tl-lint verify` as a user runs it, on the real TileLang: rows, exit codes, what is written and what is kept."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.front import ROOT, environment
from tests.tilelang_environment import interpreter

pytestmark = pytest.mark.long

ABORT = "coalesced_width should be an IntImmNode."

SCALE = """import tilelang.language as T


@T.prim_func
def scale(a: T.Tensor((4096,), "float32"), b: T.Tensor((4096,), "float32")):
    with T.Kernel(16, threads=64) as bx:
        for i in T.Parallel(256, coalesced_width={width}):
            b[bx * 256 + i] = a[bx * 256 + i] * 2.0
"""

MIXED = """import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def copy(N, block_N=256, dtype="float32"):
    @T.prim_func
    def main(a: T.Tensor((N,), dtype), b: T.Tensor((N,), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), threads=64) as bx:
            for i in T.Parallel(block_N):
                b[bx * block_N + i] = a[bx * block_N + i]

    return main


@T.prim_func
def zero(a: T.Tensor((4096,), "float32"), b: T.Tensor((4096,), "float32")):
    with T.Kernel(16, threads=64) as bx:
        for i in T.Parallel(256, coalesced_width=T.IntImm("int32", 0)):
            b[bx * 256 + i] = a[bx * 256 + i]


@tilelang.jit
def never(secret):
    if secret**2 != 15129:
        raise ValueError("not the secret")
    print("built with the secret")

    @T.prim_func
    def main(a: T.Tensor((1024,), "float32")):
        with T.Kernel(4, threads=64) as bx:
            for i in T.Parallel(256):
                a[bx * 256 + i] = 1.0

    return main
"""


def tl_lint(release: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m tl_lint` under a TileLang, with a cache of the test's own."""
    return subprocess.run(
        [str(interpreter(release)), "-m", "tl_lint", *arguments],
        cwd=folder,
        env={**environment(), "XDG_CACHE_HOME": str(folder / ".cache"), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def verify(release: str, folder: Path, *arguments: str) -> tuple[int, dict[str, dict[str, Any]], str]:
    """Return the exit status, the rows by the name of their kernel, and standard error."""
    done = tl_lint(release, folder, "verify", "--output-format", "json", *arguments)
    assert done.stdout, done.stderr
    return done.returncode, {row["kernel"]: row for row in json.loads(done.stdout)}, done.stderr


@pytest.mark.parametrize(("release", "ending"), [("0.1.13", "crashes SIGFPE"), ("0.1.15", "fails")])
def test_a_fix_is_confirmed_a_crash_is_a_result_and_the_run_goes_on(release: str, ending: str, tmp_path: Path) -> None:
    (tmp_path / "scale.py").write_text(SCALE.format(width=4))
    (tmp_path / "mixed.py").write_text(MIXED)
    kept = tmp_path / "kept"
    status, rows, stderr = verify(release, tmp_path, "--level", "lower", "--fix", "--keep", str(kept), "--jobs", "2")
    assert status == 1, stderr
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "copy": "ok", "zero": "fails", "never": "not-instantiated", "scale": "fix-confirmed",
    }  # fmt: skip
    assert rows["zero"]["original"]["outcome"] == ending
    assert (rows["copy"]["args_source"], rows["copy"]["args"]) == ("guess", "N=1024")
    scale = rows["scale"]
    assert (scale["path"], scale["tilelang"], scale["level"]) == (str(tmp_path / "scale.py"), release, "lower")
    assert ABORT in scale["original"]["message"]
    assert scale["fixed"]["outcome"] == scale["control"]["outcome"] == "passes"
    assert (scale["requested_width"], scale["effective_width"]) == (4, 4)
    assert scale["facts"]["oracle"]["equal"] is True
    assert (tmp_path / "scale.py").read_text() == SCALE.format(width='T.IntImm("int32", 4)')
    assert (tmp_path / "mixed.py").read_text() == MIXED
    assert "scale.py fixed: 1 verified fix (1 TLC001)" in stderr
    folder = kept / "scale.py" / "scale"
    assert "float4" in (folder / "fixed.cu").read_text()
    assert ABORT in (folder / "original.log").read_text()
    assert (kept / "scale.py" / "fixed.py").read_text() == (tmp_path / "scale.py").read_text()


def test_a_rejected_fix_leaves_the_file_and_is_a_failure_in_every_format(tmp_path: Path) -> None:
    # Eight lanes of float32 do not fit: with an IntImm 0.1.13 aborts for another reason.
    text = SCALE.format(width=8) + SCALE.format(width=4).partition("\n\n\n")[2].replace("scale", "good")
    (tmp_path / "a.py").write_text(text)
    status, rows, stderr = verify("0.1.13", tmp_path, "--level", "lower", "--fix")
    assert (status, rows["scale"]["verdict"], rows["good"]["verdict"]) == (1, "fix-rejected", "fix-confirmed")
    assert "a.py left as it was: a fix was rejected: scale" in stderr
    assert (tmp_path / "a.py").read_text() == text
    done = tl_lint("0.1.13", tmp_path, "verify", "--level", "lower", "--output-format", "junit", "-o", "r.xml")
    assert (done.returncode, done.stdout) == (1, "")
    root = ElementTree.parse(tmp_path / "r.xml").getroot()
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("2", "1", "0")
    only = tl_lint("0.1.13", tmp_path, "verify", "--level", "lower", "--fix", "a.py::good")
    assert only.returncode == 0
    assert "a.py:7: TLC001 not fixed: scale was not verified" in only.stdout
    assert (tmp_path / "a.py").read_text() == text.replace("width=4", 'width=T.IntImm("int32", 4)')


def test_what_cannot_be_built_is_no_pass(tmp_path: Path) -> None:
    (tmp_path / "mixed.py").write_text(MIXED)
    by_pattern = ("verify", "mixed.py::copy", "mixed.py::never*", "--level", "trace")
    done = tl_lint("0.1.15", tmp_path, *by_pattern)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 ok, 1 not-instantiated" in done.stdout and "not the secret" in done.stdout
    assert tl_lint("0.1.15", tmp_path, *by_pattern, "--strict").returncode == 1
    named = tl_lint("0.1.15", tmp_path, "verify", "mixed.py::never", "--level", "trace")
    assert named.returncode == 2
    called = tl_lint("0.1.15", tmp_path, "verify", "mixed.py::never", "--level", "trace", "--call", "never(123)")
    assert called.returncode == 0, called.stdout + called.stderr
    assert "never(123) [--call]" in called.stdout
    assert "built with the secret" not in called.stdout + called.stderr


def test_arguments_from_pyproject_and_the_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.tl-lint.verify]\nlevel = 'trace'\n"
        "[[tool.tl-lint.verify.kernels]]\npath = 'configured.py'\nname = 'copy'\nargs = 'N=512'\n"
        "[[tool.tl-lint.verify.kernels]]\npath = 'configured.py'\nname = 'copy'\nargs = 'N=768'\n"
    )
    body = MIXED.partition("@T.prim_func\ndef zero")[0]
    (tmp_path / "configured.py").write_text(body)
    (tmp_path / "commented.py").write_text(
        body.replace("@tilelang.jit", "# tl-lint: verify copy(N=2048)\n@tilelang.jit")
    )
    done = tl_lint("0.1.15", tmp_path, "verify")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ok                trace    copy(N=512) [pyproject.toml]\n" in done.stdout
    assert "ok                trace    copy(N=768) [pyproject.toml]\n" in done.stdout
    assert "ok                trace    copy(N=2048) [comment]\n" in done.stdout
    assert "3 kernels in 2 files: 3 ok.\n" in done.stdout


def test_the_sample_of_the_readme(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [kernel] = re.findall(r"^<!-- example: kernel -->\n```python\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    [sample] = re.findall(r"^<!-- example: verify -->\n```console\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    (tmp_path / "scale.py").write_text(kernel)
    command, _, expected = sample.partition("\n")
    done = tl_lint("0.1.15", tmp_path, *command.removeprefix("$ tl-lint ").split())
    assert (done.returncode, done.stdout) == (0, expected), done.stderr


def test_without_tilelang_the_message_says_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "scale.py").write_text(SCALE.format(width=4))
    (tmp_path / "tilelang.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'tilelang'\", name='tilelang')\n"
    )
    done = subprocess.run(
        [str(interpreter("0.1.15")), "-m", "tl_lint", "verify", "scale.py"],
        cwd=tmp_path,
        env={**environment(), "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tl-lint: error: TileLang is not installed") and "pip install" in done.stderr
    assert done.stderr.count("\n") == 1
