"""Has something done once a module has been imported. It imports the standard library only."""

from __future__ import annotations

import contextlib
import importlib.abc
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["AfterImport"]


class AfterImport(importlib.abc.MetaPathFinder):
    """A finder that has a function called each time that a module of a given name has been imported."""

    def __init__(self, callbacks: Mapping[str, Callable[[], None]]) -> None:
        """Take the functions by the dotted names of the modules."""
        self._callbacks = callbacks
        self._asked: set[str] = set()

    def wait(self) -> None:
        """Be asked first from now on."""
        sys.meta_path.insert(0, self)

    def forget(self) -> None:
        """No longer wait."""
        with contextlib.suppress(ValueError):
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return what the other finders do, with a loader that calls the function afterwards."""
        if fullname not in self._callbacks or fullname in self._asked:
            return None
        self._asked.add(fullname)  # the search comes by here again
        try:
            specification = _found(fullname, path, target)
        finally:
            self._asked.discard(fullname)
        if specification is not None and specification.loader is not None:
            specification.loader = _Then(specification.loader, self._callbacks[fullname])  # type: ignore[assignment]
        return specification


def _found(fullname: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
    for finder in list(sys.meta_path):
        specification = finder.find_spec(fullname, path, target) if hasattr(finder, "find_spec") else None
        if specification is not None:
            return specification
    return None


class _Then:
    """A loader that calls a function when another loader has run the module."""

    def __init__(self, loader: Any, callback: Callable[[], None]) -> None:
        self._loader = loader
        self._callback = callback

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._callback()
