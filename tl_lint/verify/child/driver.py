"""Runs a driven command, and watches its processes: what reaches TileLang's compiler there is written down.

`execute` is the task that runs it. `install` is called in each Python process of it, by hook/sitecustomize.py, before
anything else is imported, and imports neither torch nor TileLang: what there is to do about each is done when the
process itself has imported it.
"""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

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
    sys.meta_path.insert(0, _After({"torch": lambda _: _torch(settings), "tilelang": lambda _: _tilelang(settings)}))


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


class _After(importlib.abc.MetaPathFinder):
    """A finder that has a function called once a module of a given name has been imported."""

    def __init__(self, callbacks: dict[str, Callable[[ModuleType], None]]) -> None:
        self._callbacks = callbacks
        self._asked: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._callbacks or fullname in self._asked:
            return None
        self._asked.add(fullname)
        try:
            specification = self._found(fullname, path, target)
        finally:
            self._asked.discard(fullname)
        if specification is not None and specification.loader is not None:
            specification.loader = _Then(specification.loader, self._callbacks[fullname])  # type: ignore[assignment]
        return specification

    def _found(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
        for finder in sys.meta_path:
            specification = finder.find_spec(fullname, path, target) if hasattr(finder, "find_spec") else None
            if specification is not None:
                return specification
        return None


class _Then:
    """A loader that calls a function with the module that another loader has run."""

    def __init__(self, loader: Any, callback: Callable[[ModuleType], None]) -> None:
        self._loader = loader
        self._callback = callback

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._callback(module)
