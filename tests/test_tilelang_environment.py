"""The environment that the compiling tests use is found where it is said to be looked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests import tilelang_environment
from tl_lint.releases import KNOWN
from tl_lint.verify.surroundings import OWN_REQUIREMENTS
from tools import tilelang_environments

ROOT = Path(tilelang_environments.__file__).resolve().parent.parent


@pytest.mark.parametrize(("release", "ffi"), [("0.1.8", "0.1.8.post2"), ("0.1.12", "0.1.11"), ("0.1.13", "0.1.12")])
def test_the_pins_name_the_release_and_what_it_works_with_once(release: str, ffi: str) -> None:
    pins = tilelang_environments._pins(release).splitlines()
    assert [line for line in pins if line.startswith("tilelang==")] == [f"tilelang=={release}"]
    assert [line for line in pins if line.startswith("apache-tvm-ffi==")] == [f"apache-tvm-ffi=={ffi}"]
    assert any(line.startswith("torch==") for line in pins)


def test_there_is_an_environment_for_each_known_release_in_which_the_linter_runs() -> None:
    assert tuple(map(str, KNOWN)) == tilelang_environments.RELEASES
    needed = {Requirement(text).name for text in OWN_REQUIREMENTS}
    assert needed <= {Requirement(text).name for text in tilelang_environments._LINTER}


@pytest.mark.long
def test_the_variable_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    python = tilelang_environment.interpreter("0.1.15")
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nexec "{python}" "$@"\n', encoding="utf-8")
    other.chmod(0o755)
    monkeypatch.setenv("TL_LINT_TILELANG_PYTHON", str(other))
    assert tilelang_environment.interpreter("0.1.15") == other


@pytest.mark.long
def test_it_is_made_once_and_found_again() -> None:
    command = [sys.executable, "-m", "tools.tilelang_environments", "0.1.15"]
    first = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    again = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert first.stdout == again.stdout
    assert again.stderr == ""
    asked = "import importlib.metadata as m; print(m.version('tilelang'), m.version('torch').partition('+')[0])"
    versions = subprocess.check_output([first.stdout.strip(), "-c", asked], text=True)
    assert versions.split() == ["0.1.15", "2.13.0"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    python, pins = Path(first.stdout.strip()), tilelang_environments._pins("0.1.15")
    assert tilelang_environments._fits(python, f"{pins}not-installed==1\n")
    assert not tilelang_environments._fits(python, pins.replace("rich==", "rich==0."))
    assert not tilelang_environments._fits(python, tilelang_environments._pins("0.1.13"))
    assert not tilelang_environments._fits(python, pins, ("not-installed",))
    assert not tilelang_environments._fits(ROOT / "missing", pins)
    linted = subprocess.run([first.stdout.strip(), "-m", "tl_lint", "--version"], env=environment, check=False)
    assert linted.returncode == 0
