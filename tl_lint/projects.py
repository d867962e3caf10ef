"""What a module of the same project re-exports: one file is read, never run, and only its import statements count."""

from __future__ import annotations

import ast
import stat
import tokenize
import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

__all__ = ["Project"]

_LARGEST_FILE = 4 * 1024 * 1024
_ROOT_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


class Project:
    """The project around one file, as far as imports in that file need it.

    `path` is the file's path, or None where there is none (standard input): then nothing can be read.
    """

    def __init__(self, path: str | None) -> None:
        self._folder = Path(path).absolute().parent if path is not None else None

    def exports(self, module: str) -> dict[str, str] | None:
        """Return what the import statements of `module` bind: name to dotted name; None if it can't be read.

        `module` is a dotted name, with leading dots if it is relative to the file. A relative name in the answer keeps
        its dots and is not followed. The key "*" holds the modules that are imported with a star, joined by spaces.
        """
        for candidate in self._candidates(module):
            try:
                status = candidate.stat()
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST_FILE:
                return _imports(candidate, status.st_mtime_ns, status.st_size)
        return None

    def absolute(self, module: str) -> str:
        """Return a relative dotted name as an absolute one, by the packages that the file lies in."""
        level = len(module) - len(module.lstrip("."))
        if level == 0 or self._folder is None:
            return module
        package: list[str] = []
        folder = self._folder
        while (folder / "__init__.py").is_file() and folder.parent != folder:
            package.insert(0, folder.name)
            folder = folder.parent
        base = package[: len(package) - (level - 1)] if level > 1 else package
        return ".".join([*base, module.lstrip(".")]) if base else module

    def _candidates(self, module: str) -> Iterator[Path]:
        if self._folder is None:
            return
        name = module.lstrip(".")
        level = len(module) - len(name)
        parts = [part for part in name.split(".") if part]
        for root in self._roots(level):
            base = root.joinpath(*parts)
            if parts:
                yield base.with_name(f"{base.name}.py")
            yield base / "__init__.py"

    def _roots(self, level: int) -> Iterator[Path]:
        folder = self._folder
        assert folder is not None
        if level:
            for _ in range(level - 1):
                folder = folder.parent
            yield folder
            return
        while True:
            yield folder
            at_root = any((folder / mark).exists() for mark in _ROOT_MARKS)
            if at_root or folder.parent == folder:
                return
            folder = folder.parent


@lru_cache(maxsize=512)
def _imports(path: Path, modified: int, size: int) -> dict[str, str] | None:
    """Return the names that the import statements of the file bind; `modified` and `size` are part of the cache key."""
    try:
        with tokenize.open(path) as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    bound: dict[str, str] = {}
    stack: list[ast.stmt] = list(reversed(tree.body))
    while stack:
        statement = stack.pop()
        if isinstance(statement, (ast.If, ast.Try, ast.With)):
            stack.extend(reversed([*statement.body, *getattr(statement, "orelse", [])]))
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                first = alias.name.split(".")[0]
                bound[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(statement, ast.ImportFrom):
            module = "." * statement.level + (statement.module or "")
            for alias in statement.names:
                if alias.name == "*":
                    bound["*"] = f"{bound.get('*', '')} {module}".strip()
                else:
                    joint = "" if module.endswith(".") else "."
                    bound[alias.asname or alias.name] = f"{module}{joint}{alias.name}"
    return bound
