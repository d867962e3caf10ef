"""child.checks on the real TileLang."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.in_tilelang import checks, outcome

CHECKS = Path(__file__).with_name("checks_checks.py")


@pytest.mark.long
@pytest.mark.parametrize("release", ["0.1.13", "0.1.15"])
@pytest.mark.parametrize("name", checks(CHECKS))
def test_checks(name: str, release: str) -> None:
    assert outcome(CHECKS, release, name) == ""
