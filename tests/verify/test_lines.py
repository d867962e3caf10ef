"""Lines of what was printed or raised."""

from __future__ import annotations

import pytest

from tl_lint.verify.lines import last_line


@pytest.mark.parametrize(("text", "line"), [("", ""), (" \n\n", ""), ("a\n b \n\n", "b")])
def test_last_line(text: str, line: str) -> None:
    assert last_line(text) == line
