"""Runs the functions called check_* of a file under a Python that has TileLang and torch.

A test module is named after what it tests; beside it is a file of checks, plain functions with asserts, which is run
as a whole in one process for each release. Run as a script, this is that process.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Mapping
from functools import cache
from pathlib import Path

__all__ = ["checks", "outcome"]

_ROOT = Path(__file__).resolve().parent.parent


def checks(file: Path) -> list[str]:
    """Return the names of the checks of a file, in order."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("check_")]


def outcome(file: Path, release: str, name: str, environment: Mapping[str, str] | None = None) -> str:
    """Return "" if a check holds under a release, else its traceback; all checks of the file run at the first call."""
    return _outcomes(file, release, tuple(sorted((environment or {}).items())))[name]


@cache
def _outcomes(file: Path, release: str, environment: tuple[tuple[str, str], ...]) -> dict[str, str]:
    from tests.tilelang_environment import interpreter

    settings = {**os.environ, **dict(environment)}
    settings["PYTHONPATH"] = os.pathsep.join(filter(None, [str(_ROOT), dict(environment).get("PYTHONPATH")]))
    command = [str(interpreter(release)), __file__, str(file)]
    done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


def _main(file: Path) -> None:
    specification = importlib.util.spec_from_file_location(file.stem, file)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[file.stem] = module
    found = {}
    with contextlib.redirect_stdout(sys.stderr):
        specification.loader.exec_module(module)
        for name in checks(file):
            try:
                getattr(module, name)()
                found[name] = ""
            except Exception:
                found[name] = traceback.format_exc()
    print(json.dumps(found))


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
