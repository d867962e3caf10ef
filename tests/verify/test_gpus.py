"""What is said of GPUs: the limits of the machine, the ones that are not there, kernels that cannot be timed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.in_tilelang import checks, outcome

CHECKS = Path(__file__).with_name("checks_gpus.py")


@pytest.mark.long
@pytest.mark.parametrize("name", checks(CHECKS))
def test_gpus(name: str) -> None:
    assert outcome(CHECKS, "0.1.15", name) == ""
