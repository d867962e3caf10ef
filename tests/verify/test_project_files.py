"""Which imported files are a project's own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

CODE = """
import json, sys
from tl_lint.verify.child.project_files import project_files, remember_modules
sys.path.insert(0, sys.argv[1])
if sys.argv[2] == "remember":
    import json, email.message, early
    remember_modules()
import late, package.part, email.policy, pytest
sys.modules["odd"] = None
sys.modules["made"] = type(sys)("made")
sys.modules["made"].__file__ = "_made.py"
print(json.dumps(project_files()))
"""


@pytest.mark.parametrize("mode", ["remember", "all"])
def test_project_files(tmp_path: Path, mode: str) -> None:
    (tmp_path / "package").mkdir()
    for name in ("early.py", "late.py", "package/__init__.py", "package/part.py"):
        (tmp_path / name).write_text("import builtins\n", encoding="utf-8")
    command = [sys.executable, "-c", CODE, str(tmp_path), mode]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = [Path(file).relative_to(tmp_path).as_posix() for file in json.loads(result.stdout)]
    assert found == ["late.py", "package/__init__.py", "package/part.py"]
