"""How a new Python is started for a function of ours."""

from __future__ import annotations

import os
import sys
from typing import Any

__all__ = ["STREAMS", "command", "environment"]

STREAMS = "PYTHONIOENCODING"


def command(function: str, *arguments: Any) -> list[str]:
    """Return the command that calls "module:function" in a new Python with this one's sys.path.

    Not `-m`: that would put the current folder first in sys.path, and the module would be `__main__` to user code.
    """
    module, _, name = function.partition(":")
    path = [entry for entry in sys.path if entry]
    values = ", ".join(map(repr, arguments))
    code = f"import sys; sys.path[:] = {path!r}; from {module} import {name}; {name}({values})"
    # Unbuffered, so that a crash loses nothing that was printed and both streams keep their order.
    return [sys.executable, "-u", "-c", code]


def environment() -> dict[str, str]:
    """Return the environment for a new Python: this one's, and whatever is printed can be."""
    return {**os.environ, STREAMS: "utf-8:backslashreplace"}
