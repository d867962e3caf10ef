"""ruff's JSON, key for key; the oracle is ruff itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tl_lint.findings import FileReport, Finding, FoundFix, Replacement
from tl_lint.model import Applicability, Position
from tl_lint.output.json import as_json


def report(path: str = "/x/a.py", with_fix: bool = True) -> FileReport:
    edit = Replacement(Position(2, 0), Position(3, 0), "naïve\n")
    fix = FoundFix("Do it", (edit,), Applicability.UNSAFE, applies=False)
    finding = Finding("TLC701", "a-rule", "message", Position(2, 4), Position(2, 6), 2, fix if with_fix else None)
    return FileReport(path, "a.py", (finding,), "")


def shape(value: object) -> object:
    """Return the keys and types of `value`, None standing for any type."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    return type(value)


def ruff(folder: Path, text: str) -> list[dict[str, object]]:
    (folder / "a.py").write_text(text)
    command = ["ruff", "check", "--isolated", "--no-cache", "--select", "F", "--output-format", "json", "a.py"]
    done = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, check=False)
    found = json.loads(done.stdout)
    assert isinstance(found, list)
    return found


def test_nothing_is_an_empty_array() -> None:
    assert json.loads(as_json([])) == json.loads(as_json([FileReport("/x", "x")])) == []


def test_the_keys_and_types_are_those_of_ruff(tmp_path: Path) -> None:
    (theirs,) = ruff(tmp_path, "import os\n")
    (ours,) = json.loads(as_json([report()]))
    theirs["url"] = ours["url"]  # there is no page of ours to link to
    assert list(ours) == list(theirs)
    assert shape(ours) == shape(theirs)
    assert list(ours["fix"]) == list(theirs["fix"])  # type: ignore[call-overload]


def test_without_a_fix_it_is_null_as_in_ruff(tmp_path: Path) -> None:
    (theirs,) = ruff(tmp_path, "print(undefined)\n")
    (ours,) = json.loads(as_json([report(with_fix=False)]))
    assert ours["fix"] is theirs["fix"] is None


def test_the_values() -> None:
    assert json.loads(as_json([report()])) == [
        {
            "cell": None,
            "code": "TLC701",
            "end_location": {"column": 7, "row": 2},
            "filename": "/x/a.py",
            "fix": {
                "applicability": "unsafe",
                "edits": [
                    {
                        "content": "naïve\n",
                        "end_location": {"column": 1, "row": 3},
                        "location": {"column": 1, "row": 2},
                    }
                ],
                "message": "Do it",
            },
            "location": {"column": 5, "row": 2},
            "message": "message",
            "name": "a-rule",
            "noqa_row": 2,
            "severity": "error",
            "url": None,
        }
    ]


def test_it_is_ascii_and_valid_whatever_the_file_is_called() -> None:
    written = as_json([report("/x/\udcff\x1b四.py")])
    assert written.isascii()
    assert "\\udcff" not in written  # half a surrogate pair is no JSON for strict readers
    assert json.loads(written)[0]["filename"] == "/x/?\x1b四.py"
