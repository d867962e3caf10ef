from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from tl_lint.verify.isolation import Ended
from tl_lint.verify.model import Check, Level
from tl_lint.verify.outcomes import outcome_of

TRACED = {"reached": "trace", "checks": [{"name": "stores", "verdict": "ok", "message": "", "line": None}]}
LOWERED = {"reached": "lower", "checks": [{"name": "width", "verdict": "warns", "message": "2", "line": 4}]}


def test_all_that_was_told_is_in_it() -> None:
    told: list[dict[str, Any]] = [
        {"stage": "trace", "attempt": 1},
        TRACED,
        {"stage": "lower"},
        LOWERED,
        {"effective_widths": [2]},
    ]
    outcome = outcome_of(Ended(told), Level.LOWER)
    assert (outcome.level, outcome.outcome, outcome.message) == (Level.LOWER, "passes", "")
    assert outcome.checks == (Check("stores", "ok"), Check("width", "warns", "2", 4))
    assert outcome.facts == {"stage": "lower", "attempt": 1, "effective_widths": [2]}
    assert outcome.passes


def test_an_exception_fails_with_its_last_line() -> None:
    error = "InternalError: Traceback (most recent call last):\n  File x\ncoalesced_width should be an IntImmNode.\n\n"
    outcome = outcome_of(Ended([TRACED], error), Level.LOWER)
    assert (outcome.level, outcome.outcome) == (Level.TRACE, "fails")
    assert outcome.message == "coalesced_width should be an IntImmNode."


@pytest.mark.parametrize(
    ("ended", "word", "message"),
    [
        (Ended([TRACED], signal=signal.SIGFPE), "crashes SIGFPE", ""),
        (Ended([TRACED], signal=signal.SIGABRT, log="a\nterminate called\n"), "crashes SIGABRT", "terminate called"),
        (Ended([TRACED], signal=63), "crashes signal 63", ""),
        (Ended([TRACED], timed_out=True, seconds=9.8), "timeout", "not done after 10 s, at the stage start"),
        (Ended([TRACED], out_of_memory=True), "out of memory", ""),
        (Ended([TRACED], exit_status=3), "exits", "the code ended its process with status 3"),
        (Ended([TRACED]), "fails", ""),
        (Ended([TRACED, {"not_reached": "no nvcc"}], "NoCompiler: no nvcc"), "not-reached", "no nvcc"),
    ],
)
def test_every_way_of_ending_has_a_word(ended: Ended, word: str, message: str) -> None:
    outcome = outcome_of(ended, Level.LOWER)
    assert (outcome.outcome, outcome.message) == (word, message)
    assert not outcome.passes


def test_what_the_compiler_printed_before_it_died_is_kept(tmp_path: Path) -> None:
    (tmp_path / "compiler.log").write_text("from the compiler\n")
    died = outcome_of(Ended([], signal=signal.SIGSEGV, log="from the user\n"), Level.LOWER, tmp_path)
    assert (died.log, died.message) == ("from the user\nfrom the compiler\n", "from the compiler")
    alive = outcome_of(Ended([], "E: x", log="from the user\n"), Level.LOWER, tmp_path)
    assert alive.log == "from the user\n"
