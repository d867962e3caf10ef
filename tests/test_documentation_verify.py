"""What docs/verify.md and README.md say about `tl-lint verify` is so: options, keys, verdicts, levels, JSON."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.front import environment
from tests.verify_rows import OK, row
from tl_lint.output.doctor_json import as_json as doctor_json
from tl_lint.output.verify_json import as_json
from tl_lint.verify.doctor import Report
from tl_lint.verify.model import Level, Verdict
from tl_lint.verify.surroundings import Surroundings
from tl_lint.verify_config import VERIFY_KEYS
from tl_lint.verify_config import verify_config as read_table

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "verify.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def first_column(heading: str, page: str = PAGE) -> list[str]:
    """Return the first cells of the table that follows a line."""
    table = page.partition(f"{heading}\n")[2].partition("\n|")[2].partition("\n\n")[0]
    return [cell.strip("` ") for cell in re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)]


def test_the_tables_have_a_row_for_each() -> None:
    assert first_column("## Levels") == [str(level) for level in Level if level > Level.NONE]
    assert sorted(first_column("## Verdicts")) == sorted(verdict.value for verdict in Verdict)
    assert first_column("<!-- configuration: one row a key -->") == list(VERIFY_KEYS)
    [told] = json.loads(as_json([OK]))
    assert first_column("<!-- json: one row a key -->") == list(told)


def test_the_versions_have_the_keys_that_are_named() -> None:
    [told] = json.loads(as_json([row(Verdict.FIX_CONFIRMED)]))
    named = re.search(r"^\| `original` \| object: (.*?) of this version", PAGE, re.MULTILINE)
    assert named is not None
    assert re.findall(r"`(\w+)`", named[1]) == list(told["original"])


def test_the_sample_of_the_configuration_is_valid() -> None:
    [sample] = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    config = read_table("pyproject.toml", tomllib.loads(sample)["tool"]["tl-lint"]["verify"], str(ROOT))
    [entry] = config.kernels
    assert (config.level, config.timeout, entry.name) == ("compile", 60.0, "matmul")


def test_the_page_names_no_option_that_is_not_there() -> None:
    command = [sys.executable, "-m", "tl_lint", "verify", "--help"]
    shown = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True).stdout
    known = set(re.findall(r"--[a-z][a-z-]*", shown))
    named = set(re.findall(r"--[a-z][a-z-]*", PAGE))
    assert named - known == set()
    undocumented = {"--help", "--no-unsafe-fixes", "--config", "--isolated", "--exclude", "--extend-exclude"}
    assert known - named - undocumented - {"--force-exclude", "--output-file", "--quiet"} == set()


@pytest.mark.parametrize("page", [PAGE, README], ids=["page", "readme"])
def test_the_exit_codes_are_the_same_on_both_pages(page: str) -> None:
    assert "| 0 | every kernel that could be judged is `ok`, `fix-confirmed` or `fix-harmless` |" in page


def test_links_lead_somewhere() -> None:
    for page in (ROOT / "docs").glob("*.md"):
        assert f"docs/{page.name}" in README, page
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), link


def test_the_keys_of_the_doctors_report_are_named() -> None:
    page = (ROOT / "docs" / "doctor.md").read_text(encoding="utf-8").partition("The JSON is")[2]
    data = json.loads(doctor_json(Report(Surroundings("3.11.7", "python", {}), None, (), ())))
    assert [key for key in data if f"`{key}`" not in page] == []
