"""Checks of child.boundary; run by test_boundary."""

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from tests.verify.kernels import annotated
from tl_lint.verify.child import boundary, tir
from tl_lint.verify.child.lowering import lower, target_object

PLACES = Path(__file__).with_name("kernels") / "places.py"
LINES: dict[str, list[int]] = {}
for number, text in enumerate(PLACES.read_text(encoding="utf-8").splitlines(), 1):
    for name in re.findall(r"# (\d)$", text):
        LINES.setdefault(name, []).append(number)


def traced(coerce: bool = False) -> tuple[Any, Any, list[tir.Place]]:
    """Import the kernels anew and return the lazy and the eager one, and the places of their loops."""
    with boundary.installed(coerce) as places:
        module = importlib.reload(sys.modules.get("places") or _imported())
        lazy = module.lazy.get_tir(256, 4)
        eager = module.eager.get_tir(torch.empty(256), torch.empty(256))
    return lazy, eager, places


def _imported() -> ModuleType:
    sys.path.insert(0, str(PLACES.parent))
    return importlib.import_module("places")


def expected(*names: str) -> list[tuple[int, int]]:
    return [(LINES[name][0], LINES[name][-1]) for name in names]


def check_each_loop_is_known_by_the_lines_of_its_call() -> None:
    lazy, eager, places = traced()
    ends = sys.version_info >= (3, 11)
    for prim_func, names in ((lazy, "1234567"), (eager, "82")):
        keys = ("coalesced_width", "num_stages")
        found = [item for item in tir.annotations(prim_func, places) if item["key"] in keys]
        assert {Path(item["file"]).name for item in found} == {"places.py"}
        wanted = expected(*names)
        lines = [(item["line"], item["end_line"]) for item in found]
        assert lines == [(line, end if ends else None) for line, end in wanted], (lines, wanted)


def check_without_places_the_lines_are_tir_s_own() -> None:
    lazy, _, _ = traced()
    text = PLACES.read_text(encoding="utf-8").splitlines()
    called = next(number for number, line in enumerate(text, 1) if "in helper(" in line)
    lines = [item["line"] for item in tir.annotations(lazy)]
    assert lines == [called, *(LINES[name][0] for name in "234567")], lines  # from 0.1.13, which both releases are


def check_ints_become_constants_only_if_wanted() -> None:
    for coerce in (False, True):
        with boundary.installed(coerce):
            kernels = [made(4) for made in (annotated.keyword, annotated.in_annotations, annotated.lower_case)]
        raw = [
            item["raw"] for kernel in kernels for item in tir.annotations(kernel) if item["key"] == "coalesced_width"
        ]
        assert raw == [not coerce] * 3
        stages = [item for item in tir.annotations(traced(coerce)[0]) if item["key"] == "num_stages"]
        assert [item["raw"] for item in stages] == [True, False]  # of a width alone


def check_the_oracle_tells_a_fix_from_another_change() -> None:
    with boundary.installed(True):
        coerced = annotated.one(4)
    assert tir.same(coerced, annotated.one(4, fixed=True)) == (True, "")
    assert not tir.same(coerced, annotated.one(2, fixed=True))[0]
    assert not tir.same(coerced, tir.without_widths(annotated.one(4, fixed=True)))[0]
    assert "float4" in lower(coerced, target_object("cuda", "sm_90")).source


def check_only_integers_that_ask_for_something_are_coerced() -> None:
    import numpy

    with boundary.installed(True):
        kept = [tir.annotations(annotated.keyword(value))[0]["raw"] for value in (0, -4, "4", 4.0, 2**40)]
        taken = [tir.annotations(annotated.keyword(value))[0]["raw"] for value in (1, True, numpy.int64(4))]
    assert kept == [True] * 5
    assert taken == [False] * 3


def check_nothing_stays_replaced() -> None:
    from tl_lint import coercion

    before = [getattr(module, name) for module, name in coercion.all_loops()]
    try:
        with boundary.installed(True), boundary.installed(False):
            assert [getattr(module, name) for module, name in coercion.all_loops()] != before
            raise KeyError
    except KeyError:
        pass
    assert [getattr(module, name) for module, name in coercion.all_loops()] == before
