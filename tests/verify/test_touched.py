from __future__ import annotations

import pytest

from tl_lint.verify.touched import touches

FILE = """
import tilelang.language as T

WIDTH = 4
OPTIONS = {"coalesced_width": 4}


def helper():
    return WIDTH


def first(n):
    return helper() + n


def second():
    return OPTIONS


class Holder:
    def method(self):
        return 1


if WIDTH:

    def conditional():
        return WIDTH
"""


@pytest.mark.parametrize("kernel", ["first", "second", "Holder.method", "conditional"])
@pytest.mark.parametrize(
    ("before", "after"), [("WIDTH = 4", "WIDTH = 4  # lanes"), ("import tilelang.language as T", "import tilelang")]
)
def test_comments_and_imports_are_no_change(kernel: str, before: str, after: str) -> None:
    assert not touches(FILE, FILE.replace(before, after), kernel)


@pytest.mark.parametrize(
    ("before", "after", "touched"),
    [
        ("return helper() + n", "return helper() - n", {"first"}),
        ("return WIDTH\n\n\ndef first", "return 0\n\n\ndef first", {"first"}),
        ("WIDTH = 4", "WIDTH = T.int32(4)", {"first", "conditional"}),
        ('{"coalesced_width": 4}', "{}", {"second"}),
        ("return OPTIONS", "return {}", {"second"}),
        ("return 1", "return 2", {"Holder.method"}),
    ],
)
def test_a_change_touches_what_uses_it(before: str, after: str, touched: set[str]) -> None:
    kernels = ["first", "second", "Holder.method", "conditional"]
    assert {kernel for kernel in kernels if touches(FILE, FILE.replace(before, after), kernel)} == touched


def test_what_fills_a_dict_is_part_of_it() -> None:
    text = FILE + '\nOPTIONS["coalesced_width"] = 2\n'
    assert touches(text, text.replace('"] = 2', '"] = T.int32(2)'), "second")
    assert not touches(text, text.replace('"] = 2', '"] = T.int32(2)'), "Holder.method")


def test_a_name_of_its_own_is_not_the_module_s() -> None:
    text = (
        FILE
        + """

def outer():
    def main():
        return 1

    return main


def main():
    return second()
"""
    )
    changed = text.replace("return second()", "return first(2)")
    assert not touches(text, changed, "outer")
    assert touches(text, changed, "main")


def test_a_default_is_read_outside() -> None:
    text = "w = 4\ndef kernel(w=w):\n    return w\n"
    assert touches(text, text.replace("w = 4", "w = T.int32(4)"), "kernel")
