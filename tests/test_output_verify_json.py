"""The JSON of a verification: one object a kernel."""

from __future__ import annotations

import json

from tests.verify_rows import OK, WARNS, passing, row
from tl_lint.output.verify_json import as_json
from tl_lint.verify.model import Verdict

REQUIRED = {
    "path", "kernel", "args", "args_source", "tilelang", "target", "level", "original", "fixed", "control",
    "requested_width", "effective_width", "verdict",
}  # fmt: skip


def test_one_object_a_kernel_with_the_keys_of_the_contract() -> None:
    [ok, fixed] = json.loads(as_json([OK, row(Verdict.FIX_CONFIRMED, requested_width=4, effective_width=2)]))
    assert set(ok) >= REQUIRED
    assert (ok["path"], ok["kernel"], ok["args"], ok["args_source"]) == ("/p/a.py", "gemm", "M=64, N=64", "guess")
    assert (ok["tilelang"], ok["target"], ok["level"], ok["verdict"]) == ("0.1.15", "cuda:sm_90", "compile", "ok")
    assert ok["original"] is None
    assert (fixed["requested_width"], fixed["effective_width"]) == (4, 2)
    assert fixed["original"]["outcome"] == "fails"
    assert fixed["original"]["level"] == "trace"
    assert fixed["fixed"] == {"level": "compile", "outcome": "passes", "message": "", "checks": [], "facts": {}}


def test_no_rows_are_an_empty_array() -> None:
    assert json.loads(as_json([])) == []


def test_checks_and_facts_come_along_but_for_whole_sources() -> None:
    given = row(Verdict.OK, original=passing(tir="x" * 1000, cuda="y" * 1000, compiler="nvcc 13.0"), checks=(WARNS,))
    [told] = json.loads(as_json([given]))
    assert told["original"]["facts"] == {"compiler": "nvcc 13.0"}
    assert told["checks"] == [{"name": "width", "verdict": "warns", "message": "8 was asked for, 4 used", "line": 7}]


def test_it_is_json_whatever_is_in_it() -> None:
    odd = row(
        Verdict.OK, path="/p/\udcff.py", facts={"timing": {"ratio": float("nan"), 1: (float("inf"), 0.5)}}, args="\x1b"
    )
    text = as_json([odd])
    assert text.isascii()

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    [told] = json.loads(text, parse_constant=refuse)
    assert told["facts"] == {"timing": {"ratio": "nan", "1": ["inf", 0.5]}}
    assert told["args"] == "\x1b"
