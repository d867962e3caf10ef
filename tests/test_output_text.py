"""The formats for people. The shapes were read off ruff 0.17: `concise`, `full`, its summary and its --diff summary."""

from __future__ import annotations

import io

import pytest

from tl_lint.findings import FileReport, Finding, FoundFix, Replacement
from tl_lint.model import Applicability, Position
from tl_lint.output.terminal import Printer
from tl_lint.output.text import write_concise, write_full, write_summary, write_would_fix


def finding(
    line: int, column: int, length: int = 1, fix: FoundFix | None = None, message: str = "message", code: str = "TLC701"
) -> Finding:
    return Finding(code, "rule", message, Position(line, column), Position(line, column + length), line, fix)


def fix(*edits: tuple[int, int, int, int, str], applicability: Applicability = Applicability.SAFE) -> FoundFix:
    placed = tuple(Replacement(Position(a, b), Position(c, d), text) for a, b, c, d, text in edits)
    return FoundFix("Do it", placed, applicability, applicability is Applicability.SAFE)


def report(text: str | None, *findings: Finding, applied: int = 0) -> FileReport:
    return FileReport("/x/a.py", "a.py", findings, text, applied={"TLC701": applied} if applied else {})


def full(text: str | None, *findings: Finding) -> str:
    stream = io.StringIO()
    write_full([report(text, *findings)], Printer(stream, colour=False))
    return stream.getvalue()


def concise(text: str | None, *findings: Finding) -> str:
    stream = io.StringIO()
    write_concise([report(text, *findings)], Printer(stream, colour=False))
    return stream.getvalue()


def test_nothing_found_is_nothing_written() -> None:
    assert full("x\n") == concise("x\n") == ""


def test_concise_marks_what_fix_would_repair() -> None:
    assert concise("x\n", finding(1, 0), finding(12, 4, fix=fix((1, 0, 1, 1, "y")))) == (
        "a.py:1:1: TLC701 message\na.py:12:5: TLC701 [*] message\n"
    )
    unsafe = fix((1, 0, 1, 1, "y"), applicability=Applicability.UNSAFE)
    assert concise("x\n", finding(1, 0, fix=unsafe)) == "a.py:1:1: TLC701 message\n"


def test_full_shows_two_lines_around_without_blank_ones_at_the_ends() -> None:
    assert full("\n\nT.bad(4)\n\n\n", finding(3, 6)) == (
        "TLC701 message\n --> a.py:3:7\n  |\n3 | T.bad(4)\n  |       ^\n\n"
    )
    text = "".join(f"line{number}\n" for number in range(1, 12))
    assert full(text, finding(9, 0, 5)) == (
        "TLC701 message\n"
        "  --> a.py:9:1\n"
        "   |\n"
        " 7 | line7\n"
        " 8 | line8\n"
        " 9 | line9\n"
        "   | ^^^^^\n"
        "10 | line10\n"
        "11 | line11\n"
        "   |\n"
        "\n"
    )


@pytest.mark.parametrize(
    ("line", "column", "length", "shown", "marks"),
    [
        ("\tT.bad(4)", 7, 1, "    T.bad(4)", "          ^"),
        ("x = '四四' + y", 10, 1, "x = '四四' + y", "            ^"),
        ("x = '四四' + y", 4, 4, "x = '四四' + y", "    ^^^^^^"),
        ("e\u0301 = y", 5, 1, "e\u0301 = y", "    ^"),
        ("abc", 1, 0, "abc", " ^"),
        ("abc", 3, 0, "abc", "   ^"),
        ("a\x1b[31mb", 0, 1, "a\\x1b[31mb", "^"),
        ("a\x0cb", 2, 1, "a\\x0cb", "     ^"),
    ],
)
def test_the_marks_stand_under_what_they_mean(line: str, column: int, length: int, shown: str, marks: str) -> None:
    lines = full(line, finding(1, column, length)).splitlines()
    assert lines[3:5] == [f"1 | {shown}", f"  | {marks}"]


def test_a_finding_of_several_lines_is_marked_on_its_first() -> None:
    spanning = Finding("TLC701", "rule", "message", Position(1, 2), Position(2, 1), 1)
    assert "1 | T.bad(\n  |   ^^^^\n2 | 4)\n" in full("T.bad(\n4)\n", spanning)


def test_carriage_returns_end_lines_and_form_feeds_do_not() -> None:
    assert "2 | b\\x0cc\n  | ^\n3 | d\n" in full("a\r\nb\x0cc\rd", finding(2, 0))


def test_without_text_only_the_place_is_told() -> None:
    assert full(None, finding(1, 0, 0)) == "TLC701 message\n--> a.py:1:1\n\n"


def test_a_place_behind_the_last_line_is_told_only() -> None:
    assert full("x", finding(9, 0)) == "TLC701 message\n--> a.py:9:1\n\n"


def change(text: str, offered: FoundFix, line: int = 1) -> str:
    return full(text, finding(line, 0, fix=offered)).partition("help: Do it\n")[2]


def test_full_shows_what_a_fix_changes_with_a_line_around_it() -> None:
    assert change("a\nb\nc\nd\n", fix((2, 0, 2, 1, "B")), 2) == ("  |\n1 | a\n  - b\n2 + B\n3 | c\n  |\n\n")


def test_a_line_that_is_taken_away_and_lines_that_are_put_in() -> None:
    assert change("a\nb\nc\n", fix((1, 0, 2, 0, ""))) == "  |\n  - a\n1 | b\n  |\n\n"
    assert change("a\nb\n", fix((2, 0, 2, 0, "x\ny\n")), 2) == "  |\n1 | a\n2 + x\n3 + y\n4 | b\n  |\n\n"


def test_lines_at_the_very_end() -> None:
    assert change("a\n", fix((2, 0, 2, 0, "x\n"))) == "  |\n1 | a\n2 + x\n  |\n\n"
    assert change("a\nb", fix((2, 1, 2, 1, "x"))) == "  |\n1 | a\n  - b\n2 + bx\n  |\n\n"
    assert change("a\n\n", fix((1, 0, 1, 1, "A"))) == "  |\n  - a\n1 + A\n2 |\n  |\n\n"


def test_edits_far_apart_have_their_own_places_and_the_new_numbers() -> None:
    text = "".join(f"{letter}\n" for letter in "abcdefgh")
    assert change(text, fix((1, 0, 1, 0, "import x\n"), (7, 0, 7, 1, "G"))) == (
        "  |\n1 + import x\n2 | a\n  ...\n7 | f\n  - g\n8 + G\n9 | h\n  |\n\n"
    )


def test_edits_close_together_share_their_place() -> None:
    assert change("a\nb\nc\nd\n", fix((1, 0, 1, 1, "A"), (3, 0, 3, 1, "C"))) == (
        "  |\n  - a\n1 + A\n2 | b\n  - c\n3 + C\n4 | d\n  |\n\n"
    )
    assert change("f(a, b)\n", fix((1, 2, 1, 3, "A"), (1, 5, 1, 6, "B"))) == "  |\n  - f(a, b)\n1 + f(A, B)\n  |\n\n"


def test_a_fix_that_is_not_safe_says_so() -> None:
    unsafe = fix((1, 0, 1, 1, "y"), applicability=Applicability.UNSAFE)
    assert "note: This is an unsafe fix and may change runtime behavior\n" in full("x\n", finding(1, 0, fix=unsafe))
    shown = fix((1, 0, 1, 1, "y"), applicability=Applicability.DISPLAY)
    assert "note: This is a display-only fix and is likely to be incorrect\n" in full("x\n", finding(1, 0, fix=shown))


def test_messages_and_names_cannot_steer_the_terminal() -> None:
    steering = FileReport("/x", "a\x1b]0;x\x07\nb\udcff.py", (finding(1, 0, message="bad\r\u202eevil"),), "x\n")
    for write in (write_concise, write_full):
        stream = io.StringIO()
        write([steering], Printer(stream, colour=False))
        written = stream.getvalue()
        assert "a\\x1b]0;x\\x07\\x0ab\\udcff.py" in written
        assert "bad\\x0d\\u202eevil" in written
        assert not {"\x1b", "\x07", "\r", "\u202e", "\udcff"} & set(written)


def summary(*reports: FileReport) -> str:
    stream = io.StringIO()
    write_summary(reports, Printer(stream, colour=False))
    return stream.getvalue()


SAFE = finding(1, 0, fix=fix((1, 0, 1, 1, "y")))
UNSAFE = finding(1, 0, fix=fix((1, 0, 1, 1, "y"), applicability=Applicability.UNSAFE))
SHOWN = finding(1, 0, fix=fix((1, 0, 1, 1, "y"), applicability=Applicability.DISPLAY))


@pytest.mark.parametrize(
    ("reports", "expected"),
    [
        ([], "All checks passed!\n"),
        ([report("x")], "All checks passed!\n"),
        ([report("x", SHOWN)], "Found 1 error.\n"),
        ([report("x", SAFE), report("x", SAFE)], "Found 2 errors.\n[*] 2 fixable with `--fix`.\n"),
        ([report("x", UNSAFE)], "Found 1 error.\n1 unsafe fix available with `--fix --unsafe-fixes`.\n"),
        (
            [report("x", SAFE, UNSAFE, UNSAFE)],
            "Found 3 errors.\n[*] 1 fixable with `--fix` (2 unsafe fixes available with `--fix --unsafe-fixes`).\n",
        ),
        ([report("x", applied=1)], "Found 1 error (1 fixed, 0 remaining).\n"),
        ([report("x", SHOWN, applied=2)], "Found 3 errors (2 fixed, 1 remaining).\n"),
    ],
)
def test_the_summary(reports: list[FileReport], expected: str) -> None:
    assert summary(*reports) == expected


@pytest.mark.parametrize(
    ("reports", "expected"),
    [
        ([], ""),
        ([report("x", SHOWN)], ""),
        ([report("x", applied=1)], "Would fix 1 error.\n"),
        ([report("x", applied=2), report("x", applied=1)], "Would fix 3 errors.\n"),
        ([report("x", UNSAFE, applied=1)], "Would fix 1 error (1 additional fix available with `--unsafe-fixes`).\n"),
        ([report("x", UNSAFE, UNSAFE)], "No errors would be fixed (2 fixes available with `--unsafe-fixes`).\n"),
    ],
)
def test_what_a_diff_would_do(reports: list[FileReport], expected: str) -> None:
    stream = io.StringIO()
    write_would_fix(reports, Printer(stream, colour=False))
    assert stream.getvalue() == expected
