"""Bytes to text and back, offsets and places, unreadable files, and noqa next to flake8's own answer."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tl_lint.model import Position
from tl_lint.source import Source, SourceError
from tl_lint.stack import with_deep_stack

READABLE = {
    "empty": b"",
    "a comment": b"# only this",
    "no newline at the end": b"x = 1",
    "CRLF": b"x = 1\r\ny = 2\r\n",
    "mixed newlines": b"x = 1\r\ny = 2\nz = 3\rw = 4",
    "form feeds": b"x = 1\n\x0c\ny = '''\x0c\x1c\xc2\x85\xe2\x80\xa8'''\n",
    "tabs": b"if x:\n\ty = 1\n",
    "a byte order mark": b"\xef\xbb\xbfx = '\xc3\xa9'\n",
    "a mark and its cookie": b"\xef\xbb\xbf# coding: utf-8\nx = 1\n",
    "latin-1": b"# -*- coding: latin-1 -*-\nx = '\xe9'\n",
    "a cookie on the second line": b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n",
    "a cookie and carriage returns": b"# a\r# coding: latin-1\rx = '\xe9'\r",
    "other bytes beside the cookie": b"# \xe9 coding: latin-1 \xe9\nx = '\xe9'\n",
    "shift-jis": "# coding: shift_jis\nx = 'カ'\n".encode("shift_jis"),
    "gb18030": "# coding: gb18030\nx = '张'\n".encode("gb18030"),
    "continuation lines": b"x = 1 + \\\r\n  2\n",
}
UNDECODABLE = {
    "a cookie on the third line": b"\n\n# coding: latin-1\nx = '\xe9'\n",
    "a cookie behind code": b"x = 1\n# coding: latin-1\nx = '\xe9'\n",
    "not UTF-8": b"x = '\xff'\n",
    "an unknown codec": b"# coding: nonsense\n",
    "a codec from bytes to bytes": b"# coding: hex\n",
    "a codec from text to text": b"# coding: rot13\n",
    "two that disagree": b"\xef\xbb\xbf# coding: latin-1\n",
    "a NUL": b"x = 1\0\n",
    "UTF-16": "x = 1\n".encode("utf-16"),
    "half a character": "# coding: shift_jis\nx = 'カ".encode("shift_jis")[:-1],
}


@pytest.mark.parametrize("name", READABLE)
def test_text_goes_back_to_the_same_bytes(name: str) -> None:
    source = Source("x.py", READABLE[name])
    assert source.encode(source.text) == READABLE[name]
    assert not source.text.startswith("\ufeff")


@pytest.mark.parametrize("name", READABLE)
def test_text_parses_and_keeps_every_newline(name: str) -> None:
    source = Source("x.py", READABLE[name])
    module = with_deep_stack(source.parse)
    assert with_deep_stack(source.spans, {module})[module].start == 0
    assert re.findall("\r\n|\r|\n", source.text) == re.findall("\r\n|\r|\n", READABLE[name].decode("latin-1"))


@pytest.mark.parametrize("name", UNDECODABLE)
def test_undecodable_bytes_are_one_line_of_complaint(name: str) -> None:
    source = Source("x.py", UNDECODABLE[name])
    for _ in range(2):  # asked again, it says so again
        with pytest.raises(SourceError) as refused:
            _ = source.text
        assert "\n" not in refused.value.message
        assert not refused.value.unreadable
    assert source.position(0) == Position(1, 0)


def test_the_encoding_is_kept_and_its_limits_are_told() -> None:
    source = Source("x.py", b"# coding: latin-1\nx = '\xe9'\n")
    assert source.encode(source.text.replace("x", "y")) == b"# coding: latin-1\ny = '\xe9'\n"
    with pytest.raises(SourceError, match="cannot be encoded"):
        source.encode(source.text.replace("x", "\u5f20"))


def test_the_byte_order_mark_comes_back() -> None:
    source = Source("x.py", b"\xef\xbb\xbfx = 1\n")
    assert source.encode("y = 1\n") == b"\xef\xbb\xbfy = 1\n"


def test_an_encoding_that_has_two_spellings_is_not_written() -> None:
    source = Source("x.py", b"# coding: utf-7\nx = '+AGE-'\n")  # an "a" that would come back as a plain one
    assert source.text.endswith("'a'\n")
    with pytest.raises(SourceError, match="back"):
        source.encode(source.text)


@settings(deadline=None)
@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_refused_and_come_back(data: bytes) -> None:
    source = Source("x.py", data)
    try:
        text = source.text
    except SourceError:
        return
    assert source.encode(text) == data
    try:
        with_deep_stack(source.parse)
    except SourceError as error:
        assert 0 <= error.offset <= len(text)
        assert "\n" not in error.message


def test_text_that_is_decoded_already_is_taken_as_it_is() -> None:
    source = Source.from_text("stdin", "\ufeff# coding: latin-1\nx = '\xe9'\n")
    assert source.text == "# coding: latin-1\nx = '\xe9'\n"
    assert source.encode(source.text) == source.data
    assert source.holds([b"nothing", b"latin"])
    assert not source.holds([b"nothing"])


# ---------------------------------------------------------------------- files


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_bytes(b"x = 1\r\n")
    source = Source.read(str(tmp_path / "x.py"))
    assert (source.path, source.data) == (str(tmp_path / "x.py"), b"x = 1\r\n")


@pytest.mark.parametrize("name", ["missing.py", "dangling.py", "loop.py", "folder", "pipe.py", "nul\0.py"])
def test_what_is_no_readable_file_is_unreadable(tmp_path: Path, name: str) -> None:
    (tmp_path / "dangling.py").symlink_to("nowhere.py")
    (tmp_path / "loop.py").symlink_to("loop.py")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(SourceError) as refused:
        Source.read(f"{tmp_path}/{name}")
    assert refused.value.unreadable
    assert "\n" not in refused.value.message


# ---------------------------------------------------------------------- places


@settings(deadline=None)
@given(st.text(alphabet="a\xe9\U0001f600\r\n\x0c\x1c\x85\u2028\t", max_size=30))
def test_places_and_offsets_go_back_and_forth(text: str) -> None:
    source = Source.from_text("x.py", text)
    for offset in range(len(text) + 1):
        place = source.position(offset)
        before = re.split("\r\n|\r|\n", text[:offset])
        if text[offset - 1 : offset + 1] != "\r\n":  # between those two no line ends
            assert place == Position(len(before), len(before[-1]))
        assert source.offset(place) == offset


def test_a_syntax_error_is_where_python_sees_it() -> None:
    source = Source("x.py", "x = 1\r\n\x0c\r\ny = '\U0001f600' 2\n".encode())
    with pytest.raises(SourceError, match=r"^SyntaxError: ") as refused:
        with_deep_stack(source.parse)
    assert source.position(refused.value.offset).line == 3


# ---------------------------------------------------------------------- noqa


def silenced(text: str, line: int, code: str = "TLC001") -> bool:
    """Return what the source says about a line of a text."""
    return Source("x.py", text.encode()).silenced(code, line)


@pytest.mark.parametrize(
    "comment",
    ["", "# a noqa", "#noqa", "# no qa", "# noqa: E501", "# noqa: TLC002", "# noqa:TLC0011", "# noqa : TLC001"],
)
def test_other_comments_silence_what_flake8_lets_them(comment: str) -> None:
    assert silenced(f"x = 1  {comment}\n", 1) is (comment == "# noqa : TLC001")  # a blanket one to flake8


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "# NOQA",
        "# noqa: TLC001",
        "# noqa:TLC0",
        "# noqa: E501, TLC001",
        "# noqa: tlc001",
        "# noqa: TLC",
        "# a # noqa",
    ],
)
def test_comments_that_silence(comment: str) -> None:
    text = f"x = 1  {comment}\ny = 2\n"
    assert silenced(text, 1) is (comment != "# noqa: tlc001" or _flake8_folds_case())
    assert not silenced(text, 2)


def _flake8_folds_case() -> bool:
    from flake8.violation import Violation

    return bool(Violation("TLC001", "", 1, 0, "", "x  # noqa: tlc001").is_inline_ignored(False))


def test_a_comment_counts_for_its_whole_statement_and_no_other() -> None:
    text = 'x = 0\ny = (1,\n  2,  # noqa: TLC001\n\n  """a\nb""")\nz = 0\n'
    assert [silenced(text, line) for line in range(1, 8)] == [False, True, True, True, True, True, False]


def test_a_comment_of_its_own_line_counts_for_no_statement() -> None:
    assert not silenced("# noqa\nx = 1\n", 2)
    assert not silenced("if x:\n    # noqa\n    y = 1\n", 3)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_newlines_and_backslashes_make_no_difference(newline: str, end: str) -> None:
    text = ("\x0c\ns = '''\u2028\x1c'''\nx = 1 + \\\n  2  # noqa" + end).replace("\n", newline)
    assert [silenced(text, line) for line in range(1, 5)] == [False, False, True, True]


@pytest.mark.parametrize("comment", ["# flake8: noqa", "# flake8:noqa", "  # FLAKE8: NOQA", "# flake8=noqa"])
def test_a_file_can_be_silenced_as_a_whole(comment: str) -> None:
    assert silenced(f"x = 1\n{comment}\n", 1)


def test_behind_code_the_comment_for_files_is_one_for_its_line() -> None:
    text = "x = 1\ny = 2  # flake8: noqa\n"
    assert not silenced(text, 1)


def test_a_file_that_has_no_tokens_is_looked_at_line_by_line() -> None:
    text = "x = (1,  # noqa\n  2\n"
    assert [silenced(text, line) for line in (1, 2, 9)] == [True, False, False]
