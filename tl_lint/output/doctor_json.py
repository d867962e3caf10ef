"""What the doctor found, as JSON; docs/doctor.md describes it."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from tl_lint.verify.doctor import Report
from tl_lint.verify.requests import Machine

__all__ = ["as_json"]


def as_json(report: Report) -> str:
    """Return the report as one JSON object, on lines."""
    around, machine = report.around, report.machine
    data: dict[str, Any] = {
        **dataclasses.asdict(around),
        "machine": None if machine is None else _machine_json(machine),
        "rules": [dataclasses.asdict(rule) for rule in report.rules],
        "problems": [dataclasses.asdict(problem) for problem in report.problems],
    }
    return json.dumps(data, indent=2) + "\n"


def _machine_json(machine: Machine) -> dict[str, Any]:
    limits = {str(level): reason for level, reason in machine.limits.items()}
    return {**dataclasses.asdict(machine), "limits": limits, "highest": str(machine.highest)}
