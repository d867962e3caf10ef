"""Messages fit on a line, and an internal error shows its traceback to those who ask for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.front import environment, kernel, write_rule
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


@pytest.mark.parametrize("command", [("tl_lint", "check", "-j2"), ("flake8", "--select", "TLC", "-j1")])
@pytest.mark.parametrize(("value", "wanted"), [("1", True), ("0", False), ("", False), (None, False)])
def test_a_rule_that_raises_shows_where_only_if_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], value: str | None, wanted: bool
) -> None:
    write_rule(tmp_path / "rules", "TLC703", "raises", body="raise LookupError('no luck')")
    (tmp_path / "pyproject.toml").write_text("[tool.tl-lint]\nrule-paths = ['rules']\n")
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(kernel("raises"))
    monkeypatch.delenv("TL_LINT_TRACEBACK", raising=False)
    variables = {} if value is None else {"TL_LINT_TRACEBACK": value}
    done = subprocess.run(
        [sys.executable, "-m", *command, "a.py", "b.py"],
        cwd=tmp_path,
        env=environment(**variables),
        capture_output=True,
        check=False,
        timeout=120,
        text=True,
    )
    assert done.stdout.count("TLC000 internal error, please report it: LookupError: no luck") == 2
    assert done.stderr.count("Traceback (most recent call last)") == (2 if wanted else 0)
    place = str(Path("rules", "tlc703", "rule.py"))
    assert done.stderr.count(place) == (2 if wanted else 0)
