"""Lines of what was printed or raised. The standard library is all it imports, so that children can use it."""

from __future__ import annotations

__all__ = ["first_line", "last_line"]


def first_line(text: str) -> str:
    """Return the first line that says something, "" if none does: of torch's errors the one that names what it is."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def last_line(text: str) -> str:
    """Return the last line that says something, "" if none does."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""
