"""All of the installed TileLang, linted: nothing there is wrong, and no file stops the run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.front import environment
from tests.tilelang_environment import interpreter

pytestmark = pytest.mark.long


def test_the_package_is_read_whole_and_has_no_findings() -> None:
    python = interpreter("0.1.15")
    command = "import importlib.util as u; print(u.find_spec('tilelang').submodule_search_locations[0])"
    package = Path(
        subprocess.run([python, "-c", command], capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    )
    assert "site-packages" in package.parts
    options = ["--isolated", "--tilelang-version", "0.1.15", "--output-format", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "tl_lint", "check", *options, str(package)],
        env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, [], "")


def test_every_file_of_the_package_is_found() -> None:
    from tl_lint.config import Configurations
    from tl_lint.runner import find_files

    python = interpreter("0.1.15")
    package = next(python.parent.parent.glob("lib/python*/site-packages/tilelang"))
    expected = {path for path in package.rglob("*.py*") if path.suffix in (".py", ".pyw")}
    found = {Path(candidate.path) for candidate in find_files([str(package)], Configurations(isolated=True))}
    assert found == expected
    assert len(found) == 1137
