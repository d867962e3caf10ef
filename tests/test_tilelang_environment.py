"""The environment that the compiling tests use is found where it is said to be looked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import tilelang_environment

pytestmark = pytest.mark.long


def test_the_pins_name_the_release_once() -> None:
    pins = tilelang_environment._pins("0.1.13").splitlines()
    assert [line for line in pins if line.startswith("tilelang==")] == ["tilelang==0.1.13"]
    assert any(line.startswith("torch==") for line in pins)


def test_the_variable_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    python = tilelang_environment.interpreter("0.1.15")
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nexec "{python}" "$@"\n', encoding="utf-8")
    other.chmod(0o755)
    monkeypatch.setenv("TL_LINT_TILELANG_PYTHON", str(other))
    assert tilelang_environment.interpreter("0.1.15") == other


def test_it_is_made_once_and_found_again() -> None:
    script = Path(tilelang_environment.__file__)
    first = subprocess.run([sys.executable, str(script), "0.1.15"], capture_output=True, text=True, check=True)
    again = subprocess.run([sys.executable, str(script), "0.1.15"], capture_output=True, text=True, check=True)
    assert first.stdout == again.stdout
    assert again.stderr == ""
    command = "import importlib.metadata as m; print(m.version('tilelang'), m.version('torch').partition('+')[0])"
    versions = subprocess.check_output([first.stdout.strip(), "-c", command], text=True)
    assert versions.split() == ["0.1.15", "2.13.0"]
