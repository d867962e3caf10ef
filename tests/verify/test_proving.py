"""Verdicts of kernels that invite wrong ones, from one run at each of two levels on the real TileLang."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.front import environment
from tests.tilelang_environment import interpreter

pytestmark = pytest.mark.long

KERNELS = Path(__file__).with_name("kernels") / "odd.py"


@cache
def rows(level: str, *calls: str) -> dict[str, dict[str, Any]]:
    """Return the rows of the file by kernel and arguments."""
    command = [str(interpreter("0.1.15")), "-m", "tl_lint", "verify", str(KERNELS), "--no-cache", "--level", level]
    given = [argument for call in calls for argument in ("--call", call)]
    result = subprocess.run(
        [*command, "--output-format", "json", *given],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode in (1, 2), result.stderr
    return {
        f"{row['kernel']}({row['args']})" if row["args"] else row["kernel"]: row for row in json.loads(result.stdout)
    }


def lowered() -> dict[str, dict[str, Any]]:
    return rows("lower", "bare(1)", "other_branch(n=512, fancy=True)", "other_branch(n=x)", "other_branch(sizes=3)")


def test_a_fix_that_is_not_built_is_not_proved() -> None:
    row = rows("trace")["other_branch"]
    assert (row["verdict"], row["message"]) == ("ok", "no fix touches what is built with these arguments")
    assert lowered()["other_branch(n=512, fancy=True)"]["verdict"] == "fix-confirmed"


def test_a_width_that_was_guessed_is_no_fact_and_no_failure() -> None:
    for level in (rows("trace"), lowered()):
        (row,) = (row for name, row in level.items() if name.startswith("guessed_width("))
        assert row["args_source"] == "guess"
        assert row["verdict"] in ("ok", "not-instantiated")
        assert [finding["outcome"] for finding in row["facts"]["findings"]] == ["unknown"]


def test_a_raw_width_shows_at_level_trace() -> None:
    row = rows("trace")["bare"]
    assert row["verdict"] == "fix-confirmed"
    (check,) = row["original"]["checks"]
    assert (check["name"], check["verdict"], check["line"]) == ("raw annotation", "fails", 39)
    assert not row["fixed"]["checks"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("bare(1)", "takes no arguments"),
        ("other_branch(n=x)", "name 'x' is not defined"),
        ("other_branch(sizes=3)", "unexpected keyword argument 'sizes'"),
    ],
)
def test_arguments_that_do_not_fit_are_nobody_s_failure(call: str, message: str) -> None:
    row = lowered()[call]
    assert row["verdict"] == "not-instantiated"
    assert message in row["message"]


def test_a_kernel_that_its_file_has_no_more_is_not_instantiated() -> None:
    row = lowered()["gone"]
    assert row["verdict"] == "not-instantiated"
    assert "has no gone" in row["message"]


def test_a_kernel_that_stores_nothing_outside_fails() -> None:
    row = lowered()["silent"]
    assert row["verdict"] == "fails"
    assert [check["name"] for check in row["checks"]] == ["no store"]


def test_a_factory_that_ends_its_process_is_a_result() -> None:
    row = lowered()["exits"]
    assert (row["verdict"], row["original"]["outcome"]) == ("fails", "exits")
