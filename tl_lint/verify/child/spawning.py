"""A task in a new Python, where forking one that has imported TileLang is not safe."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tl_lint.verify.child.launching import command
from tl_lint.verify.child.supervising import read_order, supervise
from tl_lint.verify.child.telling import Telling
from tl_lint.verify.child.working import die_with_parent, perform_task

__all__ = ["supervise_spawned", "work"]

_ORDER = "order.json"
_TOLD = "told"


def supervise_spawned(preload: list[str]) -> None:
    """Supervise the task that is ordered on standard input; the answer goes to standard output."""
    incoming, outgoing = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    order = read_order(incoming)
    if order is None:
        return
    with tempfile.TemporaryDirectory(prefix="tl-lint-", ignore_cleanup_errors=True) as folder:
        Path(folder, _ORDER).write_text(json.dumps({**order, "preload": preload}), encoding="utf-8")
        supervise(order, _Spawned(Path(folder)), incoming, outgoing)


class _Spawned:
    """A task in a process of a new Python."""

    def __init__(self, folder: Path) -> None:
        self.telling = Telling(folder / _TOLD)
        arguments = command("tl_lint.verify.child.spawning:work", str(folder), os.getpid())
        self._process = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.pid = self._process.pid
        assert self._process.stdout is not None
        self.log = self._process.stdout.fileno()

    def ended(self) -> bool:
        """Whether it is dead; where the system can tell, it is left to be reaped."""
        if sys.platform == "linux":
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        return self._process.poll() is not None

    def reap(self) -> int:
        """Return its exit status, -N if signal N killed it."""
        return self._process.wait()


def work(folder: str, supervisor: int) -> None:
    """Run the task that `folder` describes, in this process."""
    die_with_parent(supervisor)
    order = json.loads(Path(folder, _ORDER).read_text(encoding="utf-8"))
    telling = Telling(Path(folder, _TOLD))
    perform_task(order["task"], order["request"], order["environment"], telling, order["preload"])
