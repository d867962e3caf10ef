"""What is committed of a run of tests.gpu.run on a GPU is of the kernels of today, and has no fault."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.gpu.measured import COMMANDED, REFERENCES, ROOT, digests, faults, own_kernels, rule_kernels

FILES = sorted((ROOT / "evidence" / "gpu").glob("*.json"))


def evidence(file: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return data


def test_there_is_some() -> None:
    assert FILES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_is_of_the_kernels_of_today(file: Path) -> None:
    data = evidence(file)
    assert data["digests"] == digests(), "the kernels have changed: run `python -m tests.gpu.run` on a GPU"
    assert list(data["rules"]) == list(rule_kernels())
    assert list(data["kernels"]) == list(own_kernels())
    assert sorted(data["command"]) == sorted(COMMANDED)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_nothing_in_it_is_wrong(file: Path) -> None:
    data = evidence(file)
    assert data["faults"] == [] == faults(data)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_names_the_gpu_it_is_of(file: Path) -> None:
    data = evidence(file)
    gpu = data["machine"]["gpu"]
    assert gpu.lower().replace(" ", "_") == file.stem
    said = {facts["gpu"] for part in ("rules", "kernels") for facts in data[part].values()}
    said |= {row["gpu"] for row in data["command"].values() if row["verdict"] != "fails"}
    assert said == {gpu}


def right() -> dict[str, Any]:
    """Return results that are as they have to be, cut down to what is looked at."""
    equal = {"comparison": {"equal": True, "written": ["B"]}, "timing": {}}
    command = {
        name: {"verdict": verdict, "level": "run", "equal": verdict != "fix-rejected", "timing": {"fixed": 1.0}}
        for name, verdict in COMMANDED.items()
    }
    return {
        "rules": {"a": copy.deepcopy(equal)},
        "kernels": {"b": copy.deepcopy(equal)},
        "planted": {"c": {"comparison": {"equal": False}}},
        "references": {name: {"reference": {"equal": right}} for name, right in REFERENCES.items()},
        "untimed": {"d": copy.deepcopy(equal), "e": {"comparison": {"equal": True}, "no_timing": "an error"}},
        "command": command,
    }


def test_every_fault_is_seen() -> None:
    assert faults(right()) == []
    rejected = next(name for name, verdict in COMMANDED.items() if verdict == "fix-rejected")
    confirmed = next(name for name, verdict in COMMANDED.items() if verdict == "fix-confirmed")
    wrong: list[tuple[str, str, dict[str, Any]]] = [
        ("rules", "a", {"error": "signal 11"}),
        ("rules", "a", {"comparison": {"equal": False, "written": ["B"]}, "timing": {}}),
        ("kernels", "b", {"comparison": {"equal": True, "written": []}, "timing": {}}),
        ("kernels", "b", {"comparison": {"equal": True, "written": ["B"]}, "no_timing": "out of memory"}),
        ("planted", "c", {"comparison": {"equal": True}}),
        ("planted", "c", {"error": "signal 11"}),
        ("references", "wrong", {"reference": {"equal": True}}),
        ("untimed", "d", {"comparison": {"equal": True}, "no_timing": "an error"}),
        ("untimed", "e", {"error": "RuntimeError"}),
        ("command", rejected, {"verdict": "fix-confirmed", "level": "run", "equal": True, "timing": {"fixed": 1.0}}),
        ("command", confirmed, {"verdict": "fix-confirmed", "level": "compile", "equal": None, "timing": {}}),
        ("command", confirmed, {"verdict": "fix-confirmed", "level": "run", "equal": True, "timing": {}}),
        ("command", confirmed, {}),
    ]
    for part, name, facts in wrong:
        result = right()
        result[part][name] = facts
        (fault,) = faults(result)
        assert fault.startswith(f"{part}: {name} ")
