"""Which codes are on: the outcomes below are those of ruff 0.17 for F, F4, F401 in the place of TLC, TLC0, TLC001."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst
import pytest

from tl_lint.kernels import File
from tl_lint.rule import Report, Rule
from tl_lint.selection import Selection, is_known, selected


class _Silent(Rule):
    summary = "Nothing"
    releases = ">=0.1.8"
    triggers = (b"nothing",)

    def check(self, node: cst.CSTNode, file: File) -> Iterator[Report]:
        return iter(())


class First(_Silent):
    code = "TLC001"
    name = "first"


class Second(_Silent):
    code = "TLC002"
    name = "second"


class Loop(_Silent):
    code = "TLC201"
    name = "loop"


class Opinion(_Silent):
    code = "TLC901"
    name = "opinion"
    on_by_default = False


RULES = (First(), Second(), Loop(), Opinion())
DEFAULTS = {"TLC001", "TLC002", "TLC201"}


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        (Selection(), DEFAULTS),
        (Selection(select=("TLC",)), DEFAULTS),
        (Selection(select=()), set()),
        (Selection(select=("TLC0",)), {"TLC001", "TLC002"}),
        (Selection(select=("TLC9",)), {"TLC901"}),
        (Selection(select=("ALL",)), DEFAULTS | {"TLC901"}),
        (Selection(extend_select=("TLC901",)), DEFAULTS | {"TLC901"}),
        (Selection(ignore=("TLC0",)), {"TLC201"}),
        (Selection(ignore=("TLC",)), set()),
        (Selection(select=("TLC001",), ignore=("TLC0",)), {"TLC001"}),
        (Selection(select=("TLC0",), ignore=("TLC001",)), {"TLC002"}),
        (Selection(select=("TLC001",), ignore=("TLC001",)), set()),
        (Selection(ignore=("TLC0",), extend_select=("TLC002",)), {"TLC002", "TLC201"}),
        (Selection(select=("TLC201",), extend_select=("TLC00",)), DEFAULTS),
        (Selection(select=("TLC000",)), set()),
    ],
)
def test_the_longer_prefix_wins_and_between_equals_ignore(layer: Selection, expected: set[str]) -> None:
    assert selected((layer,), RULES) == expected


@pytest.mark.parametrize(
    ("configured", "given", "expected"),
    [
        (Selection(ignore=("TLC001",)), Selection(select=("TLC0",)), {"TLC001", "TLC002"}),
        (Selection(ignore=("TLC001",)), Selection(extend_select=("TLC0",)), DEFAULTS),
        (Selection(select=("TLC001",)), Selection(ignore=("TLC0",)), set()),
        (Selection(select=("TLC001",)), Selection(extend_select=("TLC201",)), {"TLC001", "TLC201"}),
        (Selection(select=("TLC001",)), Selection(), {"TLC001"}),
    ],
)
def test_the_later_layer_wins(configured: Selection, given: Selection, expected: set[str]) -> None:
    assert selected((configured, given), RULES) == expected


@pytest.mark.parametrize("selector", ["TLC", "TLC0", "TLC00", "TLC001", "TLC9", "TLC000", "ALL"])
def test_known_selectors(selector: str) -> None:
    assert is_known(selector, RULES)


@pytest.mark.parametrize("selector", ["", "T", "TL", "tlc001", "TLC8", "TLC0011", "F401", "all"])
def test_unknown_selectors(selector: str) -> None:
    assert not is_known(selector, RULES)
