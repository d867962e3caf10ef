"""Colours only where they are wanted, and nothing that steers the terminal."""

from __future__ import annotations

import io
import re

import pytest

from tl_lint.output.terminal import Printer, printable, printed_width, wants_colour


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("text", ["", "plain", "a\tb", "naïve 四 \N{GRINNING FACE}", "[bold]x[/bold]"])
def test_ordinary_text_is_printed_as_it_is(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31m", "\\x1b[31m"),
        ("\x9b31m", "\\x9b31m"),
        ("a\nb\rc", "a\\x0ab\\x0dc"),
        ("\x7f\x00", "\\x7f\\x00"),
        ("\u202e\u2066\u2028", "\\u202e\\u2066\\u2028"),
        ("\udcff", "\\udcff"),
    ],
)
def test_what_steers_a_terminal_is_escaped(text: str, expected: str) -> None:
    assert printable(text) == expected


def test_width_counts_columns() -> None:
    assert [printed_width(text) for text in ("", "abc", "四", "e\u0301")] == [0, 3, 2, 1]


@pytest.mark.parametrize(
    ("stream", "variables", "expected"),
    [
        (io.StringIO(), {}, False),
        (Terminal(), {}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
        (io.StringIO(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_is_for_terminals_and_those_who_ask(
    stream: io.StringIO, variables: dict[str, str], expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert wants_colour(stream) is expected


def test_colour_changes_nothing_but_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    pieces = ("plain [bold]", ("TLC701", "bold red"), ": 四 " + "long " * 60)
    plain, coloured = io.StringIO(), io.StringIO()
    Printer(plain, colour=False).line(*pieces)
    Printer(coloured, colour=True).line(*pieces)
    assert "\x1b[1;31mTLC701\x1b[0m" in coloured.getvalue()
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured.getvalue()) == plain.getvalue()
    assert plain.getvalue().endswith("long\n")
