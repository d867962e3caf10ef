"""What tests.gpu.run measures, and what is wrong with what it found. No GPU is needed to tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tl_lint.verify.evidence import digest
from tl_lint.verify.examples import Example, examples

__all__ = ["COMMANDED", "REFERENCES", "ROOT", "digests", "faults", "own_kernels", "rule_kernels"]

ROOT = Path(__file__).resolve().parent.parent.parent
_HERE = Path(__file__).resolve().parent
REFERENCES = {"copied": True, "copied_in_place": True, "wrong": False}
"""The functions of references.py, and whether they are right."""

_TLC001, _TLC002, _TLC003 = (
    f"rules/{name}/bad.py::"
    for name in (
        "tlc001_coalesced_width_not_intimm",
        "tlc002_coalesced_width_may_be_int",
        "tlc003_coalesced_width_not_power_of_two",
    )
)
COMMANDED = {
    _TLC001 + "keyword": "fix-confirmed",
    _TLC001 + "two_axes": "fix-confirmed",
    _TLC001 + "annotations": "fix-confirmed",
    _TLC001 + "dict_in_a_name": "fix-confirmed",
    _TLC001 + "numpy_integer": "fix-confirmed",
    _TLC001 + "class_constant": "fix-confirmed",
    _TLC001 + "parameter_by_annotation": "fix-confirmed",
    _TLC001 + "eager": "fix-confirmed",
    _TLC002 + "parameter": "fix-confirmed",
    _TLC002 + "in_annotations": "fix-confirmed",
    _TLC003 + "zero": "fails",
    _TLC003 + "negative": "fails",
    "tests/gpu/kernels.py::symbolic": "ok",
    "tests/gpu/kernels.py::pointer": "ok",
    "tests/gpu/kernels.py::added_in_any_order": "ok",
    "tests/gpu/kernels.py::eager_that_returns": "ok",
    "tests/gpu/rejected.py::which_thread": "fix-rejected",
}
"""What the real command is given, and the verdict that it has to come to at the level run."""


def rule_kernels() -> dict[str, Example]:
    """Return the kernels of all rules/*/fixed.py whose code the fix changed, by "RULE'S FOLDER::CALL"."""
    found = {}
    for file in sorted((ROOT / "rules").glob("*/fixed.py")):
        bad = {example.call: example.code for example in examples(file.with_name("bad.py"))}
        changed = (example for example in examples(file) if example.code != bad[example.call])
        found.update({f"{file.parent.name}::{example.call}": example for example in changed})
    return found


def own_kernels() -> dict[str, Example]:
    """Return those of kernels.py beside this, by how they are called."""
    return {example.call: example for example in examples(_HERE / "kernels.py")}


def digests() -> dict[str, str]:
    """Return digests of the kernels of today, by the part of the results that they are measured for."""
    return {"rules": digest(rule_kernels().values()), "kernels": digest(own_kernels().values())}


def faults(result: dict[str, Any]) -> list[str]:
    """Return what is not as it has to be: kernels equal their controls; planted pairs and a wrong reference differ."""
    found = []
    for part in ("rules", "kernels"):
        for name, facts in result[part].items():
            if not _equal(facts) or not facts["comparison"]["written"]:
                found.append(f"{part}: {name} does not equal its control")
            elif "timing" not in facts:
                found.append(f"{part}: {name} was not timed: {facts.get('no_timing')}")
    for name, facts in result["planted"].items():
        if _equal(facts) is not False:
            found.append(f"planted: {name} was not seen")
    for name, right in REFERENCES.items():
        if (result["references"][name].get("reference") or {}).get("equal") is not right:
            found.append(f"references: {name} should be {'equal' if right else 'told apart'}")
    for (name, facts), fact in zip(result["untimed"].items(), ("timing", "no_timing"), strict=True):
        if not _equal(facts) or fact not in facts:
            found.append(f"untimed: {name} has no {fact}: {facts.get('no_timing') or facts.get('error')}")
    return found + _of_command(result["command"])


def _equal(facts: dict[str, Any]) -> bool | None:
    equal: bool | None = (facts.get("comparison") or {}).get("equal")
    return equal


def _of_command(rows: dict[str, Any]) -> list[str]:
    found = []
    for name, verdict in COMMANDED.items():
        row = rows.get(name) or {}
        said = f"{row.get('verdict')} at {row.get('level')}: {row.get('message')}"
        if row.get("verdict") != verdict:
            found.append(f"command: {name} is {said}, not {verdict}")
        elif verdict != "fails" and (row["level"] != "run" or row["equal"] is not (verdict != "fix-rejected")):
            found.append(f"command: {name} was not compared: {said}")
        elif verdict in ("ok", "fix-confirmed") and "fixed" not in row["timing"]:
            found.append(f"command: {name} was not timed")
    return found
