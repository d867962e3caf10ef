"""What the tests of the front ends share: rules of their own, sources they complain about, and ways to run commands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

RULE = """
import os

import libcst as cst

from tl_lint.model import Applicability
from tl_lint.rule import FixPlan, Replacement, Rule


class TestRule(Rule):
    code = "{code}"
    name = "rule-{code_lower}"
    summary = "A rule of the tests"
    releases = ">=0.1.8"
    triggers = (b"T.{called}",)
    on_by_default = {on_by_default}
    fixable = Applicability.SAFE

    def check(self, node, file):
        yield from ()
        if isinstance(node.func, cst.Attribute) and node.func.attr.value == "{called}":
            {body}
"""

REPORT = 'yield self.report(node, "call of {called}")'
FIX = (
    'yield self.report(node, "call of {called}", FixPlan("Write T.good", '
    '(Replacement(node.func.attr, (cst.Name("good"),)),), Applicability.{applicability}))'
)

COLOUR = {"FORCE_COLOR": "1", "TERM": "xterm"}
BROKEN = b"import tilelang.language as T\nT.sad(\n"


def write_rule(
    folder: Path, code: str, called: str, body: str = REPORT, on_by_default: bool = True, applicability: str = "SAFE"
) -> None:
    """Write a rule that complains about every call of T.<called>; `folder` is meant for rule-paths."""
    place = folder / code.lower()
    place.mkdir(parents=True)
    body = body.format(called=called, applicability=applicability)
    text = RULE.format(code=code, code_lower=code.lower(), called=called, body=body, on_by_default=on_by_default)
    (place / "rule.py").write_text(text)


def make_project(parent: Path) -> Path:
    """Make a project with rules of its own: TLC701 (safe fix), TLC702 (unsafe fix), TLC703 (none), TLC901 (off)."""
    rules = parent / "rules"
    write_rule(rules, "TLC701", "bad", body=FIX)
    write_rule(rules, "TLC702", "worse", body=FIX, applicability="UNSAFE")
    write_rule(rules, "TLC703", "sad")
    write_rule(rules, "TLC901", "odd", on_by_default=False)
    folder = parent / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("[tool.tl-lint]\nrule-paths = ['../rules']\n")
    return folder


def kernel(*calls: str) -> str:
    """Return a file that imports TileLang and makes these calls, the first one on line 3."""
    return "import tilelang.language as T\n\n" + "".join(f"T.{call}(1)\n" for call in calls)


def environment(**changes: str) -> dict[str, str]:
    """Return the environment for a command: no colours asked for or refused, this checkout importable."""
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR", "PYTHONPATH")}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **changes}


def tl_lint(
    folder: Path, *arguments: str, stdin: bytes = b"", variables: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run `python -m tl_lint` in `folder`, with further environment `variables`."""
    return subprocess.run(
        [sys.executable, "-m", "tl_lint", *arguments],
        cwd=folder,
        env=environment(**(variables or {})),
        input=stdin,
        capture_output=True,
        check=False,
        timeout=120,
    )
