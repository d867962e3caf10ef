"""Which width a call reads, which numbers are none, and what is said where nothing can be spelled."""

from __future__ import annotations

import libcst as cst
import pytest

from tests.support import HEADER, file_of, probe
from tl_lint.coalesced_width import TAKERS, is_bad, judged, width_of
from tl_lint.int_imm import Verdict


@pytest.mark.parametrize("number", [1, 2, 4, 8, 1 << 40])
def test_widths(number: int) -> None:
    assert not is_bad(number)


@pytest.mark.parametrize("number", [0, -1, -4, 3, 6, 12, (1 << 40) + 1])
def test_bad_widths(number: int) -> None:
    assert is_bad(number)


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
    width = width_of(file, node)
    assert (None if width is None else [file.code(each.value) for each in width.read]) == read
    assert width_of(file, node) is width


def test_a_loop_layout_dictates_the_copies_too() -> None:
    """Measured on 0.1.13 and 0.1.15: with loop_layout= a T.copy never reads its width either."""
    file = file_of(f"{HEADER}probe(T.copy(a, b, coalesced_width=0, loop_layout=c))\n")
    node = probe(file.tree)
    assert isinstance(node, cst.Call)
    assert width_of(file, node) is None


def test_the_functions_that_take_a_width() -> None:
    assert {"Parallel", "copy", "async_copy", "copy_cluster"} <= TAKERS


@pytest.mark.parametrize(
    ("text", "verdict", "instead"),
    [
        (
            "import tilelang.language as lang\nprobe(lang.Parallel(4, coalesced_width=True))",
            "IS_NOT",
            'lang.IntImm("int32", 4)',
        ),
        (
            "from tilelang.language import Parallel, IntImm as I\nprobe(Parallel(4, coalesced_width='4'))",
            "IS_NOT",
            'I("int32", 4)',
        ),
        (
            "def f(v, int32):\n    from tilelang.language import Parallel\n    probe(Parallel(4, coalesced_width=v))",
            "MAY_BE_INT",
            "T.int32(v)",
        ),
    ],
)
def test_what_to_write_is_said_in_the_words_of_the_file(text: str, verdict: str, instead: str) -> None:
    file = file_of(text)
    found = judged(file, probe(file.tree), Verdict[verdict])
    assert found is not None
    assert found.fix is None
    assert found.instead == instead
