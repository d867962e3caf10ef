"""tl_lint.compat: the bare int compiles, on the real TileLang, and everything is put back."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.in_tilelang import checks, outcome
from tests.tilelang_environment import interpreter

ROOT = Path(__file__).resolve().parent.parent
CHECKS = Path(__file__).with_name("checks_compat.py")

RELEASES = pytest.mark.parametrize("release", ["0.1.13", "0.1.15"])

SCRIPT = """
import sys
from pathlib import Path

before = "tilelang" in sys.modules, Path(sys.path[0]).name
import tilelang
from tilelang.engine.lower import lower
from beside import scale

target = tilelang.tvm.target.Target({"kind": "cuda", "arch": "sm_90"})
with target:
    source = str(lower(scale(int(sys.argv[1])), target=target).kernel_source)
print(__name__, *before, sys.argv[1:], [width for width in (2, 4) if f"float{width}" in source])
raise SystemExit(3)
"""


@pytest.mark.long
@RELEASES
@pytest.mark.parametrize("name", checks(CHECKS))
def test_compat(name: str, release: str) -> None:
    assert outcome(CHECKS, release, name) == ""


def _run(python: Path | str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    settings = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [str(python), *arguments], cwd=cwd, env=settings, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    """A folder with a program, and beside it the module of a kernel, which took T.Parallel by name."""
    folder = tmp_path / "scripts"
    folder.mkdir()
    (folder / "program.py").write_text(SCRIPT, encoding="utf-8")
    kernel = ROOT / "tests" / "verify" / "kernels" / "imported_by_name.py"
    (folder / "beside.py").write_text(kernel.read_text(encoding="utf-8"), encoding="utf-8")
    return folder


@pytest.mark.long
@RELEASES
def test_a_script_runs_as_python_would_run_it(scripts: Path, release: str) -> None:
    done = _run(interpreter(release), "-m", "tl_lint.compat", "scripts/program.py", "4", "-m", cwd=scripts.parent)
    assert done.stdout.splitlines()[-1:] == ["__main__ False scripts ['4', '-m'] [4]"], done.stderr[-2000:]
    assert done.returncode == 3


@pytest.mark.long
@RELEASES
def test_a_module_runs_as_python_would_run_it(scripts: Path, release: str) -> None:
    done = _run(interpreter(release), "-m", "tl_lint.compat", "-m", "program", "2", cwd=scripts)
    assert done.stdout.splitlines()[-1:] == ["__main__ False scripts ['2'] [2]"], done.stderr[-2000:]
    assert done.returncode == 3


@pytest.mark.long
@RELEASES
def test_the_same_script_aborts_without(scripts: Path, release: str) -> None:
    done = _run(interpreter(release), "scripts/program.py", "4", cwd=scripts.parent)
    assert "coalesced_width should be an IntImmNode." in done.stderr
    assert done.returncode == 1


@pytest.mark.parametrize(("arguments", "code"), [((), 2), (("-m",), 2), (("--no-such",), 2), (("--help",), 0)])
def test_a_wrong_call_says_how_to_call_it(arguments: tuple[str, ...], code: int, tmp_path: Path) -> None:
    done = _run(sys.executable, "-m", "tl_lint.compat", *arguments, cwd=tmp_path)
    assert done.returncode == code
    assert done.stderr.startswith("usage: python -m tl_lint.compat ")
    assert "Traceback" not in done.stderr


def test_tilelang_is_not_imported_unless_the_program_does(tmp_path: Path) -> None:
    """And a program that has no use for it runs where it is not installed."""
    (tmp_path / "program.py").write_text("import sys; print('tilelang' in sys.modules, __file__)", encoding="utf-8")
    done = _run(sys.executable, "-m", "tl_lint.compat", "program.py", cwd=tmp_path)
    assert done.stdout.split() == ["False", "program.py"], done.stderr


def test_an_import_that_fails_leaves_nothing_behind() -> None:
    from tl_lint import compat

    before = list(sys.meta_path)
    with compat.coerced():
        assert sys.meta_path != before
    assert sys.meta_path == before
