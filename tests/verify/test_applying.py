"""Which fixes are written: those of kernels that were confirmed or harmless, in files where none was rejected."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import clean
from tests.verify_rows import row
from tl_lint.config import Settings
from tl_lint.fixer import WriteError, write_atomically
from tl_lint.releases import Target
from tl_lint.source import Source
from tl_lint.verify.applying import Applied, LeftFix, apply, planned
from tl_lint.verify.model import Row, Verdict
from tl_lint.verify.options import VerifyFile

SETTINGS = Settings(target=Target.parse("all"))
PATH = "/p/a.py"

TWO = clean(
    """
    import tilelang
    import tilelang.language as T


    @T.prim_func
    def first(a: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=64) as bx:
            for i in T.Parallel(256, coalesced_width=4):
                a[i] = 1.0


    @T.prim_func
    def second(a: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=64) as bx:
            for i in T.Parallel(256, coalesced_width=2):
                a[i] = 1.0
    """
)

MACRO = clean(
    """
    import tilelang.language as T


    @T.macro
    def used(a):
        for i in T.Parallel(256, coalesced_width=4):
            a[i] = 1.0


    @T.macro
    def unused(a):
        for i in T.Parallel(256, coalesced_width=8):
            a[i] = 1.0


    @T.macro
    def indirect(a):
        used(a)


    @T.prim_func
    def first(a: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=64) as bx:
            for i in T.Parallel(256, coalesced_width=2):
                a[i] = 2.0
            indirect(a)
    """
)


def file(text: str, path: str = PATH) -> VerifyFile:
    return VerifyFile(path, "a.py", Source(path, text.encode()), SETTINGS)


def rows(**verdicts: Verdict) -> list[Row]:
    return [row(verdict, name) for name, verdict in verdicts.items()]


def wrapped(text: str, *widths: int) -> bytes:
    """Return the text with these widths wrapped, as the fixes write them."""
    for width in widths:
        text = text.replace(f"coalesced_width={width})", f'coalesced_width=T.IntImm("int32", {width}))')
    return text.encode()


@pytest.mark.parametrize("verdict", [Verdict.FIX_CONFIRMED, Verdict.FIX_HARMLESS])
def test_proved_fixes_are_made(verdict: Verdict) -> None:
    plan = planned(file(TWO), rows(first=verdict, second=Verdict.FIX_CONFIRMED))
    assert plan == Applied(PATH, "a.py", {"TLC001": 2}, TWO.encode(), wrapped(TWO, 4, 2))


def test_one_rejected_fix_leaves_the_whole_file() -> None:
    plan = planned(file(TWO), rows(first=Verdict.FIX_CONFIRMED, second=Verdict.FIX_REJECTED))
    assert plan == Applied(PATH, "a.py", trouble="a fix was rejected: second")


def test_one_rejected_set_of_arguments_is_enough() -> None:
    both = [row(Verdict.FIX_CONFIRMED, "first", args="M=1"), row(Verdict.FIX_REJECTED, "first", args="M=2")]
    assert planned(file(TWO), both).after is None


@pytest.mark.parametrize("verdict", [Verdict.NOT_INSTANTIATED, Verdict.NOT_REACHED])
def test_fixes_of_kernels_that_were_not_judged_are_left_and_named(verdict: Verdict) -> None:
    plan = planned(file(TWO), rows(first=Verdict.FIX_CONFIRMED, second=verdict))
    assert plan.made == {"TLC001": 1}
    assert plan.after == wrapped(TWO, 4)
    assert plan.left == (LeftFix("TLC001", 15, f"second is {verdict.value}"),)


def test_arguments_that_did_not_build_it_do_not_spoil_those_that_did() -> None:
    both = [row(Verdict.FIX_CONFIRMED, "first", args="M=1"), row(Verdict.NOT_INSTANTIATED, "first", args="M=2")]
    assert planned(file(TWO), both).after == wrapped(TWO, 4)


def test_a_kernel_that_was_left_out_is_left_alone() -> None:
    plan = planned(file(TWO), rows(second=Verdict.FIX_CONFIRMED))
    assert plan.after == wrapped(TWO, 2)
    assert plan.left == (LeftFix("TLC001", 8, "first was not verified"),)


def test_what_a_proved_kernel_uses_is_fixed_with_it_and_nothing_else() -> None:
    plan = planned(file(MACRO), rows(first=Verdict.FIX_CONFIRMED))
    assert plan.after == wrapped(MACRO, 4, 2)
    assert plan.left == (LeftFix("TLC001", 12, "it touches no kernel that was verified"),)


def test_nothing_to_fix_says_nothing() -> None:
    plan = planned(file(wrapped(TWO, 4, 2).decode()), rows(first=Verdict.OK, second=Verdict.OK))
    assert not plan.says_something
    assert planned(file(TWO), []).left[0].reason == "first was not verified"


def test_the_bytes_that_no_fix_owns_stay() -> None:
    odd = TWO.replace("\n", "\r\n").replace("a[i] = 1.0", "a[i] = 1.0  \t# \N{GREEK SMALL LETTER PI}", 1)
    source = Source(PATH, b"\xef\xbb\xbf" + odd.encode())
    plan = planned(VerifyFile(PATH, "a.py", source, SETTINGS), rows(first=Verdict.FIX_CONFIRMED))
    assert plan.after == b"\xef\xbb\xbf" + wrapped(odd, 4)


def test_unsafe_fixes_only_where_they_are_wanted() -> None:
    text = TWO.replace("coalesced_width=4", "coalesced_width=w").replace("def first(", "def first(w, ")
    text = text.replace("@T.prim_func\ndef first", "@tilelang.jit\ndef first")
    settings = [Settings(target=SETTINGS.target, unsafe_fixes=unsafe) for unsafe in (False, True)]
    source = Source(PATH, text.encode())
    made = [
        planned(VerifyFile(PATH, "a.py", source, each), rows(first=Verdict.FIX_CONFIRMED)).made for each in settings
    ]
    assert made == [{}, {"TLC002": 1}]


def test_the_file_is_written_at_once_or_not_at_all(tmp_path: Path) -> None:
    place = tmp_path / "a.py"
    place.write_text(TWO)
    given = file(TWO, str(place))
    confirmed = [row(Verdict.FIX_CONFIRMED, name, str(place)) for name in ("first", "second")]
    assert apply(given, confirmed, write_atomically).made == {"TLC001": 2}
    assert place.read_bytes() == wrapped(TWO, 4, 2)
    # By now it is not what was verified any more.
    again = apply(given, confirmed, write_atomically)
    assert (again.unwritten, again.made, again.after) == (True, {}, None)
    assert again.trouble.startswith("cannot be written: ") and "changed since it was read" in again.trouble
    assert place.read_bytes() == wrapped(TWO, 4, 2)


def test_nothing_is_written_where_nothing_is_to_be(tmp_path: Path) -> None:
    def refuse(path: str, data: bytes, expected: bytes) -> None:
        raise WriteError("must not be called")

    plan = apply(file(TWO), rows(first=Verdict.FIX_REJECTED), refuse)
    assert plan.trouble == "a fix was rejected: first"
    assert not plan.unwritten
