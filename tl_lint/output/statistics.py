"""How many findings of each code there are, as ruff's `--statistics` writes it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tl_lint.findings import FileReport
from tl_lint.output.terminal import Printer

__all__ = ["Statistic", "statistics", "statistics_as_json", "write_statistics"]


@dataclass(frozen=True)
class Statistic:
    """One code: how often it was found, and how many of these --fix would repair."""

    code: str
    name: str
    count: int
    fixable: int


def statistics(reports: Iterable[FileReport]) -> list[Statistic]:
    """Return one entry for each code, the most frequent first, then by code."""
    found = [finding for report in reports for finding in report.findings]
    names = {finding.code: finding.name for finding in found}
    counts = Counter(finding.code for finding in found)
    fixable = Counter(finding.code for finding in found if finding.fix is not None and finding.fix.applies)
    ordered = sorted(counts, key=lambda code: (-counts[code], code))
    return [Statistic(code, names[code], counts[code], fixable[code]) for code in ordered]


def write_statistics(found: list[Statistic], printer: Printer) -> None:
    """Write one line for each code: count, code, whether all, some or none can be fixed, name."""
    if not found:
        return
    number_width = len(str(found[0].count))
    any_fixable = any(statistic.fixable for statistic in found)
    for statistic in found:
        mark = "*" if statistic.fixable == statistic.count else "-" if statistic.fixable else " "
        fixable = f"[{mark}] " if any_fixable else ""
        count = f"{statistic.count:>{number_width}}"
        printer.line((count, "bold"), "\t", (statistic.code, "bold red"), f"\t{fixable}{statistic.name}")


def statistics_as_json(found: Iterable[Statistic]) -> str:
    """Return the same as an array."""
    return json.dumps(
        [
            {
                "code": statistic.code,
                "name": statistic.name,
                "count": statistic.count,
                "fixable": statistic.fixable == statistic.count,
                "fixable_count": statistic.fixable,
            }
            for statistic in found
        ],
        indent=2,
    )
