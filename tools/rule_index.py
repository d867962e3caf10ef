"""Writes the index of rules into README.md.

python -m tools.rule_index
"""

from __future__ import annotations

import inspect
from pathlib import Path

from tl_lint.registry import load_rules
from tl_lint.rule import Rule
from tools.environment import ROOT

__all__ = ["BEGIN", "END", "rule_index", "with_index"]

BEGIN = "<!-- rules: written by python -m tools.rule_index -->\n"
END = "<!-- end of rules -->\n"


def rule_index() -> str:
    """Return the Markdown table of all rules that come with tl-lint."""
    rows = [
        "| Code | Name | What it finds | Fix | TileLang |",
        "|---|---|---|---|---|",
        *map(_row, load_rules()),
    ]
    return "\n".join(rows) + "\n"


def with_index(readme: str) -> str:
    """Return the text of a README with the current index between its markers; raises ValueError if it lacks them."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the README lacks the lines {BEGIN!r} and {END!r}")
    return f"{before}{begin}\n{rule_index()}\n{end}{after}"


def _row(rule: Rule) -> str:
    page = Path(inspect.getfile(type(rule))).with_name("README.md").relative_to(ROOT).as_posix()
    cells = (
        f"[{rule.code}]({page})",
        f"{rule.name}{'' if rule.on_by_default else ' (off by default)'}",
        rule.summary,
        "no" if rule.fixable is None else rule.fixable.value,
        f"`{rule.releases}`",
    )
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


if __name__ == "__main__":
    file = ROOT / "README.md"
    file.write_text(with_index(file.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
