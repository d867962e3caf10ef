"""What an expression is known to be, outside traced code: the rows that kernels compute widths with."""

from __future__ import annotations

import pytest

from tests.support import clean, file_of, probe
from tests.test_parameters import shown

HEADER = "import tilelang.language as T\n"


def values(text: str) -> list[str]:
    file = file_of(HEADER + clean(text))
    return shown(file.values.evaluate(probe(file.tree)))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("unknown", ["unknown"]),
        ("unknown.attribute", ["unknown"]),
        ("unknown()", ["unknown"]),
        ("unknown + 1", ["unknown"]),
        ("-unknown", ["unknown"]),
        ("unknown < 1", ["unknown"]),
        ("unknown @ 1", ["unknown"]),
        # literals
        ("4", ["int 4"]),
        ("0x_ff", ["int 255"]),
        ("0b100", ["int 4"]),
        ("1_000", ["int 1000"]),
        ("99999999999999999999999", ["int"]),
        ("4.0", ["float"]),
        ("4e0", ["float"]),
        ("4j", ["another object"]),
        ("'4'", ["str"]),
        ("b'4'", ["str"]),
        ("f'{4}'", ["str"]),
        ("'4' '5'", ["str"]),
        ("None", ["None"]),
        ("True", ["bool 1"]),
        ("False", ["bool 0"]),
        ("...", ["another object"]),
        ("(4,)", ["another object"]),
        ("[4]", ["another object"]),
        ("{4}", ["another object"]),
        ("{4: 4}", ["another object"]),
        ("[a for a in b]", ["another object"]),
        ("lambda: 4", ["another object"]),
        ("len", ["another object"]),
        # operators
        ("2 * 2", ["int 4"]),
        ("1 << 2", ["int 4"]),
        ("-(-4)", ["int 4"]),
        ("~3", ["int -4"]),
        ("9 // 2 % 3", ["int 1"]),
        ("8 / 2", ["float"]),
        ("2 ** 3", ["int 8"]),
        ("2 ** -1", ["float"]),
        ("1 // 0", ["int"]),
        ("True + True", ["int 2"]),
        ("4 + 0.5", ["float"]),
        ("'a' * 4", ["str"]),
        ("'%d' % 4", ["str"]),
        ("[4] * 4", ["another object"]),
        # comparisons
        ("1 < 2", ["bool"]),
        ("1 < 2 < 3", ["bool"]),
        ("unknown is None", ["bool"]),
        ("unknown in (1, 2)", ["bool"]),
        ("not unknown", ["bool"]),
        ("T.int32(4) == 4", ["IntImm"]),
        ("T.int32(4) == unknown", ["IntImm or other TIR expression"]),
        # arms
        ("4 if unknown else 'a'", ["int 4", "str"]),
        ("4 if unknown else None", ["None", "int 4"]),
        ("None or 4", ["int 4"]),
        ("0 or 4", ["int 4"]),
        ("2 or 4", ["int 2"]),
        ("T.int32(2) or 4", ["IntImm 2"]),
        ("unknown or 4", ["int 4", "unknown"]),
        ("2 and 4", ["int 4"]),
        ("0 and 4", ["int 0"]),
        ("None and 4", ["None"]),
        ("unknown and 4", ["int 4", "unknown"]),
        ("None or 0 or T.int32(4)", ["IntImm 4"]),
        ("(w := 4)", ["int 4"]),
        ("(4)", ["int 4"]),
    ],
)
def test_an_expression(expression: str, expected: list[str]) -> None:
    assert values(f"probe({expression})") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # bound once, at every level
        ("w = 4\nprobe(w)", ["int 4"]),
        ("w = 4\ndef f(): probe(w)", ["int 4"]),
        ("def f():\n    w = 4\n    probe(w)", ["int 4"]),
        ("def f():\n    w = 4\n    def g(): probe(w)", ["int 4"]),
        ("class A:\n    w = 4\n    probe(w)", ["int 4"]),
        ("class A:\n    w = 4\n    def f(self): probe(w)", ["unknown"]),
        ("w: int = 4\nprobe(w)", ["int 4"]),
        ("v = w = 4\nprobe(w)", ["int 4"]),
        ("w = 2\nw2 = w * 2\nprobe(w2)", ["int 4"]),
        ("if (w := 4): probe(w)", ["int 4"]),
        # rebound
        ("w = 4\nw = 'a'\nprobe(w)", ["str"]),
        ("w = 4\nif a: w = 'a'\nprobe(w)", ["int 4", "str"]),
        ("w = 4\ndef f(): probe(w)\nw = 'a'", ["int 4", "str"]),
        ("w = 4\nw += 4\nprobe(w)", ["int 8"]),
        ("w = 4\nw /= 4\nprobe(w)", ["float"]),
        ("w = 4\nw @= 4\nprobe(w)", ["another object"]),
        ("w = T.int32(4)\nw *= 2\nprobe(w)", ["IntImm 8"]),
        ("w = a\nw += 4\nprobe(w)", ["unknown"]),
        ("del w\nprobe(w)", ["unknown"]),
        # bound by something else
        ("for w in a: probe(w)", ["unknown"]),
        ("with a as w: probe(w)", ["unknown"]),
        ("with T.Kernel(1) as w: probe(w)", ["TIR expression"]),
        ("with T.Kernel(1) as (v, w): probe(w)", ["TIR expression"]),
        ("try: pass\nexcept A as w: probe(w)", ["unknown"]),
        ("import w\nprobe(w)", ["unknown"]),
        ("from a import w\nprobe(w)", ["unknown"]),
        ("def w(): pass\nprobe(w)", ["another object"]),
        ("class w: pass\nprobe(w)", ["another object"]),
        ("match a:\n    case w: probe(w)", ["unknown"]),
        # in circles
        ("w = w\nprobe(w)", ["unknown"]),
        ("w = v\nv = w\nprobe(w)", ["unknown"]),
        ("def f(): return f()\nprobe(f())", ["unknown"]),
        ("def f(): return g()\ndef g(): return f()\nprobe(f())", ["unknown"]),
        ("def f(a=f()): return a\nprobe(f())", ["unknown"]),
    ],
)
def test_a_name(text: str, expected: list[str]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("def f(): return 4", ["int 4"]),
        ("def f():\n    if a: return 4\n    return 'a'", ["int 4", "str"]),
        ("def f():\n    def g(): return 'a'\n    return 4", ["int 4"]),
        ("def f(): return T.int32(4)", ["IntImm 4"]),
        ("def f(): return", ["None"]),
        ("def f(): pass", ["None"]),
        ("def f(a): return a", ["unknown"]),
        ("def f(): yield 4", ["unknown"]),
        ("async def f(): return 4", ["unknown"]),
        ("@cached\ndef f(): return 4", ["unknown"]),
        ("def f() -> int: return a", ["int?"]),
        ("def f(): return 4\nf = g", ["unknown"]),
        ("class f: pass", ["unknown"]),
    ],
)
def test_a_call_of_a_function_of_the_file(function: str, expected: list[str]) -> None:
    assert values(f"{function}\nprobe(f())") == expected


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("probe(w)", ["None", "int?"]),
        ("if w is not None: probe(w)", ["int?"]),
        ("if w is None: return\n    probe(w)", ["int?"]),
        ("if w: probe(w)", ["int?"]),
        ("assert w is not None\n    probe(w)", ["int?"]),
        ("probe(w) if w is not None else 0", ["int?"]),
        ("0 if w is None else probe(w)", ["int?"]),
        ("w is not None and probe(w)", ["int?"]),
        ("w is None or probe(w)", ["int?"]),
        ("w is None and probe(w)", ["None", "int?"]),
        ("if v is not None: probe(w)", ["None", "int?"]),
        ("if w is not None:\n        def g(): probe(w)", ["int?"]),
        ("if isinstance(w, int): probe(w)", ["int?"]),
        ("if type(w) is int: probe(w)", ["int?"]),
        ("if type(w) is int: w = T.int32(w)\n    probe(w)", ["IntImm", "None"]),
        ("if not isinstance(w, int): probe(w)", ["None"]),
        ("if isinstance(w, T.IntImm): probe(w)", ["IntImm or other TIR expression"]),
        ("probe(w) if isinstance(w, T.IntImm) else 0", ["IntImm or other TIR expression"]),
        ("if isinstance(w, int): w = T.int32(w)\n    probe(w)", ["IntImm", "None"]),
        (
            "if not isinstance(w, T.IntImm): w = T.int32(w)\n    probe(w)",
            ["IntImm", "IntImm or other TIR expression", "TIR expression"],
        ),
    ],
)
def test_what_conditions_say_of_an_optional_parameter(use: str, expected: list[str]) -> None:
    assert values(f"def f(v, w: int | None):\n    {use}\n") == expected


def test_an_unknown_value_that_is_tested_for_an_int() -> None:
    assert values("def f(w):\n    if not isinstance(w, int): probe(w)") == ["IntImm or other TIR expression"]
    assert values("def f(w):\n    if isinstance(w, int): w = T.int32(w)\n    probe(w)") == [
        "IntImm or other TIR expression"
    ]


def test_a_name_that_a_loop_computes_from_itself_is_among_others_an_int() -> None:
    found = values("w = 1\nfor i in a: w *= 2\nprobe(w)")
    assert {"int 1", "int 2"} <= set(found) <= {"int 1", "int 2", "int", "unknown"}


@pytest.mark.parametrize(
    "text",
    [
        "x0 = 4\n" + "".join(f"x{number + 1} = x{number}\n" for number in range(2000)) + "probe(x2000)\n",
        "x0 = 4\n" + "".join(f"x{number + 1} = x{number} + x{number}\n" for number in range(60)) + "probe(x60)\n",
        "x0 = 4\n"
        + "".join(f"x{number + 1} = x{number} if a else -x{number}\n" for number in range(60))
        + "probe(x60)\n",
        "".join(f"def f{number}(n): return f{number * 7 % 50}(n) or f{number * 3 % 50}(n)\n" for number in range(50))
        + "probe(f0(1))\n",
        f"probe({' + '.join(['4'] * 300)})\n",
        f"probe({'4 if a else ' * 60}2)\n",
        "w = 1\n" + "w *= 2\n" * 500 + "probe(w)\n",
        "w = 1\nfor i in a:\n" + "    w *= 2\n" * 200 + "probe(w)\n",
    ],
    ids=["a chain", "sums", "choices", "mutual calls", "a long sum", "long choices", "augmented", "in a loop"],
)
def test_long_and_tangled_programs_end(text: str) -> None:
    assert values(text)
