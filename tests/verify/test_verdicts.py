from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from tl_lint.verify.model import Check, Level, Outcome, Verdict
from tl_lint.verify.requests import KernelRequest, Machine
from tl_lint.verify.verdicts import judged

MACHINE = Machine("0.1.15", "sm_90", limits={Level.RUN: "torch sees no CUDA GPU"})
REQUEST = KernelRequest("/k.py", "k.py", "k", 1, 9, (), "", MACHINE, Level.LOWER)
PASSES = Outcome(Level.LOWER, "passes")
ABORTS = Outcome(Level.TRACE, "fails", "coalesced_width should be an IntImmNode.")
CRASHES = Outcome(Level.TRACE, "crashes SIGFPE")


def with_facts(outcome: Outcome, **facts: Any) -> Outcome:
    return dataclasses.replace(outcome, facts=facts)


@pytest.mark.parametrize(
    ("original", "fixed", "verdict"),
    [
        (PASSES, None, Verdict.OK),
        (ABORTS, None, Verdict.FAILS),
        (CRASHES, None, Verdict.FAILS),
        (Outcome(Level.NONE, "not-instantiated", "no M"), None, Verdict.NOT_INSTANTIATED),
        (Outcome(Level.LOWER, "not-reached", "no nvcc"), None, Verdict.NOT_REACHED),
        (PASSES, PASSES, Verdict.FIX_HARMLESS),
        (ABORTS, PASSES, Verdict.FIX_CONFIRMED),
        (CRASHES, PASSES, Verdict.FIX_CONFIRMED),
        (ABORTS, ABORTS, Verdict.FIX_REJECTED),
        (PASSES, CRASHES, Verdict.FIX_REJECTED),
        (Outcome(Level.NONE, "fails", "x"), Outcome(Level.NONE, "fails", "x"), Verdict.FAILS),
        (Outcome(Level.NONE, "fails", "x"), Outcome(Level.NONE, "fails", "y"), Verdict.FIX_REJECTED),
        (Outcome(Level.TRACE, "timeout", "not done"), PASSES, Verdict.NOT_REACHED),
        (Outcome(Level.TRACE, "out of memory"), PASSES, Verdict.NOT_REACHED),
        (ABORTS, Outcome(Level.TRACE, "timeout", "not done"), Verdict.NOT_REACHED),
        (PASSES, Outcome(Level.TRACE, "out of memory"), Verdict.NOT_REACHED),
        (Outcome(Level.TRACE, "timeout", "not done"), None, Verdict.FAILS),
        (None, Outcome(Level.NONE, "not-instantiated"), Verdict.NOT_INSTANTIATED),
    ],
)
def test_verdicts(original: Outcome | None, fixed: Outcome | None, verdict: Verdict) -> None:
    assert judged(REQUEST, original, fixed, PASSES).verdict is verdict


def test_a_fix_that_did_something_else_is_rejected() -> None:
    other = with_facts(PASSES, oracle={"equal": False, "message": "extents differ: 4 and 8"})
    same = with_facts(PASSES, oracle={"equal": True, "message": ""})
    assert judged(REQUEST, ABORTS, same, PASSES).verdict is Verdict.FIX_CONFIRMED
    unknown = with_facts(PASSES, oracle={"equal": None, "message": "crashes SIGSEGV: "})
    assert judged(REQUEST, ABORTS, unknown, PASSES).verdict is Verdict.FIX_CONFIRMED
    rejected = judged(REQUEST, ABORTS, other, PASSES)
    assert rejected.verdict is Verdict.FIX_REJECTED
    assert "extents differ: 4 and 8" in rejected.message


def test_a_fix_that_was_not_built_is_not_proved() -> None:
    same = with_facts(PASSES, same=True, oracle={"equal": True, "message": ""})
    verdict = judged(REQUEST, PASSES, same, PASSES)
    assert verdict.verdict is Verdict.OK
    assert "no fix touches" in verdict.message


def test_an_original_that_cannot_be_imported_confirms_nothing() -> None:
    original = Outcome(Level.NONE, "not-instantiated", "the file cannot be imported: FileExistsError")
    assert judged(REQUEST, original, PASSES, PASSES).verdict is Verdict.NOT_REACHED


def test_other_outputs_than_the_control_are_a_failure() -> None:
    differs = with_facts(PASSES, comparison={"equal": False, "message": "B differs in 3 of 4096 elements"})
    assert judged(REQUEST, ABORTS, differs, PASSES).verdict is Verdict.FIX_REJECTED
    assert judged(REQUEST, differs, None, None).verdict is Verdict.FAILS
    equal = with_facts(PASSES, comparison={"equal": True, "message": ""})
    assert judged(REQUEST, ABORTS, equal, PASSES).verdict is Verdict.FIX_CONFIRMED


@pytest.mark.parametrize(("word", "verdict"), [("ok", Verdict.OK), ("warns", Verdict.OK), ("fails", Verdict.FAILS)])
def test_a_failed_check_is_a_failure_and_a_warning_is_none(word: str, verdict: Verdict) -> None:
    checked = dataclasses.replace(PASSES, checks=(Check("stores", word, "the kernel stores nothing"),))
    assert judged(REQUEST, checked, None, None).verdict is verdict


def test_an_original_that_a_check_fails_was_not_harmless() -> None:
    emptied = dataclasses.replace(PASSES, checks=(Check("stores", "fails", "the kernel stores nothing"),))
    assert judged(REQUEST, emptied, PASSES, PASSES).verdict is Verdict.FIX_CONFIRMED


def test_a_level_asked_for_by_name_and_not_reached_is_not_passed() -> None:
    run = dataclasses.replace(REQUEST, level=Level.RUN)
    for original, fixed in ((PASSES, None), (ABORTS, PASSES)):
        short = judged(run, original, fixed, None)
        assert short.verdict is Verdict.NOT_REACHED
        assert short.message == "level run was not reached: torch sees no CUDA GPU"
    best = dataclasses.replace(run, wanted=False)
    assert judged(best, PASSES, None, None).verdict is Verdict.OK


def test_a_rejection_says_that_the_control_fails_too() -> None:
    assert "so does the kernel without its width" in judged(REQUEST, ABORTS, ABORTS, ABORTS).message
    assert "control" not in judged(REQUEST, ABORTS, ABORTS, PASSES).message
