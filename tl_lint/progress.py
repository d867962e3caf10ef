"""A progress bar on standard error, at a terminal, for runs that take long enough to wonder."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["Bar"]

_PATIENCE = 1.0
"""Seconds before the bar shows up."""


class Bar:
    """Counts files, or kernels. Shows nothing unless standard error is a terminal and the run takes over a second."""

    def __init__(self, total: int, wanted: bool, label: str = "Checking") -> None:
        """`total` is the number of files, `wanted` is false where nothing but findings is to be printed."""
        self._total = total
        self._label = label
        self._done = 0
        self._wanted = wanted and sys.stderr.isatty()
        self._started = time.monotonic()
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Bar:
        """Return the bar itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Take the bar off the screen."""
        self.hide()

    def expect(self, total: int) -> None:
        """Set the number to count up to."""
        self._total = total
        self.advance(0)

    def hide(self) -> None:
        """Take the bar off the screen until something is counted: for a line that goes to the same terminal."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    def advance(self, files: int) -> None:
        """Count `files` more."""
        self._done += files
        if not self._wanted or time.monotonic() - self._started < _PATIENCE:
            return
        if self._progress is None or self._task is None:
            self._progress, self._task = _begun(self._total, self._label)
        self._progress.update(self._task, completed=self._done, refresh=True)


def _begun(total: int, label: str) -> tuple[Progress, TaskID]:
    from rich.console import Console
    from rich.progress import Progress

    # No thread of its own that redraws: processes are forked while the bar is up.
    progress = Progress(console=Console(stderr=True), transient=True, auto_refresh=False)
    progress.start()
    return progress, progress.add_task(label, total=total)
