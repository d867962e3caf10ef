"""The kernel model: the width that a call reads, and messages that fit on a line."""

from __future__ import annotations

import libcst as cst
import pytest

from tests.support import HEADER, file_of, probe
from tl_lint.kernels import WIDTH_TAKERS, fitted


@pytest.mark.parametrize(
    ("call", "read"),
    [
        ("other(4, coalesced_width=4)", None),
        ("T.serial(4, coalesced_width=4)", None),
        ("T.Parallel(4)", None),
        ("T.Parallel(4, coalesced_width=4, loop_layout=a)", None),
        ("T.Parallel(4, annotations=a)", []),
        ("T.Parallel(4, coalesced_width=4)", ["4"]),
        ("T.Parallel(4, coalesced_width=4, loop_layout=None)", ["4"]),
        ("T.Parallel(4, coalesced_width=a, annotations={'coalesced_width': b})", ["a"]),
        ("T.Parallel(4, coalesced_width=None, annotations={'coalesced_width': b})", ["b"]),
        ("T.copy(a, b, coalesced_width=c, annotations={'coalesced_width': d})", ["d"]),
    ],
)
def test_the_width_that_is_read(call: str, read: list[str] | None) -> None:
    file = file_of(f"{HEADER}probe({call})\n")
    node = probe(file.tree)
    assert isinstance(node, cst.Call)
    width = file.coalesced_width(node)
    assert (None if width is None else [file.code(each.value) for each in width.read]) == read
    assert file.coalesced_width(node) is width


def test_a_loop_layout_dictates_the_copies_too() -> None:
    """Measured on 0.1.13 and 0.1.15: with loop_layout= a T.copy never reads its width either."""
    file = file_of(f"{HEADER}probe(T.copy(a, b, coalesced_width=0, loop_layout=c))\n")
    node = probe(file.tree)
    assert isinstance(node, cst.Call)
    assert file.coalesced_width(node) is None


def test_code_is_put_on_one_line() -> None:
    file = file_of("probe(f(\n    1,  # one\n    2))\n")
    assert file.code(probe(file.tree)) == "f( 1, # one 2)"


def test_the_kernel_around_a_node() -> None:
    file = file_of(f"{HEADER}@T.prim_func\ndef f():\n    probe(1)\n")
    found = file.kernel(probe(file.tree))
    assert found is not None
    assert found[0].name.value == "f"
    assert file.kernel(file.tree.module) is None


def test_the_functions_that_take_a_width() -> None:
    assert {"Parallel", "copy", "async_copy", "copy_cluster"} <= WIDTH_TAKERS


@pytest.mark.parametrize(("quoted", "last"), [("a", "b"), ("a" * 500, "b"), ("a", "b" * 500), ("a" * 500, "b" * 500)])
def test_a_message_fits_on_a_line(quoted: str, last: str) -> None:
    message = fitted("something is wrong with `{}`; write `{}`", quoted, last)
    assert len(message) < 120
    assert message.startswith("something is wrong with `a")
    assert "; write `b" in message
    assert ("..." in message) == (len(quoted) > 100 or len(last) > 100)


def test_braces_in_what_is_quoted_are_kept() -> None:
    assert fitted("`{}`{}", "{x}", "{y}") == "`{x}`{y}"
