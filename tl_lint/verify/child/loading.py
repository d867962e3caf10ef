"""Runs a text as if it were the file: under its name, in its folder, and read back by whatever asks for its source."""

from __future__ import annotations

import importlib
import importlib.util
import io
import linecache
import sys
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType

__all__ = ["dotted_name", "load"]


_OF_A_PROJECT = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


class _Text(Loader):
    """A loader that runs a text in place of the file that it was read from."""

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        # As Python reads a file: lines end in every kind of newline, and in nothing else.
        self._lines = io.StringIO(text, newline=None).readlines()
        self._text = "".join(self._lines)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        # TileLang reads the source of each function through linecache; without a time stamp it asks no disk.
        linecache.cache[self._path] = (len(self._text), None, self._lines, self._path)
        exec(self._code(), module.__dict__)

    def get_source(self, _name: str) -> str:
        return self._text

    def _code(self) -> CodeType:
        return compile(self._text, self._path, "exec", dont_inherit=True)


def load(file: str, text: str, name: str | None = None) -> ModuleType:
    """Return the module that `text` makes as the contents of `file`, an absolute path that need not hold it.

    It is registered under `name`, or what `dotted_name` says, so that its relative imports work, pickles find it and
    other modules that import it get this text. Whatever the text raises is raised.
    """
    name = name or dotted_name(file)
    _make_importable(file, name)
    package = name.rpartition(".")[0]
    if package:
        importlib.import_module(package)
    specification = importlib.util.spec_from_loader(name, _Text(file, text), origin=file)
    assert specification is not None and specification.loader is not None
    specification.has_location = True
    module = importlib.util.module_from_spec(specification)
    module.__file__ = file
    sys.modules[name] = module
    try:
        specification.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    if package:
        setattr(sys.modules[package], name.rpartition(".")[2], module)
    return module


def dotted_name(file: str) -> str:
    """Return the name that a file has from outside its packages: those folders above it that hold an __init__.py."""
    path = Path(file)
    parts = [path.stem]
    for folder in path.parents:
        if not (folder / "__init__.py").exists() or not folder.name.isidentifier():
            break
        parts.insert(0, folder.name)
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    name = ".".join(parts)
    # A file called like a module that is there already (test.py, types.py, torch.py) must not take its place.
    taken = len(parts) == 1 and (name in sys.modules or name in sys.stdlib_module_names)
    return f"_{name}" if taken or (not path.stem.isidentifier() and len(parts) == 1) else name


def _make_importable(file: str, name: str) -> None:
    """Make found what `python FILE` would, and behind it what the current folder and the project's own hold."""
    folder = Path(file).parent
    if Path(file).stem != "__init__":
        for _ in range(name.count(".")):
            folder = folder.parent
    else:
        for _ in range(name.count(".") + 1):
            folder = folder.parent
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    project = next(
        (parent for parent in folder.parents if any((parent / name).exists() for name in _OF_A_PROJECT)), None
    )
    for further in (Path(file).parent, Path.cwd(), project):
        if further is not None and str(further) not in sys.path:
            sys.path.append(str(further))
