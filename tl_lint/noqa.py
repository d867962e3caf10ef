"""Which lines a noqa comment silences: comments as flake8 reads them, counted for the whole logical line.

flake8 itself looks at one physical line of a statement in brackets, and at all lines of a string only; the formatters
that people use move a comment to the end of such a statement. What a comment is, and what it silences, is flake8's own
code to say.
"""

from __future__ import annotations

import io
import tokenize
from argparse import Namespace
from functools import cached_property

from flake8.processor import FileProcessor
from flake8.violation import Violation

__all__ = ["Noqa"]

_OPTIONS = Namespace(
    disable_noqa=False,
    hang_closing=False,
    indent_size=4,
    max_doc_length=None,
    max_line_length=79,
    stdin_display_name="stdin",
    verbose=0,
)
"""What flake8's processor asks its options for; none of it changes what a noqa comment means."""


class Noqa:
    """The noqa comments of one text; `path` is the file's name as flake8 would have it."""

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._processor = FileProcessor(path, _OPTIONS, list(io.StringIO(text, newline=None)))

    def silences(self, code: str, line: int) -> bool:
        """Return whether a comment silences `code` on `line` (from 1)."""
        if self._whole_file:
            return True
        logical = self._logical_lines.get(line, "")
        return bool(Violation(code, self._path, line, 0, "", logical).is_inline_ignored(False))

    @cached_property
    def _whole_file(self) -> bool:
        return bool(self._processor.should_ignore_file())

    @cached_property
    def _logical_lines(self) -> dict[int, str]:
        """For each line number the text in which a comment counts for it."""
        lines = self._processor.lines
        found = dict(enumerate(lines, 1))
        first, in_statement = 0, False
        try:
            for kind, _, (start, _), (end, _), _ in self._processor.file_tokens:
                if kind in (tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
                    continue
                first = first or start
                in_statement = in_statement or kind not in (tokenize.COMMENT, tokenize.NL)
                if kind == tokenize.NEWLINE or (kind == tokenize.NL and not in_statement):
                    found.update(dict.fromkeys(range(first, end + 1), "".join(lines[first - 1 : end])))
                    first, in_statement = 0, False
        except (tokenize.TokenError, SyntaxError):
            pass  # line by line, then, as flake8 has it
        return found
