"""child.compiling with nvcc, with NVRTC alone, and with neither."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.in_tilelang import checks, outcome
from tests.tilelang_environment import cache_folder

CHECKS = Path(__file__).with_name("checks_compiling.py")

# NVRTC, its Python bindings and the headers of one release of CUDA: headers of another one do not compile.
WHEELS = [
    "cuda-bindings==13.0.3",
    "cuda-pathfinder",
    "nvidia-cuda-nvrtc==13.0.88",
    "nvidia-cuda-runtime==13.0.96",
    "nvidia-cuda-cccl==13.0.85",
    "nvidia-cuda-crt==13.0.88",
]


@pytest.fixture(scope="module")
def nvrtc() -> dict[str, str]:
    """Settings under which TileLang finds NVRTC and no nvcc."""
    folder = cache_folder() / f"nvrtc-13.0-py{sys.version_info.major}.{sys.version_info.minor}"
    if not (folder / "complete.txt").exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", "--no-deps", "--target", str(folder)]
        subprocess.run([*command, *WHEELS], check=True)
        (folder / "complete.txt").touch()
    cuda = folder / "nvidia" / "cu13"
    return {
        "PYTHONPATH": str(folder),
        "CUDA_HOME": str(cuda),
        "LD_LIBRARY_PATH": str(cuda / "lib"),
        "TESTS_NVRTC_ONLY": "1",
    }


@pytest.mark.long
@pytest.mark.parametrize("release", ["0.1.13", "0.1.15"])
@pytest.mark.parametrize("name", checks(CHECKS))
def test_compiling(name: str, release: str) -> None:
    assert outcome(CHECKS, release, name) == ""


@pytest.mark.long
@pytest.mark.parametrize("name", checks(CHECKS))
def test_with_nvrtc(name: str, nvrtc: dict[str, str]) -> None:
    assert outcome(CHECKS, "0.1.15", name, nvrtc) == ""


@pytest.mark.long
def test_a_part_of_nvrtc_that_is_missing_is_no_fault_of_the_source(nvrtc: dict[str, str]) -> None:
    without_builtins = {**nvrtc, "LD_LIBRARY_PATH": ""}
    said = outcome(CHECKS, "0.1.15", "check_a_kernel_compiles_to_machine_code", without_builtins)
    assert "NoCompiler: nvrtc: error: failed to open libnvrtc-builtins" in said


@pytest.mark.long
def test_without_a_compiler_it_says_what_is_missing(tmp_path: Path) -> None:
    said = outcome(CHECKS, "0.1.15", "check_the_compiler_is_named", {"CUDA_HOME": str(tmp_path)})
    assert "NoCompiler: no nvcc: " in said
    assert "; no NVRTC: No module named 'cuda'" in said
