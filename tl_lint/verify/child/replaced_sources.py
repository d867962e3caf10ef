"""Has Python read given texts in place of files: as modules, as the script that is run, and as anyone's source."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import linecache
import os
import sys
from collections.abc import Mapping
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType
from typing import Any

__all__ = ["replace_sources"]


def replace_sources(texts: Mapping[str, str]) -> None:
    """Take `texts`, by absolute path, for the contents of those files, from now on and in this process only.

    TileLang reads the source of what it traces through `inspect`, which asks `linecache`. Files read as data, with
    open() say, are as they were.
    """
    if not texts:
        return
    known = {os.path.realpath(path): text for path, text in texts.items()}
    _in_imports(known)
    _in_linecache(known)
    _in_the_script(known)


def _in_imports(known: Mapping[str, str]) -> None:
    read_code, read_source = SourceFileLoader.get_code, SourceFileLoader.get_source

    def get_code(self: Any, name: str) -> CodeType | None:
        path = self.get_filename(name)
        text = known.get(os.path.realpath(path))
        if text is None:
            return read_code(self, name)
        code: CodeType = compile(text, path, "exec", dont_inherit=True)
        return code

    def get_source(self: Any, name: str) -> str | None:
        text = known.get(os.path.realpath(self.get_filename(name)))
        return read_source(self, name) if text is None else text

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
    SourceFileLoader.get_source = get_source  # type: ignore[method-assign, assignment]


def _in_linecache(known: Mapping[str, str]) -> None:
    update = linecache.updatecache

    def updatecache(filename: str, module_globals: dict[str, Any] | None = None) -> list[str]:
        text = known.get(os.path.realpath(filename))
        if text is None:
            return update(filename, module_globals)
        lines = text.splitlines(keepends=True)
        # Without a time stamp an entry is never compared with the disk.
        linecache.cache[filename] = (len(text), None, lines, filename)
        return lines

    linecache.updatecache = updatecache


def _in_the_script(known: Mapping[str, str]) -> None:
    """Have `python SCRIPT` run the text: Python asks the path hooks first whether the script is an archive of modules.

    That asking is how `python FOLDER` and `python ARCHIVE.zip` work; it is done in C, and nothing else is.
    """

    def hook(path: str) -> _Script:
        text = known.get(os.path.realpath(path))
        if text is None:
            raise ImportError(path)
        return _Script(path, text)

    sys.path_hooks.insert(0, hook)


class _Script:
    """Finder and loader of one script, as the module __main__."""

    def __init__(self, path: str, text: str) -> None:
        self._path = os.path.abspath(path)  # noqa: PTH100  # Path.absolute() leaves ".." in, __file__ has none
        self._given = path
        self._text = text

    def find_spec(self, fullname: str, target: Any = None) -> ModuleSpec | None:
        if fullname != "__main__":
            return None
        return importlib.util.spec_from_file_location(fullname, self._path, loader=self)  # type: ignore[arg-type]

    def get_code(self, _name: str) -> CodeType:
        # What runs an archive has put it first on sys.path; a script has its folder there.
        if sys.path and sys.path[0] == self._given:
            sys.path[0] = os.path.dirname(self._path)  # noqa: PTH120
        code: CodeType = compile(self._text, self._path, "exec", dont_inherit=True)
        return code

    def get_source(self, _name: str) -> str:
        return self._text

    def get_filename(self, _name: str) -> str:
        return self._path

    def is_package(self, _name: str) -> bool:
        return False

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: Any) -> None:
        exec(self.get_code("__main__"), module.__dict__)
