"""child.comparing on torch's tensors of each type."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.in_tilelang import checks, outcome

CHECKS = Path(__file__).with_name("checks_comparing.py")


@pytest.mark.long
@pytest.mark.parametrize("name", checks(CHECKS))
def test_comparing(name: str) -> None:
    assert outcome(CHECKS, "0.1.15", name) == ""
