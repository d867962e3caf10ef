"""Messages that stay on one line."""

from __future__ import annotations

import os
import sys
import traceback

__all__ = ["internal_error", "one_line", "shortened_to_fit"]

_TRACEBACK = "TL_LINT_TRACEBACK"
"""The environment variable that asks for tracebacks: it reaches worker processes, flake8 and hooks as well."""
_LONGEST_MESSAGE = 119
_SHORTEST_QUOTE = 12


def one_line(text: object) -> str:
    """Return what `str` makes of `text`, an exception perhaps, with every run of white space as one space."""
    return " ".join(str(text).split())


def internal_error(error: Exception) -> str:
    """Return what is said of an exception that no input should be able to cause.

    Where the environment variable TL_LINT_TRACEBACK is set, to anything but 0, its traceback goes to standard error.
    """
    if os.environ.get(_TRACEBACK, "0") not in ("", "0") and sys.stderr is not None:
        # One write: what several processes tell must not be mixed line by line.
        sys.stderr.write("".join(traceback.format_exception(error)))
        sys.stderr.flush()
    return f"internal error, please report it: {one_line(f'{type(error).__name__}: {error}')}"


def shortened_to_fit(template: str, quoted: str, last: str = "") -> str:
    """Return `template` with `quoted` and `last` in its two places `{}`, shortened so that the line stays short.

    `quoted` gives way first: what to write instead is worth more than what is there already.
    """
    room = _LONGEST_MESSAGE - len(template.format("", ""))
    quoted = _shortened(quoted, max(_SHORTEST_QUOTE, room - len(last)))
    return template.format(quoted, _shortened(last, room - len(quoted)))


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 3]}..."
