"""What a parameter can be: by annotation, default and the calls in the same file."""

from __future__ import annotations

import pytest

from tests.support import file_of, probe
from tl_lint.arithmetic import Value

HEADER = """
from typing import Annotated, Literal, Optional, Union
import typing
import numpy as np
import tilelang.language as T
"""


def shown(values: frozenset[Value]) -> list[str]:
    """Return values as `int 4`, with a question mark where a caller could pass something else."""
    return sorted(
        f"{each.kind.value}{'' if each.number is None else f' {each.number}'}{'' if each.proved else '?'}"
        for each in values
    )


def parameter(signature: str, calls: str = "", returns: str = "") -> list[str]:
    """Return what `w` can be in `def f(<signature>)`, with `calls` below it."""
    file = file_of(f"{HEADER}\ndef f({signature}){returns}:\n    probe(w)\n{calls}\n")
    return shown(file.values.evaluate(probe(file.tree)))


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        # nothing is known
        ("w", ["unknown"]),
        ("w: Unknown", ["unknown"]),
        ("w: 'Unknown | int'", ["unknown"]),
        ("w: int | Unknown", ["unknown"]),
        ("w: list[int]", ["unknown"]),
        ("w: typing.Any", ["unknown"]),
        ("*w", ["unknown"]),
        ("**w", ["unknown"]),
        ("*w: int", ["unknown"]),
        ("w=None", ["None", "unknown"]),
        # by annotation
        ("w: int", ["int?"]),
        ("w: bool", ["bool?"]),
        ("w: float", ["float?"]),
        ("w: str", ["str?"]),
        ("w: np.int32", ["int?"]),
        ("w: 'int'", ["int?"]),
        ("w: Optional[int]", ["None", "int?"]),
        ("w: typing.Optional[int]", ["None", "int?"]),
        ("w: int | None", ["None", "int?"]),
        ("w: None | int", ["None", "int?"]),
        ("w: 'int | None'", ["None", "int?"]),
        ("w: 'Optional[int]'", ["None", "int?"]),
        ("w: Union[int, None]", ["None", "int?"]),
        ("w: Union[int, float]", ["float?", "int?"]),
        ("w: int | str", ["int?", "str?"]),
        ("w: Literal[2, 4]", ["int 2?", "int 4?"]),
        ("w: Literal[2, None]", ["None", "int 2?"]),
        ("w: Annotated[int, 'meaning']", ["int?"]),
        ("w: T.IntImm", ["IntImm?"]),
        ("w: T.IntImm | None", ["IntImm?", "None"]),
        ("w: int | T.IntImm", ["IntImm?", "int?"]),
        # by default
        ("w=4", ["int 4?"]),
        ("w=4.0", ["float?"]),
        ("w=T.int32(4)", ["IntImm 4?"]),
        ("*, w=4", ["int 4?"]),
        ("w=4, /", ["int 4?"]),
        # by both
        ("w: int = 4", ["int 4?", "int?"]),
        ("w: int = None", ["None", "int?"]),
        ("w: Optional[int] = None", ["None", "int?"]),
        ("w: Unknown = 4", ["int 4?"]),
    ],
)
def test_by_its_declaration(signature: str, expected: list[str]) -> None:
    assert parameter(signature) == expected


@pytest.mark.parametrize(
    ("signature", "calls", "expected"),
    [
        ("w", "f(4)", ["int 4?"]),
        ("w", "f(w=4)", ["int 4?"]),
        ("w", "f(T.int32(4))", ["IntImm 4?"]),
        ("w", "f(4)\nf(T.int32(2))", ["IntImm 2?", "int 4?"]),
        ("w", "f(None)", ["None"]),
        ("w", "f(unknown)", ["unknown"]),
        ("w", "f(*unknown)", ["unknown"]),
        ("w", "f(**unknown)", ["unknown"]),
        ("a, w", "f(1, 2)", ["int 2?"]),
        ("a, w", "f(w=2, a=1)", ["int 2?"]),
        ("a, w", "f(*unknown, 2)", ["unknown"]),
        ("a, w", "f(*unknown, w=2)", ["int 2?"]),
        ("a, /, w", "f(1, 2)", ["int 2?"]),
        ("*, w", "f(w=2)", ["int 2?"]),
        ("w=None", "f()", ["None"]),
        ("w=None", "f(4)", ["None", "int 4?"]),
        ("w=None", "f()\nf(T.int32(4))", ["IntImm 4?", "None"]),
        ("w: int", "f(4)", ["int 4?", "int?"]),
        ("w: int", "f(unknown)", ["int?"]),
        # no call of this function
        ("w", "other(4)", ["unknown"]),
        ("w", "a.f(4)", ["unknown"]),
        ("w", "def g(f): f(4)", ["unknown"]),
        ("w", "f = g\nf(4)", ["unknown"]),
    ],
)
def test_by_the_calls_in_the_file(signature: str, calls: str, expected: list[str]) -> None:
    assert parameter(signature, calls) == expected


def test_a_function_that_calls_itself_with_its_own_parameter() -> None:
    assert "int 4?" in parameter("w", "f(4)\ndef g(): f(4)")
    assert parameter("w=f", "f(f)") != []


def test_lambdas() -> None:
    for text, expected in (("lambda w: probe(w)", ["unknown"]), ("lambda w=4: probe(w)", ["int 4?"])):
        file = file_of(f"f = {text}\n")
        assert shown(file.values.evaluate(probe(file.tree))) == expected


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [("int", ["int?"]), ("'int'", ["int?"]), ("Unknown", ["str"]), ("int | None", ["None", "int?"])],
)
def test_what_a_function_is_said_to_return(annotation: str, expected: list[str]) -> None:
    file = file_of(f"def f() -> {annotation}:\n    return 'a'\nprobe(f())\n")
    assert shown(file.values.evaluate(probe(file.tree))) == expected


def test_an_annotated_assignment_of_something_unknown() -> None:
    file = file_of("def f(a):\n    w: int = a\n    probe(w)\n")
    assert shown(file.values.evaluate(probe(file.tree))) == ["int?"]
