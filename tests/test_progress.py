"""The progress bar: at a terminal only, after a second, and out of the way of a line that is to be written."""

from __future__ import annotations

import io
import sys

import pytest

from tl_lint import progress
from tl_lint.progress import Bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Return what standard error is from now on; called in a test's body, since pytest puts its own back before it."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    return stream


def test_a_bar_that_is_hidden_comes_back_with_the_next_count(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_a_terminal(monkeypatch)
    with Bar(0, wanted=True, label="Verifying") as bar:
        bar.expect(4)
        assert "Verifying" in terminal.getvalue() and "0%" in terminal.getvalue()
        bar.hide()
        shown = len(terminal.getvalue())
        bar.hide()
        assert len(terminal.getvalue()) == shown
        bar.advance(1)
        assert "25%" in terminal.getvalue()[shown:]
    hidden, back = "\x1b[?25l", "\x1b[?25h"
    assert terminal.getvalue().count(hidden) == terminal.getvalue().count(back) == 2
    assert terminal.getvalue().endswith("\x1b[2K")


def test_a_row_goes_to_standard_output_while_the_bar_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_a_terminal(monkeypatch)
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    with Bar(2, wanted=True) as bar:
        bar.advance(1)
        bar.hide()
        sys.stdout.write("a row\n")
        bar.advance(1)
    assert stream.getvalue() == "a row\n"
    assert "a row" not in terminal.getvalue() and "100%" in terminal.getvalue()


def test_no_bar_where_none_is_wanted_or_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_a_terminal(monkeypatch)
    with Bar(2, wanted=False) as bar:
        bar.advance(1)
    assert terminal.getvalue() == ""
    plain = io.StringIO()
    monkeypatch.setattr(sys, "stderr", plain)
    with Bar(2, wanted=True) as bar:
        bar.advance(1)
    assert plain.getvalue() == ""
