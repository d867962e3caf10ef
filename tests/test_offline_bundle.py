"""What is packed for a machine without network is what TileLang and tl-lint require."""

from __future__ import annotations

import json
import subprocess

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.tilelang_environment import interpreter
from tl_lint.verify.surroundings import OWN_REQUIREMENTS
from tools.offline_bundle import requirements

OF_THE_MACHINE = {"torch", "numpy"}
METADATA = "import importlib.metadata as m, json; print(json.dumps(m.requires('tilelang')))"


@pytest.mark.long
@pytest.mark.parametrize("release", ["0.1.13", "0.1.15"])
def test_nothing_is_left_out(release: str) -> None:
    told = subprocess.check_output([str(interpreter(release)), "-c", METADATA], text=True)
    asked = [Requirement(text) for text in [*json.loads(told), *OWN_REQUIREMENTS]]
    asked = [item for item in asked if item.marker is None or "extra" not in str(item.marker)]
    wanted = {
        canonicalize_name(item.name)
        for item in asked
        if item.marker is None or item.marker.evaluate({"platform_system": "Linux"})
    }
    packed = {canonicalize_name(Requirement(text).name) for text in requirements(release)}
    assert wanted - packed == OF_THE_MACHINE
