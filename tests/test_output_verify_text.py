"""What is written about the rows of a verification for people."""

from __future__ import annotations

import io

import pytest

from tests.verify_rows import ABORT, OK, WARNS, failing, passing, row
from tl_lint.output.terminal import Printer
from tl_lint.output.verify_text import RowPrinter, write_applied, write_summary
from tl_lint.verify.applying import Applied, LeftFix
from tl_lint.verify.model import Check, Level, Outcome, Row, Verdict


def rows_text(*rows: Row, colour: bool = False) -> str:
    stream = io.StringIO()
    printer = RowPrinter(Printer(stream, colour), lambda path: path.removeprefix("/p/"))
    for each in rows:
        printer.write(each)
    return stream.getvalue()


def summary(*rows: Row, **reasons: str) -> str:
    stream = io.StringIO()
    write_summary(rows, Printer(stream, False), {Level.named(name): reason for name, reason in reasons.items()})
    return stream.getvalue()


def applied_text(*applied: Applied) -> str:
    stream = io.StringIO()
    write_applied(applied, Printer(stream, False))
    return stream.getvalue()


def test_a_kernel_that_is_fine_takes_one_line_that_shows_the_guess() -> None:
    assert rows_text(OK) == "a.py\n  ok                compile  gemm(M=64, N=64) [guess]\n"


def test_a_kernel_without_parameters_has_no_brackets() -> None:
    assert rows_text(row(Verdict.OK)).splitlines()[1] == "  ok                compile  scale"


def test_files_head_their_rows() -> None:
    other = row(Verdict.OK, path="/p/b.py")
    lines = rows_text(OK, row(Verdict.OK), other).splitlines()
    assert [line for line in lines if not line.startswith(" ")] == ["a.py", "b.py"]


def test_a_confirmed_fix_says_what_each_version_did() -> None:
    text = rows_text(row(Verdict.FIX_CONFIRMED, requested_width=4, effective_width=4))
    assert text == (
        "a.py\n"
        "  fix-confirmed     compile  scale width 4\n"
        f"                    original  fails at lower: {ABORT}\n"
        "                    fixed     passes compile\n"
        "                    control   passes compile\n"
    )


def test_a_message_that_repeats_the_compiler_is_said_once() -> None:
    text = rows_text(row(Verdict.FAILS))
    assert text.count(ABORT) == 1
    assert "original  fails at lower" in text
    more = rows_text(row(Verdict.FIX_REJECTED, message="fails: not divisible (so does the control)"))
    assert more.splitlines()[-1].strip() == "so does the control"
    assert more.count("not divisible") == 1


def test_a_level_that_was_not_reached_has_its_reason() -> None:
    lines = rows_text(row(Verdict.NOT_REACHED)).splitlines()
    assert lines[1:] == [
        "  not-reached       compile  scale",
        "                    run was not reached: no GPU",
    ]


def test_a_kernel_that_was_not_built_says_how_to_help() -> None:
    text = rows_text(row(Verdict.NOT_INSTANTIATED))
    assert "not-instantiated  -        scale" in text
    assert "--call 'scale(...)'" in text
    unimportable = Outcome(Level.NONE, "not-instantiated", "no module named x", facts={"stage": "import"})
    assert "--call" not in rows_text(row(Verdict.NOT_INSTANTIATED, original=unimportable))


@pytest.mark.parametrize(
    ("requested", "effective", "expected"),
    [
        (8, 4, "width 8 asked for, 4 used"),
        ([2, 4], [2, None], "width 2, 4 asked for, 2, ? used"),
        (4, None, "width 4 asked for"),
    ],
)
def test_the_width_that_was_used(requested: object, effective: object, expected: str) -> None:
    assert rows_text(row(Verdict.OK, requested_width=requested, effective_width=effective)).rstrip().endswith(expected)


def test_checks_that_are_not_ok_have_a_line() -> None:
    text = rows_text(row(Verdict.OK, checks=(WARNS, Check("race", "ok"), Check("store", "fails", "no store"))))
    assert "                    warns width (line 7): 8 was asked for, 4 used\n" in text
    assert "                    fails store: no store\n" in text
    assert "race" not in text


def test_what_the_oracle_and_the_suspicions_came_to() -> None:
    findings = [
        {"code": "TLC002", "line": 9, "outcome": "fact"},
        {"code": "TLC002", "line": 11, "outcome": "cleared"},
        {"code": "TLC002", "line": 12, "outcome": "unknown"},
    ]
    text = rows_text(
        row(Verdict.OK, facts={"oracle": {"equal": False, "message": "body differs"}, "findings": findings})
    )
    assert "body differs" in text
    assert "TLC002 of line 9 is a fact here" in text
    assert "TLC002 of line 11 is cleared here" in text
    assert "TLC002 of line 12 stays open" in text


def comparison(**changes: object) -> dict[str, object]:
    return {"equal": True, "how": "bit for bit", "against": "control", "differing": [], "written": ["B"], **changes}


def timing(median: float, spread: float = 0.5) -> dict[str, float]:
    return {"median_us": median, "lower_quartile_us": median - spread, "upper_quartile_us": median + spread}


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (
            {"comparison": comparison(), "gpu": "NVIDIA H200"},
            "outputs equal those of its control on NVIDIA H200, bit for bit (written: B)",
        ),
        (
            {"comparison": comparison(against="itself", message="at n=7: the kernel does not run")},
            "outputs equal its own of a second run, bit for bit (written: B); at n=7: the kernel does not run",
        ),
        (
            {"comparison": comparison(equal=False, message="B: 3 of 4096 elements differ")},
            "outputs differ from those of its control: B: 3 of 4096 elements differ",
        ),
        ({"reference": {"equal": True}}, "outputs equal those of the reference"),
        (
            {"reference": {"equal": False, "message": "B differs"}},
            "outputs differ from those of the reference: B differs",
        ),
        (
            {"timing": {"fixed": timing(10.0), "control": timing(15.0)}},
            "takes 10.0 µs (9.5 to 10.5), without the width 15.0 µs (14.5 to 15.5): 1.50 times as fast",
        ),
        (
            {"timing": {"fixed": timing(20.0), "control": timing(10.0)}},
            "takes 20.0 µs (19.5 to 20.5), without the width 10.0 µs (9.5 to 10.5): 0.50 times as fast",
        ),
        (
            {"timing": {"fixed": timing(10.0), "control": timing(10.9)}},
            "takes 10.0 µs (9.5 to 10.5), without the width 10.9 µs (10.4 to 11.4): no difference beyond the spread",
        ),
        ({"control": "the control does not compile: no bool"}, "the control does not compile: no bool"),
        ({"no_timing": "at n=4096: out of memory"}, "was not timed: at n=4096: out of memory"),
        ({"timing": {"fixed": timing(10.0)}}, "takes 10.0 µs (9.5 to 10.5)"),
        ({"oracle": {"equal": True}}, "same TIR as the original's with its ints made IntImm by T.Parallel"),
    ],
)
def test_what_a_run_came_to(facts: dict[str, object], expected: str) -> None:
    lines = rows_text(row(Verdict.OK, facts=facts)).splitlines()
    assert [line.strip() for line in lines[2:]] == [expected]


def test_nothing_that_the_compiler_says_steers_the_terminal_or_floods_it() -> None:
    text = rows_text(
        row(Verdict.FAILS, original=failing("\x1b[31mred\nmore " + "x" * 5000), message="\x1b]0;title\x07")
    )
    assert "\x1b" not in text and "\x07" not in text
    assert max(map(len, text.splitlines())) < 400


def test_colour_only_where_it_is_wanted() -> None:
    assert "\x1b[" in rows_text(OK, colour=True)
    assert "\x1b[" not in rows_text(OK)


def test_the_summary_counts_and_says_how_far_and_why_not_further() -> None:
    rows = (OK, row(Verdict.FAILS), row(Verdict.FIX_CONFIRMED, path="/p/b.py"), row(Verdict.NOT_INSTANTIATED))
    assert summary(*rows, run="no GPU that CUDA can use", compile="no nvcc") == (
        "4 kernels in 2 files: 1 ok, 1 fix-confirmed, 1 fails, 1 not-instantiated.\n"
        "Levels reached with TileLang 0.1.15 for cuda:sm_90: 2 compile, 1 trace, 1 none.\n"
        "Not reached here: run: no GPU that CUDA can use.\n"
    )
    assert summary() == "No kernels found.\n"


def test_what_was_reached_is_not_called_a_pass() -> None:
    text = summary(row(Verdict.NOT_INSTANTIATED))
    assert "1 not-instantiated" in text and "ok" not in text
    assert "Levels reached: 1 none." in text


def test_what_the_fixes_came_to() -> None:
    text = applied_text(
        Applied("/p/a.py", "a.py", {"TLC001": 2}, b"", b"x", (LeftFix("TLC001", 9, "gemm is not-instantiated"),)),
        Applied("/p/b.py", "b.py", trouble="a fix was rejected: scale"),
    )
    assert text == (
        "a.py fixed: 2 verified fixes (2 TLC001)\n"
        "a.py:9: TLC001 not fixed: gemm is not-instantiated\n"
        "b.py left as it was: a fix was rejected: scale\n"
    )


def test_the_outcome_of_a_crash_is_named() -> None:
    crash = failing("", "crashes SIGFPE")
    text = rows_text(row(Verdict.FAILS, original=crash, message="crashes SIGFPE", fixed=None))
    assert text.endswith("  original  crashes SIGFPE at lower\n")
    assert passing().passes
