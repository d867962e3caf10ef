"""Attributes: constants of classes and enums of the same file, and of well-known modules."""

from __future__ import annotations

import pytest

from tests.support import clean, file_of, probe
from tests.test_parameters import shown

HEADER = """
import enum
import math
import sys
from enum import IntEnum, IntFlag, Enum
import numpy as np
import tilelang.language as T
"""


def values(text: str) -> list[str]:
    file = file_of(HEADER + clean(text))
    return shown(file.values.evaluate(probe(file.tree)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # nothing is known
        ("probe(a.b)", ["unknown"]),
        ("probe(a.b.c)", ["unknown"]),
        ("probe(f().a)", ["unknown"]),
        ("import a\nprobe(a.b)", ["unknown"]),
        ("class A: pass\nprobe(A.b)", ["unknown"]),
        ("class A: b: int\nprobe(A.b)", ["unknown"]),
        ("class A:\n    b = 1\nA = f()\nprobe(A.b)", ["unknown"]),
        ("class A:\n    b = 1\nprobe(A().b)", ["unknown"]),
        ("class A:\n    b = 1\nprobe(A.B.b)", ["unknown"]),
        # stored elsewhere, or more than once
        ("class A:\n    b = 1\nA.b = T.int32(2)\nprobe(A.b)", ["unknown"]),
        ("class A:\n    b = 1\nother.b = 2\nprobe(A.b)", ["unknown"]),
        ("class A:\n    b = 1\n    def f(self): self.b = 2\nprobe(A.b)", ["unknown"]),
        ("class A:\n    b = 1\n    if a: b = 2\nprobe(A.b)", ["unknown"]),
        ("class A:\n    b = 1\nA.b += 1\nprobe(A.b)", ["unknown"]),
        ("class A:\n    b = 1\nA.b: int = 2\nprobe(A.b)", ["unknown"]),
        # a constant of a class
        ("class A:\n    b = 4\nprobe(A.b)", ["int 4"]),
        ("class A:\n    b: int = 4\nprobe(A.b)", ["int 4"]),
        ("class A:\n    b = T.int32(4)\nprobe(A.b)", ["IntImm 4"]),
        ("class A:\n    b = 2\n    c = b * 2\nprobe(A.c)", ["int 4"]),
        ("class A:\n    b = 4\nclass B(A): pass\nprobe(B.b)", ["int 4"]),
        ("class A:\n    b = 4\nclass B(A):\n    b = 'x'\nprobe(B.b)", ["str"]),
        ("class A:\n    b = 4\nclass B(A, A): pass\nprobe(B.b)", ["int 4"]),
        ("class A:\n    b = 4\n    def f(self): probe(self.b)", ["int 4?"]),
        ("class A:\n    b = 4\n    @classmethod\n    def f(cls): probe(cls.b)", ["int 4?"]),
        ("class A:\n    def b(self): pass\nprobe(A.b)", ["unknown"]),
        # enums: a member of an IntEnum is an int, of others an object
        ("class A(IntEnum):\n    B = 4\nprobe(A.B)", ["int 4"]),
        ("class A(enum.IntFlag):\n    B = 4\nprobe(A.B)", ["int 4"]),
        ("class A(Enum):\n    B = 4\nprobe(A.B)", ["another object"]),
        ("class A(Enum):\n    B = 4\nprobe(A.B.value)", ["int 4"]),
        ("class A(IntEnum):\n    B = 4\nprobe(A.B.value)", ["int 4"]),
        ("class A(Enum):\n    B = 'x'\nprobe(A.B.value)", ["str"]),
        ("class A(Enum):\n    B = 4\nprobe(A.C.value)", ["unknown"]),
        ("class A(Enum):\n    B = 4\nprobe(A.B.name)", ["unknown"]),
        # in circles
        ("class A(A): pass\nprobe(A.b)", ["unknown"]),
        ("class A(B): pass\nclass B(A): pass\nprobe(A.b)", ["unknown"]),
        ("class A:\n    b = A.b\nprobe(A.b)", ["unknown"]),
        # modules
        ("probe(math.pi)", ["float"]),
        ("probe(np.inf)", ["float"]),
        ("probe(sys.maxsize)", ["int"]),
        ("probe(math.unknown)", ["unknown"]),
        ("probe(T.int32)", ["another object"]),
    ],
)
def test_an_attribute(text: str, expected: list[str]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    "change",
    [
        "setattr(A, 'b', x)",
        "setattr(A, name, x)",
        "setattr(A, *x)",
        "delattr(A, 'b')",
        "s = setattr",
        "type.__setattr__(A, 'b', x)",
        "monkeypatch.setattr(A, 'b', x)",
        "monkeypatch.setattr('module.A.b', x)",
        "for A.b in x: pass",
        "for c, (A.b, d) in x: pass",
        "[c for A.b in x]",
        "with x as A.b: pass",
        "with x as (c, A.b): pass",
        "del A.b",
        "A.b += 1",
        "A.b: int = x",
        "c, A.b = x",
        "c, *A.b = x",
        "c = A.b = x",
    ],
)
def test_an_attribute_that_is_stored(change: str) -> None:
    assert values(f"class A:\n    b = 4\n{change}\nprobe(A.b)") == ["unknown"]


@pytest.mark.parametrize(
    "use",
    ["setattr(A, 'c', x)", "setattr(A, 'x', 'b')", "x[A.b] = 1", "A.b.c = 1", "for c in A.b: pass", "f(setattr=A)"],
)
def test_an_attribute_that_is_not_stored(use: str) -> None:
    assert values(f"class A:\n    b = 4\n{use}\nprobe(A.b)") == ["int 4"]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("class A:", ["int 4"]),
        ("class A(object):", ["int 4"]),
        ("class A(Protocol):", ["int 4"]),
        ("class A(Generic[X]):", ["int 4"]),
        ("class A(Known, option=1):", ["int 4"]),
        ("@dataclass\nclass A:", ["int 4"]),
        ("@dataclass(frozen=True)\nclass A:", ["int 4"]),
        ("@dataclass(slots=True)\nclass A:", ["unknown"]),
        ("@unknown\nclass A:", ["unknown"]),
        ("@dataclass\n@unknown()\nclass A:", ["unknown"]),
        ("class A(metaclass=Unknown):", ["unknown"]),
        ("class A(**x):", ["unknown"]),
        ("class A(*x):", ["unknown"]),
        ("class A(Unknown):", ["unknown"]),
        ("class A(Known, Unknown):", ["unknown"]),
        ("class A(Changed):", ["unknown"]),
    ],
)
def test_what_can_change_a_class(head: str, expected: list[str]) -> None:
    classes = "class Known: pass\nclass Changed(metaclass=Unknown): pass\n"
    imports = "from dataclasses import dataclass\nfrom typing import Generic, Protocol\n"
    assert values(f"{imports}{classes}{head}\n    b: int = 4\nprobe(A.b)") == expected


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        ("class B(A): pass\nclass D(B): pass", ["int 4"]),
        ("class B(A): pass\nclass C(A): pass\nclass D(B, C): pass", ["int 4"]),
        ("class B(A): pass\nclass C(A):\n    b = 'x'\nclass D(B, C): pass", ["unknown"]),
        ("class D(unknown, A): pass", ["unknown"]),
        ("class D(A, unknown): pass", ["unknown"]),
        ("@unknown\nclass D(A): pass", ["unknown"]),
        ("class B(int): pass\nclass D(B, A): pass", ["int 4"]),
    ],
)
def test_constants_of_base_classes(classes: str, expected: list[str]) -> None:
    assert values(f"class A:\n    b = 4\n{classes}\nprobe(D.b)") == expected


def test_an_attribute_that_a_builtin_base_may_have() -> None:
    assert values("class A:\n    real = 4\nclass D(int, A): pass\nprobe(D.real)") == ["unknown"]


def test_a_field_of_a_named_tuple_is_no_constant_of_the_class() -> None:
    named = "from typing import NamedTuple\nclass A(NamedTuple):\n    b: int = 4\n    c = 2\n"
    assert values(f"{named}probe(A.b)") == ["unknown"]
    assert values(f"{named}probe(A.c)") == ["int 2"]


@pytest.mark.parametrize(
    ("head", "member", "value"),
    [
        ("class A(int, Enum):", ["int 4"], ["int 4"]),
        ("class A(int, enum.Flag):", ["int 4"], ["int 4"]),
        ("@enum.unique\nclass A(IntEnum):", ["int 4"], ["int 4"]),
        ("class A(IntFlag, boundary=enum.KEEP):", ["int 4"], ["int 4"]),
        ("class Z(Enum): pass\nclass A(Z):", ["another object"], ["int 4"]),
        ("class Z(IntEnum): pass\nclass A(Z):", ["int 4"], ["int 4"]),
        ("class A(str, Enum):", ["unknown"], ["unknown"]),
        ("class A(Unknown, Enum):", ["unknown"], ["unknown"]),
        ("@unknown\nclass A(Enum):", ["unknown"], ["unknown"]),
        ("class A(Enum):\n    def __new__(cls, x): return f(x)", ["unknown"], ["unknown"]),
    ],
)
def test_members_of_enums(head: str, member: list[str], value: list[str]) -> None:
    assert values(f"{head}\n    B = 4\nprobe(A.B)") == member
    assert values(f"{head}\n    B = 4\nprobe(A.B.value)") == value


def test_an_enum_of_ints_makes_ints_of_what_is_written() -> None:
    assert values("class A(IntEnum):\n    B = True\nprobe(A.B)") == ["int 1"]
    assert values("class A(IntEnum):\n    B = '4'\nprobe(A.B)") == ["unknown"]
    assert values("class A(IntEnum):\n    B = T.int32(4)\nprobe(A.B)") == ["unknown"]
    assert values("class A(Enum):\n    B = enum.nonmember(4)\nprobe(A.B)") == ["unknown"]


def test_a_long_line_of_base_classes_ends() -> None:
    classes = "".join(f"class A{number + 1}(A{number}, A{number}): pass\n" for number in range(2000))
    assert values(f"class A0:\n    b = 4\n{classes}probe(A2000.b)") == ["int 4"]
    assert values(f"class A0: pass\n{classes}probe(A2000.b)") == ["unknown"]
