"""Fixing: what is applied, what waits, what is given up, and that no other byte changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import ClassVar

import libcst as cst
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tl_lint.config import Settings
from tl_lint.fixer import FixResult, fix, splice
from tl_lint.kernels import File
from tl_lint.model import Applicability, Diagnostic, Edit
from tl_lint.rule import FixPlan, Replacement, Report, Rule
from tl_lint.source import Source


class Verbatim(cst.Name):
    """Any text in the place of a name, as a careless rule might build it."""

    def _validate(self) -> None:
        pass


class Rewrite(Rule):
    """Reports a name; where there is a new spelling, offers it."""

    summary = "a name for tests"
    releases = ">=0.1.8"
    triggers = (b"tilelang",)
    node_types: ClassVar[tuple[type[cst.CSTNode], ...]] = (cst.Name,)
    fixable = Applicability.SAFE

    def __init__(self, code: str, old: str, new: str | None, how: Applicability = Applicability.SAFE) -> None:
        vars(self).update(code=code, name=f"no-{old}", old=old, new=new, how=how)
        self.old, self.new, self.how = old, new, how

    def check(self, node: cst.CSTNode, file: File) -> Iterator[Report]:
        """Report `node` if it is the name."""
        if isinstance(node, cst.Name) and node.value == self.old:
            plan = FixPlan("Rename", self.replacements(node, file), self.how) if self.new is not None else None
            yield self.report(node, f"{self.old} is here", plan)

    def replacements(self, node: cst.Name, file: File) -> tuple[Replacement, ...]:
        """Return what the fix consists of; the new spelling needs not be a name."""
        assert self.new is not None
        return (Replacement(node, (Verbatim(self.new),)),)


def run(data: bytes, *rules: Rule, unsafe: bool = False) -> FixResult:
    """Fix a file with rules of the test."""
    return fix(Source("x.py", data), Settings(rules=rules, unsafe_fixes=unsafe))


def is_untouched(result: FixResult, data: bytes, *codes: str) -> bool:
    """Return whether the file was left alone and `codes` were named."""
    return (
        result.source.data == data
        and not result.applied
        and result.refused == codes
        and (result.reason is not None) is bool(codes)
    )


BAD = Rewrite("TLC101", "bad", "good")


# ---------------------------------------------------------------------- no-ops


def test_without_a_finding_the_source_comes_back_itself() -> None:
    source = Source("x.py", b"import tilelang\n")
    result = fix(source, Settings(rules=(BAD,)))
    assert result.source is source
    assert (result.applied, list(result.remaining), result.refused, result.reason) == (Counter(), [], (), None)


def test_a_finding_without_a_fix_remains() -> None:
    data = b"import tilelang\nbad\n"
    result = run(data, Rewrite("TLC101", "bad", None))
    assert is_untouched(result, data)
    assert [found.code for found in result.remaining] == ["TLC101"]


@pytest.mark.parametrize("how", [Applicability.UNSAFE, Applicability.DISPLAY])
def test_a_fix_that_is_not_safe_is_not_applied(how: Applicability) -> None:
    data = b"import tilelang\nbad\n"
    assert is_untouched(run(data, Rewrite("TLC101", "bad", "good", how)), data)


def test_a_fix_for_display_is_never_applied() -> None:
    data = b"import tilelang\nbad\n"
    assert is_untouched(run(data, Rewrite("TLC101", "bad", "good", Applicability.DISPLAY), unsafe=True), data)


@pytest.mark.parametrize("text", ["bad  # noqa\n", "bad  # noqa: TLC1\n", "bad\n# flake8: noqa\n", "'bad'  # bad\n"])
def test_what_is_silenced_or_no_finding_is_not_fixed(text: str) -> None:
    data = b"import tilelang\n" + text.encode()
    assert is_untouched(run(data, BAD), data)


@pytest.mark.parametrize(
    "data", [b"", b"import tilelang\nbad = (\n", b"import tilelang\nbad = '\xff'\n", b"tilelang\0bad"]
)
def test_what_cannot_be_analysed_is_left_alone(data: bytes) -> None:
    assert is_untouched(run(data, BAD), data)


# ---------------------------------------------------------------------- rewrites


def test_safe_fixes_are_applied_and_counted() -> None:
    result = run(b"import tilelang\nbad(bad, other)\n", BAD)
    assert result.source.data == b"import tilelang\ngood(good, other)\n"
    assert result.applied == Counter({"TLC101": 2})
    assert not result.remaining
    assert run(result.source.data, BAD).source.data == result.source.data


def test_unsafe_fixes_are_applied_when_asked_for() -> None:
    result = run(b"import tilelang\nbad\n", Rewrite("TLC101", "bad", "good", Applicability.UNSAFE), unsafe=True)
    assert result.source.data == b"import tilelang\ngood\n"


ENCODINGS = {
    "utf-8": ("", "utf-8"),
    "mark": ("", "utf-8-sig"),
    "latin-1": ("# coding: latin-1\n", "latin-1"),
    "shift-jis": ("# coding: shift_jis\n", "shift_jis"),
}
PIECES = st.sampled_from(
    [
        "bad",
        "bad()",
        "(bad)",
        "x = bad",
        "if x:\n\tbad",
        "'''\x0c\n\x1c'''",
        "# bad",
        "\x0c",
        "",
        "x = 1 + \\\n bad",
        "[bad,\n\n  # c\n bad]",
    ]
)


@settings(deadline=None)
@given(
    st.lists(PIECES),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\n", " ", "# end"]),
    st.sampled_from(list(ENCODINGS)),
)
def test_every_other_byte_stays(pieces: list[str], newline: str, end: str, name: str) -> None:
    cookie, codec = ENCODINGS[name]
    character = "カ" if codec != "latin-1" else "é"
    text = "\n".join([f"{cookie}import tilelang; y = '{character}'", *pieces, end]).replace("\n", newline)
    result = run(text.encode(codec), BAD)
    assert result.reason is None
    comments = text.replace("# bad", "# kept")
    assert result.source.data == comments.replace("bad", "good").replace("# kept", "# bad").encode(codec)
    assert not result.remaining


def test_a_fix_that_touches_another_waits_for_the_next_round() -> None:
    class Call(Rewrite):
        """Rewrites the whole call of a name."""

        node_types = (cst.Call,)

        def check(self, node: cst.CSTNode, file: File) -> Iterator[Report]:
            """Report `node` if it calls the name."""
            if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == self.old:
                assert self.new is not None
                new = node.with_changes(func=cst.Name(self.new))
                yield self.report(node, "a call", FixPlan("Rename", (Replacement(node, (new,)),), self.how))

    result = run(b"import tilelang\nold(bad, old(bad))\n", Call("TLC102", "old", "new"), BAD)
    assert result.source.data == b"import tilelang\nnew(good, new(good))\n"
    assert result.applied == Counter({"TLC101": 2, "TLC102": 2})


class Imported(Rewrite):
    """Needs a name in the import statement too."""

    def replacements(self, node: cst.Name, file: File) -> tuple[Replacement, ...]:
        """Return the new name and, if it is missing, the import of it."""
        (statement,) = [each for each in file.tree.nodes(cst.ImportFrom) if isinstance(each, cst.ImportFrom)]
        assert not isinstance(statement.names, cst.ImportStar)
        assert self.new is not None
        comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        names = [cst.ImportAlias(cst.Name(self.new), comma=comma), *statement.names]
        present = any(each.name.value == self.new for each in statement.names)
        extended = () if present else (Replacement(statement, (statement.with_changes(names=names),)),)
        return (*super().replacements(node, file), *extended)


def test_many_fixes_share_one_import() -> None:
    result = run(b"from tilelang import a\n" + b"bad\n" * 300, Imported("TLC101", "bad", "good"))
    assert result.source.data == b"from tilelang import good, a\n" + b"good\n" * 300
    assert result.applied == Counter({"TLC101": 300})


def test_fixes_that_want_different_imports_follow_each_other() -> None:
    rules = (Imported("TLC101", "bad", "good"), Imported("TLC102", "worse", "better"))
    result = run(b"from tilelang import a\n" + b"bad\nworse\n" * 40, *rules)
    assert result.source.data == b"from tilelang import better, good, a\n" + b"good\nbetter\n" * 40


# ---------------------------------------------------------------------- given up


def test_a_fix_that_breaks_the_syntax_is_given_up() -> None:
    data = b"import tilelang\nbad\n"
    assert is_untouched(run(data, Rewrite("TLC101", "bad", "(")), data, "TLC101")


def test_so_it_is_if_nothing_but_the_fixer_would_look_at_the_file_again() -> None:
    data = b"import tilelang as bad\n"
    rule = Rewrite("TLC101", "tilelang", "(")
    assert is_untouched(run(data, rule), data, "TLC101")


def test_a_fix_that_cannot_be_encoded_is_given_up() -> None:
    data = b"# coding: latin-1\nimport tilelang; bad = '\xe9'\n"
    assert is_untouched(run(data, Rewrite("TLC101", "bad", "张")), data, "TLC101")


def test_a_fix_that_would_be_read_back_as_another_text_is_given_up() -> None:
    data = b"# coding: shift_jis\nimport tilelang; bad\n"
    assert "\xa5n".encode("shift_jis") == rb"\n"  # the yen sign stands where ASCII has the backslash
    assert is_untouched(run(data, Rewrite("TLC101", "bad", "'\xa5n'")), data, "TLC101")


def test_fixes_that_undo_each_other_are_given_up() -> None:
    data = b"import tilelang\nbad\n"
    result = run(data, BAD, Rewrite("TLC102", "good", "bad"))
    assert result.source.data in (data, b"import tilelang\ngood\n")
    assert "TLC101" in result.refused or "TLC102" in [found.code for found in result.remaining]


def test_a_fix_without_an_end_is_given_up() -> None:
    data = b"import tilelang\nbad\n"
    result = run(data, Rewrite("TLC101", "bad", "bad(1)"))
    assert is_untouched(result, data, "TLC101")
    assert result.reason is not None
    assert "end" in result.reason


def test_a_fix_that_changes_nothing_is_given_up() -> None:
    data = b"import tilelang\nbad\n"
    assert is_untouched(run(data, Rewrite("TLC101", "bad", "bad")), data, "TLC101")


def test_a_fix_that_brings_a_new_finding_is_given_up_and_the_others_are_made() -> None:
    data = b"import tilelang\nbad\nfine\nother\n"
    rules = (BAD, Rewrite("TLC102", "other", "worse"), Rewrite("TLC103", "worse", None))
    result = run(data, *rules)
    assert result.source.data == b"import tilelang\ngood\nfine\nother\n"
    assert result.applied == Counter({"TLC101": 1})
    assert result.refused == ("TLC102",)
    assert result.reason is not None
    assert "TLC103" in result.reason
    assert [found.code for found in result.remaining] == ["TLC102"]


def test_a_finding_that_was_there_already_does_not_count_as_new() -> None:
    result = run(b"import tilelang\nbad\nworse\n", BAD, Rewrite("TLC103", "worse", None))
    assert result.source.data == b"import tilelang\ngood\nworse\n"
    assert [found.code for found in result.remaining] == ["TLC103"]


def test_edits_that_collide_within_one_fix_are_given_up() -> None:
    class Both(Rewrite):
        """Replaces an expression and a part of it."""

        node_types = (cst.Call,)

        def check(self, node: cst.CSTNode, file: File) -> Iterator[Report]:
            """Report every call."""
            assert isinstance(node, cst.Call)
            replacements = (Replacement(node, (cst.Name("a"),)), Replacement(node.func, (cst.Name("b"),)))
            yield self.report(node, "a call", FixPlan("Replace", replacements, self.how))

    data = b"import tilelang\nbad(1)\n"
    assert is_untouched(run(data, Both("TLC101", "bad", "good")), data, "TLC101")


# ---------------------------------------------------------------------- splice


@settings(deadline=None)
@given(st.text(max_size=30), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.text(max_size=3)), max_size=5))
def test_splicing_is_replacing_from_the_end(text: str, steps: list[tuple[int, int, str]]) -> None:
    edits: list[Edit] = []
    position = 0
    for gap, length, new in steps:
        start, end = position + gap, position + gap + length
        if end > len(text):
            break
        edits.append(Edit(start, end, new))
        position = end + 1
    expected = text
    for edit in reversed(edits):
        expected = expected[: edit.start] + edit.text + expected[edit.end :]
    assert splice(text, [*reversed(edits), *edits[:1]]) == expected


# --------------------------------------------------------------------------- picking


def test_only_accepted_fixes_are_made_in_every_round() -> None:
    data = b"import tilelang\nold = old\nold\n"
    chain = (Rewrite("TLC901", "old", "new"), Rewrite("TLC901", "new", "newest"))

    def not_on_line_2(source: Source, found: Diagnostic) -> bool:
        return source.position(found.span.start).line != 2

    result = fix(Source("x.py", data), Settings(rules=chain), not_on_line_2)
    assert result.source.data == b"import tilelang\nold = old\nnewest\n"
    assert [each.code for each in result.remaining] == ["TLC901", "TLC901"]
    assert result.applied == Counter(TLC901=2)


def test_accepting_sees_the_text_of_the_round() -> None:
    seen: list[str] = []

    def accept(source: Source, found: Diagnostic) -> bool:
        seen.append(source.text[found.span.start : found.span.end])
        return True

    chain = (Rewrite("TLC901", "old", "muchlonger"), Rewrite("TLC901", "muchlonger", "x"))
    fix(Source("x.py", b"import tilelang\nold\nold\n"), Settings(rules=chain), accept)
    assert set(seen) == {"old", "muchlonger"}


def test_accepting_nothing_changes_nothing() -> None:
    source = Source("x.py", b"import tilelang\nold\n")
    result = fix(source, Settings(rules=(Rewrite("TLC901", "old", "new"),)), lambda text, found: False)
    assert result.source is source
    assert (result.applied, result.refused, len(result.remaining)) == (Counter(), (), 1)
