"""Runs a driven command, and watches its processes: what reaches TileLang's compiler there is written down.

`execute` is the task that runs it. `install` is called in each Python process of it, by hook/sitecustomize.py, before
anything else is imported, and imports neither torch nor TileLang: what there is to do about each is done when the
process itself has imported it.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tl_lint.after_import import AfterImport
from tl_lint.verify.child import captures, fake_cuda, fake_tensors, stand_ins
from tl_lint.verify.child.replaced_sources import replace_sources

__all__ = ["execute", "install"]

_coercing = contextlib.ExitStack()
"""Holds what is on until the process ends."""


def execute(request: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Run the command `argv` of the request in `folder` with nothing but `environment`; standard input is empty.

    Told: `exit_status`, -N if signal N ended it. Raises OSError if it cannot be started.
    """
    done = subprocess.run(
        request["argv"], cwd=request["folder"], env=request["environment"], stdin=subprocess.DEVNULL, check=False
    )
    tell({"exit_status": done.returncode})


def install(settings_file: str) -> None:
    """Watch this process as the JSON object in `settings_file` says, whose members are:

    `spool`: the folder to write to, a file for each capture (see captures.py) and empty files `python-PID`,
    `tilelang-PID` and `standing-PID` once this Python is seen, TileLang in it, and that it gets no GPU.
    `replaced`: texts by absolute path, read in place of those files.
    `coerce`: whether T.Parallel makes its ints IntImm.
    `stand_in`: whether tensors and kernels are stood in for; null where that depends on there being a GPU.
    `architecture`: that of the GPU stood in for ("sm_90").
    """
    settings = json.loads(Path(settings_file).read_text(encoding="utf-8"))
    _mark(settings, "python")
    replace_sources(settings["replaced"])
    AfterImport({"torch": lambda: _torch(settings), "tilelang": lambda: _tilelang(settings)}).wait()


def _mark(settings: Mapping[str, Any], name: str) -> None:
    (Path(settings["spool"]) / f"{name}-{os.getpid()}").touch()


def _torch(settings: dict[str, Any]) -> None:
    import torch

    if settings["stand_in"] is None:
        settings["stand_in"] = not torch.cuda.is_available()
    if settings["stand_in"]:
        _mark(settings, "standing")
        fake_tensors.install()
        fake_cuda.install(settings["architecture"])


def _tilelang(settings: dict[str, Any]) -> None:
    _mark(settings, "tilelang")
    captures.install(Path(settings["spool"]))
    stand_ins.install(bool(settings["stand_in"]))
    if settings["coerce"]:
        from tl_lint.verify.child import boundary

        _coercing.enter_context(boundary.installed(True))
