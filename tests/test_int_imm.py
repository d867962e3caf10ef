"""Verdicts on a width, and the fix that makes an IntImm of it: what is wrapped, and how far to trust it."""

from __future__ import annotations

import pytest

from tests.support import HEADER, clean, codes_for, file_of, findings, fixed, fixed_width
from tl_lint.arithmetic import Kind, Value
from tl_lint.int_imm import known_numbers

NUMPY = "import numpy as np\n"


def test_the_numbers_that_count() -> None:
    values = {
        Value(Kind.INT, 3),
        Value(Kind.INT_IMM, 4),
        Value(Kind.BOOL, 0),
        Value(Kind.TIR, 5),
        Value(Kind.INT),
        Value(Kind.NONE),
    }
    assert known_numbers(frozenset(values)) == [3, 4]


@pytest.mark.parametrize(
    ("width", "codes"),
    [
        ("None", []),
        ("T.int32(4)", []),
        ("T.int32(unknown)", []),
        ("T.IntImm('int32', unknown)", []),
        ("T.min(unknown, 8)", []),
        ("None if unknown else T.int32(4)", []),
        ("T.bool(True)", []),
        ("T.bool(False)", ["TLC003"]),
        ("4", ["TLC001"]),
        ("True", ["TLC001"]),
        ("False", ["TLC001"]),
        ("4.0", ["TLC001"]),
        ("3.0", ["TLC001"]),
        ("'3'", ["TLC001"]),
        ("unknown", ["TLC002"]),
        ("unknown.width", ["TLC002"]),
        ("unknown or None", ["TLC002"]),
        ("4 if unknown else unknown.b", ["TLC001", "TLC002"]),
        ("3", ["TLC001", "TLC003"]),
        ("0", ["TLC001", "TLC003"]),
        ("-4", ["TLC001", "TLC003"]),
        ("T.int32(3)", ["TLC003"]),
        ("T.IntImm('int32', 0)", ["TLC003"]),
        ("T.int32(4) if unknown else T.int32(3)", ["TLC003"]),
        ("4 if unknown else 3", ["TLC001", "TLC003"]),
    ],
)
def test_codes(width: str, codes: list[str]) -> None:
    assert codes_for(width) == codes


def test_one_finding_per_code_and_call() -> None:
    text = f"{HEADER}T.Parallel(4, coalesced_width=4 if a else 2 if b else 8)\n"
    assert findings(text) == [(2, "TLC001")]


@pytest.mark.parametrize(
    ("width", "after"),
    [
        # proved to be an int
        ("4", 'T.IntImm("int32", 4)'),
        ("0x4", 'T.IntImm("int32", 0x4)'),
        ("(4)", '(T.IntImm("int32", 4))'),
        ("2 * 2", 'T.IntImm("int32", 2 * 2)'),
        ("(2) * (2)", 'T.IntImm("int32", (2) * (2))'),
        ("np.int32(4)", 'T.IntImm("int32", np.int32(4))'),
        ("int(unknown)", 'T.IntImm("int32", int(unknown))'),
        ("len(unknown)", 'T.IntImm("int32", len(unknown))'),
        ("max(1, 4)", 'T.IntImm("int32", max(1, 4))'),
        ("{'a': 4}['a']", "T.IntImm(\"int32\", {'a': 4}['a'])"),
        ("(w := 4)", '(T.IntImm("int32", w := 4))'),
        ("None or 4", 'T.IntImm("int32", None or 4)'),
        # arm by arm
        ("4 if unknown else None", 'T.IntImm("int32", 4) if unknown else None'),
        ("None if unknown else 4", 'None if unknown else T.IntImm("int32", 4)'),
        ("4 if unknown else 2", 'T.IntImm("int32", 4) if unknown else T.IntImm("int32", 2)'),
        ("4 if unknown else T.int32(2)", 'T.IntImm("int32", 4) if unknown else T.int32(2)'),
        (
            "(4 if unknown else 2) if n else 8",
            '(T.IntImm("int32", 4) if unknown else T.IntImm("int32", 2)) if n else T.IntImm("int32", 8)',
        ),
        ("4if unknown else+4", 'T.IntImm("int32", 4)if unknown else T.IntImm("int32", +4)'),
        (
            "4 if unknown else(2)*2",
            '4 if unknown else T.IntImm("int32", (2)*2)'.replace("4 if", 'T.IntImm("int32", 4) if'),
        ),
        # one of several, of which one is an IntImm already
        ("(4, T.int32(2))[n]", "T.int32((4, T.int32(2))[n])"),
    ],
)
def test_the_safe_fix(width: str, after: str) -> None:
    assert fixed_width(width, NUMPY) == after
    assert codes_for(after, NUMPY) == []


@pytest.mark.parametrize(
    "width",
    [
        "unknown",
        "unknown.width",
        "unknown or 4",
        "3",
        "0",
        "-4",
        "4 if unknown else 3",
        "True",
        "4.0",
        "'4'",
        "[4]",
        "lambda: 4",
        "np.bool_(1)",
        "T.float32(4)",
        "T.dynamic('n')",
        "T.int32(None)",
        "4 if unknown else 4.0",
        "T.int32(4)",
        "None",
    ],
)
def test_no_safe_fix(width: str) -> None:
    assert fixed_width(width, NUMPY) == width


@pytest.mark.parametrize(
    ("width", "after"),
    [
        ("unknown", "T.int32(unknown)"),
        ("unknown.width", "T.int32(unknown.width)"),
        ("unknown[0]", "T.int32(unknown[0])"),
        ("unknown()", "T.int32(unknown())"),
        ("unknown or 4", "T.int32(unknown or 4)"),
        ("unknown + 1", "T.int32(unknown + 1)"),
        ("unknown if n else 4", 'T.int32(unknown) if n else T.IntImm("int32", 4)'),
        ("(yield)", "(T.int32((yield)))"),
        ("(yield unknown)", "(T.int32((yield unknown)))"),
    ],
)
def test_the_unsafe_fix_of_something_unknown(width: str, after: str) -> None:
    assert fixed_width(width) == width or "4)" in after
    assert fixed_width(width, unsafe=True) == after


@pytest.mark.parametrize("width", ["3", "True", "4.0", "'4'", "T.float32(4)", "unknown or None", "(w := 3)"])
def test_what_is_not_even_fixed_unsafely(width: str) -> None:
    assert fixed_width(width, unsafe=True) == width


@pytest.mark.parametrize(
    ("signature", "safe", "unsafe"),
    [
        ("v: int", "T.int32(v)", "T.int32(v)"),
        ("v=4", "T.int32(v)", "T.int32(v)"),
        ("v: int = 4", "T.int32(v)", "T.int32(v)"),
        ("v: int | T.IntImm", "T.int32(v)", "T.int32(v)"),
        ("v: int | None", "v", "T.int32(v) if v is not None else None"),
        ("v=None", "v", "T.int32(v) if v is not None else None"),
        ("v", "v", "T.int32(v)"),
        ("v: float", "v", "v"),
        ("v=3", "v", "v"),
        ("v: int = 3", "v", "v"),
    ],
)
def test_parameters(signature: str, safe: str, unsafe: str) -> None:
    text = f"{HEADER}def f({signature}):\n    T.Parallel(4, coalesced_width=%s)\n"
    assert fixed(text % "v") == text % safe
    assert fixed(text % "v", unsafe=True) == text % unsafe


@pytest.mark.parametrize(
    ("width", "after"),
    [
        ("v if n else 4", '(T.int32(v) if v is not None else None) if n else T.IntImm("int32", 4)'),
        ("4 if n else v", 'T.IntImm("int32", 4) if n else T.int32(v) if v is not None else None'),
        ("v if v is not None else None", "T.int32(v) if v is not None else None"),
        ("v or 4", "T.int32(v or 4)"),
    ],
)
def test_an_optional_parameter_in_an_arm_keeps_its_meaning(width: str, after: str) -> None:
    text = f"{HEADER}def f(n, v=None):\n    T.Parallel(4, coalesced_width=%s)\n"
    assert fixed(text % width, unsafe=True) == text % after


def test_none_in_annotations_is_not_guarded() -> None:
    text = f'{HEADER}def f(v=None):\n    T.Parallel(4, annotations={{"coalesced_width": v}})\n'
    assert fixed(text, unsafe=True) == text


@pytest.mark.parametrize("quote", ['"', "'", '"""'])
def test_in_an_f_string_no_quotes_are_added(quote: str) -> None:
    text = f"{HEADER}print(f{quote}{{T.Parallel(4, coalesced_width=%s)}}{quote})\n"
    assert fixed(text % "4") == text % "T.int32(4)"


def test_lines_and_comments_inside_stay_as_they_are() -> None:
    before = clean(
        """
        import tilelang.language as T
        def f(n):
            if n:
                T.Parallel(n, coalesced_width=[
                        2,  # two
                    4][1])
                T.Parallel(n, coalesced_width=(
                    2  # two
                      * 2
                ))
        """
    )
    after = before.replace("[\n", 'T.IntImm("int32", [\n').replace("[1])", "[1]))")
    after = after.replace("2  # two\n              *", 'T.IntImm("int32", 2  # two\n              *').replace(
        "* 2\n", "* 2)\n"
    )
    assert fixed(before) == after


def test_a_message_says_what_to_write_and_is_one_line() -> None:
    file = file_of(f"{HEADER}def f(v: int):\n    T.Parallel(4, coalesced_width={' + '.join(['v'] * 100)})\n")
    from tl_lint.registry import load_rules

    for rule in load_rules():
        for node in file.tree.nodes(*rule.node_types):
            for report in rule.check(node, file):
                assert "\n" not in report.message
                assert len(report.message) < 120
                assert "T.int32(" in report.message
