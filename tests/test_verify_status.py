"""The exit status of `verify`: each row of what README.md and docs/verify.md say."""

from __future__ import annotations

import pytest

from tests.verify_rows import row
from tl_lint.config import Settings
from tl_lint.source import Source
from tl_lint.verify.applying import Applied
from tl_lint.verify.model import Level, Verdict
from tl_lint.verify.options import VerifyFile, VerifyOptions
from tl_lint.verify_status import exit_status

OPEN = (Verdict.NOT_INSTANTIATED, Verdict.NOT_REACHED)


def status(*verdicts: Verdict, strict: bool = False, troubled: bool = False, **options: object) -> int:
    rows = [row(verdict) for verdict in verdicts]
    return exit_status(rows, VerifyOptions(**options), strict, troubled)  # type: ignore[arg-type]


def test_nothing_found_is_nothing_wrong() -> None:
    assert status() == 0


def test_passing_kernels_and_proved_fixes_are_fine() -> None:
    assert status(Verdict.OK, Verdict.FIX_CONFIRMED, Verdict.FIX_HARMLESS, strict=True) == 0


@pytest.mark.parametrize("verdict", [Verdict.FAILS, Verdict.FIX_REJECTED])
def test_what_is_wrong_is_1(verdict: Verdict) -> None:
    assert status(Verdict.OK, verdict) == 1


@pytest.mark.parametrize("verdict", OPEN)
def test_a_kernel_that_was_not_judged_counts_with_strict_only(verdict: Verdict) -> None:
    assert status(Verdict.OK, verdict) == 0
    assert status(Verdict.OK, verdict, strict=True) == 1
    assert status(Verdict.FAILS, verdict) == 1


@pytest.mark.parametrize("verdict", OPEN)
def test_a_run_that_judged_nothing_did_not_work(verdict: Verdict) -> None:
    assert status(verdict, verdict) == 2
    assert status(*OPEN) == 2
    assert status(verdict, shard=(3, 8)) == 0


def test_a_level_by_name_has_to_be_reached() -> None:
    assert status(Verdict.OK, Verdict.NOT_REACHED, level=Level.RUN) == 2
    assert status(Verdict.FAILS, Verdict.NOT_REACHED, level=Level.RUN) == 2
    assert status(Verdict.OK, Verdict.NOT_INSTANTIATED, level=Level.RUN) == 0


def test_a_kernel_by_name_has_to_be_judged() -> None:
    def named(*kernels: str) -> VerifyOptions:
        return VerifyOptions((VerifyFile("/p/a.py", "a.py", Source("/p/a.py", b""), Settings(rules=()), kernels),))

    rows = [row(Verdict.OK), row(Verdict.NOT_INSTANTIATED, "gemm")]
    assert exit_status(rows, named("scale", "gemm"), False, False) == 2
    assert exit_status(rows, named("*"), False, False) == 0
    assert exit_status(rows, named(), False, False) == 0


def test_arguments_by_call_have_to_build_it() -> None:
    rows = [row(Verdict.OK), row(Verdict.NOT_INSTANTIATED, args_source="call")]
    assert exit_status(rows, VerifyOptions(), False, False) == 2


def test_what_could_not_be_read_or_written_did_not_work() -> None:
    assert status(Verdict.OK, troubled=True) == 2
    assert status(Verdict.FAILS, troubled=True) == 2
    unwritten = Applied("/p/a.py", "a.py", trouble="cannot be written: no space left", unwritten=True)
    assert exit_status([row(Verdict.FIX_CONFIRMED)], VerifyOptions(), False, False, [unwritten]) == 2
    rejected = Applied("/p/a.py", "a.py", trouble="a fix was rejected: scale")
    assert exit_status([row(Verdict.FIX_REJECTED)], VerifyOptions(), False, False, [rejected]) == 1
