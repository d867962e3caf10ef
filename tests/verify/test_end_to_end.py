"""`tl-lint verify` as a user runs it, on the real TileLang: rows, exit codes, what is written and what is kept."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import psutil  # type: ignore[import-untyped,unused-ignore]
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


def surroundings(folder: Path) -> dict[str, str]:
    """Return the environment of a run in `folder`, with a cache of the test's own."""
    return environment(XDG_CACHE_HOME=str(folder / ".cache"), NO_COLOR="1")


def tl_lint(release: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m tl_lint` under a TileLang, with a cache of the test's own."""
    return subprocess.run(
        [str(interpreter(release)), "-m", "tl_lint", *arguments],
        cwd=folder,
        env=surroundings(folder),
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


def test_a_fix_is_confirmed_a_crash_is_a_result_and_the_run_goes_on(tmp_path: Path) -> None:
    (tmp_path / "scale.py").write_text(SCALE.format(width=4))
    (tmp_path / "mixed.py").write_text(MIXED)
    kept = tmp_path / "kept"
    status, rows, stderr = verify("0.1.15", tmp_path, "--level", "lower", "--fix", "--keep", str(kept), "--jobs", "2")
    assert status == 1, stderr
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "copy": "ok", "zero": "fails", "never": "not-instantiated", "scale": "fix-confirmed",
    }  # fmt: skip
    assert rows["zero"]["original"]["outcome"] == "fails"
    assert (rows["copy"]["args_source"], rows["copy"]["args"]) == ("guess", "N=1024")
    scale = rows["scale"]
    assert (scale["path"], scale["tilelang"], scale["level"]) == (str(tmp_path / "scale.py"), "0.1.15", "lower")
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


def test_a_rejected_fix_leaves_the_file_and_is_a_failure(tmp_path: Path) -> None:
    # Eight lanes of float32 do not fit: with an IntImm 0.1.13 aborts for another reason.
    text = SCALE.format(width=8) + SCALE.format(width=4).partition("\n\n\n")[2].replace("scale", "good")
    (tmp_path / "a.py").write_text(text)
    (tmp_path / "mixed.py").write_text(MIXED)
    status, rows, stderr = verify("0.1.13", tmp_path, "--level", "lower", "--fix", "--jobs", "2")
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "copy": "ok", "zero": "fails", "never": "not-instantiated", "scale": "fix-rejected", "good": "fix-confirmed",
    }  # fmt: skip
    assert (status, rows["zero"]["original"]["outcome"]) == (1, "crashes SIGFPE")
    assert "a.py left as it was: a fix was rejected: scale" in stderr
    assert (tmp_path / "a.py").read_text() == text
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "mixed.py").write_text("in the way")
    junit = ("--output-format", "junit", "-o", "r.xml", "--keep", "kept")
    done = tl_lint("0.1.13", tmp_path, "verify", "--level", "lower", "--fix", *junit, "a.py::good", "mixed.py")
    assert (done.returncode, done.stdout) == (2, ""), "what cannot be kept costs no result"
    assert done.stderr.count("error: cannot write kept/mixed.py") == 1
    assert (tmp_path / "kept" / "a.py" / "good" / "row.json").exists()
    root = ElementTree.parse(tmp_path / "r.xml").getroot()
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("4", "1", "0")
    assert "a.py:7: TLC001 not fixed: scale was not verified" in done.stderr
    assert (tmp_path / "a.py").read_text() == text.replace("width=4", 'width=T.IntImm("int32", 4)')


def test_arguments_from_the_command_line_pyproject_and_the_file(tmp_path: Path) -> None:
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
    (tmp_path / "mixed.py").write_text(MIXED)
    files = ("configured.py", "commented.py", "mixed.py::never")
    done = tl_lint("0.1.15", tmp_path, "verify", *files, "--call", "never(123)")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "never(123) [--call]" in done.stdout
    assert "built with the secret" not in done.stdout + done.stderr
    assert "ok                trace    copy(N=512) [pyproject.toml]\n" in done.stdout
    assert "ok                trace    copy(N=768) [pyproject.toml]\n" in done.stdout
    assert "ok                trace    copy(N=2048) [comment]\n" in done.stdout
    assert "4 kernels in 3 files: 4 ok.\n" in done.stdout


def test_the_sample_of_the_readme(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [kernel] = re.findall(r"^<!-- example: kernel -->\n```python\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    [sample] = re.findall(r"^<!-- example: verify -->\n```console\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    (tmp_path / "scale.py").write_text(kernel)
    command, _, expected = sample.partition("\n")
    done = tl_lint("0.1.15", tmp_path, *command.removeprefix("$ tl-lint ").split())
    assert (done.returncode, done.stdout) == (0, expected), done.stderr


ODD = """from pathlib import Path

import tilelang
import tilelang.language as T


@tilelang.jit
def endless():
    Path(__file__).with_name("begun").touch()
    while True:
        pass

    @T.prim_func
    def main(a: T.Tensor((1024,), "float32")):
        with T.Kernel(4, threads=64) as bx:
            a[bx] = 1.0

    return main
"""

HUNGRY = """

@tilelang.jit
def hungry():
    eaten = []
    while True:
        eaten.append(b"x" * (32 << 20))

    @T.prim_func
    def main(a: T.Tensor((1024,), "float32")):
        with T.Kernel(4, threads=64) as bx:
            a[bx] = 1.0

    return main


# tl-lint: verify may_be_int(vec=4)
@tilelang.jit
def may_be_int(vec):
    @T.prim_func
    def main(a: T.Tensor((1024,), "float32"), b: T.Tensor((1024,), "float32")):
        with T.Kernel(4, threads=64) as bx:
            for i in T.Parallel(256, coalesced_width=vec):
                b[bx * 256 + i] = a[bx * 256 + i]

    return main


@T.prim_func
def plain(a: T.Tensor((1024,), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.Parallel(256):
            a[bx * 256 + i] = 1.0
"""


def test_shards_share_the_kernels_and_limits_are_results(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(ODD + HUNGRY)
    limits = ("--timeout", "6", "--memory", "1G", "--level", "lower", "--unsafe-fixes")
    first, of_first, _ = verify("0.1.15", tmp_path, *limits, "--shard", "1/2")
    second, of_second, _ = verify("0.1.15", tmp_path, *limits, "--shard", "2/2")
    assert (first, second) == (1, 1)
    assert (list(of_first), list(of_second)) == (["endless", "may_be_int"], ["hungry", "plain"])
    rows = {**of_first, **of_second}
    assert {name: row["original"]["outcome"] for name, row in rows.items()} == {
        "endless": "timeout", "hungry": "out of memory", "may_be_int": "fails", "plain": "passes",
    }  # fmt: skip
    assert rows["may_be_int"]["verdict"] == "fix-confirmed"


def test_ctrl_c_ends_everything(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(ODD)
    command = [str(interpreter("0.1.15")), "-m", "tl_lint", "verify", "--level", "trace", "--timeout", "300"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=surroundings(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    begun = tmp_path / "begun"
    end = time.monotonic() + 120
    while not begun.exists():
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.05)
    children = psutil.Process(process.pid).children(recursive=True)
    assert len(children) >= 3, "the server, a supervisor and the kernel"
    process.send_signal(signal.SIGINT)
    printed, said = process.communicate(timeout=60)
    assert (process.returncode, printed) == (130, "")
    assert "Traceback" not in said
    _, alive = psutil.wait_procs(children, timeout=10)
    assert [child for child in alive if child.status() != psutil.STATUS_ZOMBIE] == []


BUILT = """
with open(__file__ + ".built", "a") as built:
    built.write("x")
"""


def test_what_is_known_is_not_built_again(tmp_path: Path) -> None:
    plain = (
        "import tilelang.language as T\n"
        + HUNGRY.partition("@T.prim_func\ndef plain")[1]
        + (HUNGRY.partition("@T.prim_func\ndef plain")[2] + BUILT)
    )
    (tmp_path / "helper.py").write_text("VALUE = 1.0\n")
    (tmp_path / "imports.py").write_text("import helper\n" + plain.replace("= 1.0", "= helper.VALUE"))
    (tmp_path / "edited.py").write_text(plain.replace("plain", "edited"))
    (tmp_path / "same.py").write_text(plain.replace("plain", "same"))
    (tmp_path / "mixed.py").write_text(MIXED)
    files = ("--level", "compile", "--strict", "imports.py", "edited.py", "same.py")

    def built() -> set[str]:
        marks = list(tmp_path.glob("*.built"))
        for mark in marks:
            mark.unlink()
        return {mark.name.partition(".")[0] for mark in marks}

    status, rows, stderr = verify("0.1.15", tmp_path, *files, "mixed.py::never*")
    assert status == 1, "--strict: one is not judged"
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "plain": "ok", "edited": "ok", "same": "ok", "never": "not-instantiated",
    }, stderr  # fmt: skip
    assert "not the secret" in rows.pop("never")["message"]
    assert rows["plain"]["level"] == "compile"
    assert rows["plain"]["facts"]["compiler"].split()[0] == ("nvcc" if shutil.which("nvcc") else "NVRTC")
    assert built() == {"imports", "edited", "same"}

    assert verify("0.1.15", tmp_path, *files)[:2] == (0, rows), "to the time that it took"
    assert built() == set()

    (tmp_path / "helper.py").write_text("VALUE = 2.0\n")
    (tmp_path / "edited.py").write_text(plain.replace("plain", "edited").replace("1.0", "3.0"))
    status, again, _ = verify("0.1.15", tmp_path, *files)
    assert [again[name]["verdict"] for name in ("plain", "edited", "same")] == ["ok"] * 3
    assert built() == {"imports", "edited"}
    assert again["same"] == rows["same"]
