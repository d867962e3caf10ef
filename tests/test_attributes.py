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
        ("class A:\n    b = 4\nclass B(a.C, A): pass\nprobe(B.b)", ["int 4"]),
        ("class A:\n    b = 4\n    def f(self): probe(self.b)", ["int 4?"]),
        ("class A:\n    b = 4\n    @classmethod\n    def f(cls): probe(cls.b)", ["int 4?"]),
        ("class A:\n    def b(self): pass\nprobe(A.b)", ["another object"]),
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


def test_a_long_line_of_base_classes_ends() -> None:
    classes = "".join(f"class A{number + 1}(A{number}, A{number}): pass\n" for number in range(2000))
    assert values(f"class A0:\n    b = 4\n{classes}probe(A2000.b)") == ["int 4"]
    assert values(f"class A0: pass\n{classes}probe(A2000.b)") == ["unknown"]
