"""The exit status of `tl-lint verify`. What it means is a contract: README.md and docs/verify.md say it too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tl_lint.verify.applying import Applied
from tl_lint.verify.model import Row, Verdict
from tl_lint.verify.options import VerifyOptions

__all__ = ["exit_status"]

_BAD = (Verdict.FAILS, Verdict.FIX_REJECTED)
_OPEN = (Verdict.NOT_INSTANTIATED, Verdict.NOT_REACHED)


def exit_status(
    rows: Sequence[Row], options: VerifyOptions, strict: bool, troubled: bool, applied: Iterable[Applied] = ()
) -> int:
    """Return 2 if something that was asked for could not be done, else 1 if a kernel or a fix is wrong, else 0.

    Asked for is: every file that holds TileLang (`troubled` says that one could not be read or parsed), a level by its
    name, a kernel by its name, arguments by --call, at least one kernel that is judged (but not in a shard, which may
    hold few), and a file to be written. `strict` lets kernels that were not judged count as wrong.
    """
    verdicts = {row.verdict for row in rows}
    nothing_judged = bool(rows) and options.shard is None and verdicts <= set(_OPEN)
    level_missed = options.level is not None and Verdict.NOT_REACHED in verdicts
    unwritten = any(each.unwritten for each in applied)
    if troubled or nothing_judged or level_missed or unwritten or any(_was_named(row, options) for row in rows):
        return 2
    return int(bool(verdicts & set(_BAD)) or (strict and bool(verdicts & set(_OPEN))))


def _was_named(row: Row, options: VerifyOptions) -> bool:
    """Return whether a kernel that was not judged is one that the command line names, or gives arguments for."""
    if row.verdict not in _OPEN:
        return False
    return row.args_source == "call" or any(
        file.path == row.path and row.kernel in file.kernels for file in options.files
    )
