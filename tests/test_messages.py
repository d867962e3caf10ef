"""Messages fit on a line."""

from __future__ import annotations

import pytest

from tl_lint.messages import shortened_to_fit


@pytest.mark.parametrize(("quoted", "last"), [("a", "b"), ("a" * 500, "b"), ("a", "b" * 500), ("a" * 500, "b" * 500)])
def test_a_message_fits_on_a_line(quoted: str, last: str) -> None:
    message = shortened_to_fit("something is wrong with `{}`; write `{}`", quoted, last)
    assert len(message) < 120
    assert message.startswith("something is wrong with `a")
    assert "; write `b" in message
    assert ("..." in message) == (len(quoted) > 100 or len(last) > 100)


def test_braces_in_what_is_quoted_are_kept() -> None:
    assert shortened_to_fit("`{}`{}", "{x}", "{y}") == "`{x}`{y}"
