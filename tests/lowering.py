"""What the real compiler does with the example kernels of rules/*/{bad,good,fixed}.py."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.tilelang_environment import cache_folder, interpreter

__all__ = ["Compiler", "Kernel", "Outcome", "kernels"]

_CHILD = Path(__file__).with_name("lowering_child.py")
_LIMIT = 120.0
"""Seconds that one kernel may take; most take a tenth of one."""


@dataclass(frozen=True)
class Kernel:
    """A function of an example file and how to call it: "NAME", or "NAME(vec=4)" from its verify line."""

    file: Path
    name: str
    call: str
    text: str
    """Its source and that of what it uses in the file, to tell whether a fix changed it."""


@dataclass(frozen=True)
class Outcome:
    """How far a kernel came and how it went; `stage` is import, trace (the prim_func is made), lower or done.

    `asked` holds ("loop" or "copy", width) of every width in the TIR that a layout does not overrule.
    """

    stage: str
    error: str
    signal: int
    timed_out: bool
    asked: tuple[tuple[str, int | str], ...]
    source: str
    log: str

    @property
    def fault(self) -> str:
        """What is wrong with it, in one line, or "" if it lowers with the widths asked for."""
        if self.timed_out:
            return f"killed after {_LIMIT:.0f} seconds, stage {self.stage}"
        if self.signal:
            return f"died of signal {self.signal}, stage {self.stage}"
        if self.error or self.stage != "done":
            return f"{self.error.strip() or 'no answer'}, stage {self.stage}"
        missing = [f"{width} on a {place}" for place, width in self.asked if not self._shows(place, width)]
        return f"lowers with another width than asked for: {', '.join(missing)}" if missing else ""

    def _shows(self, place: str, width: int | str) -> bool:
        """Whether float32 elements are moved `width` at a time somewhere in the source."""
        if width not in (1, 2, 4):
            return False
        emitted = {int(lanes) for lanes in re.findall(r"\bfloat([248])\b", self.source)}
        if width == 1:
            return not emitted or len(set(self.asked)) > 1
        bulk = f"cp_async_gs<{width * 4}>" in self.source
        return width in emitted or (place == "copy" and bulk)


def kernels(file: Path) -> list[Kernel]:
    """Return what is to be lowered of an example file: its functions but `host_*` and macros, in order.

    A line `# tl-lint: verify NAME(vec=4)` gives the arguments; several such lines make several kernels. Raises
    ValueError if such a line names no function of the file.
    """
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    named: dict[str, list[str]] = {}
    for match in re.finditer(r"^# tl-lint: verify ((\w+)\(.*\))$", text, re.MULTILINE):
        named.setdefault(match[2], []).append(match[1])
    found = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("host_") and "macro" not in _decorators(node):
            calls = named.pop(node.name, [node.name])
            found += [Kernel(file, node.name, call, _used_text(tree, node)) for call in calls]
    if named:
        raise ValueError(f"{file}: nothing to verify: {', '.join(named)}")
    return found


def _decorators(node: ast.FunctionDef) -> set[str]:
    called = [item.func if isinstance(item, ast.Call) else item for item in node.decorator_list]
    return {ast.unparse(item).rpartition(".")[2] for item in called}


def _used_text(tree: ast.Module, function: ast.FunctionDef) -> str:
    """Return the code of a function and of the statements that bind what it uses, imports and comments left out."""
    wanted: list[ast.stmt] = [function]
    for used in wanted:
        names = {node.id for node in ast.walk(used) if isinstance(node, ast.Name)}
        wanted += [item for item in tree.body if item not in wanted and names & set(_bound(item))]
    return "\n".join(ast.unparse(item) for item in wanted)


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement binds or fills: `x = 1`, `x["a"] = 1`, `x.update(a=1)`; not those of imports."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        yield statement.name
        return
    for node in ast.walk(statement):
        filled = isinstance(node, (ast.Name, ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store)
        if filled or (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            root = node.func if isinstance(node, ast.Call) else node
            while isinstance(root, (ast.Subscript, ast.Attribute)):
                root = root.value
            if isinstance(root, ast.Name) and (filled or isinstance(statement, ast.Expr)):
                yield root.id


class Compiler:
    """Lowers with one release of TileLang. What it did with a file is kept on disk, by the file's contents."""

    def __init__(self, release: str) -> None:
        """Nothing is started or installed before a file is asked for that the cache does not hold."""
        self._release = release
        self._process: subprocess.Popen[str] | None = None
        self._known: dict[Path, dict[str, Outcome]] = {}

    def outcome(self, kernel: Kernel) -> Outcome:
        """Return what became of a kernel; all kernels of its file are lowered together."""
        if kernel.file not in self._known:
            calls = [item.call for item in kernels(kernel.file)]
            answers = self._file(kernel.file, calls)
            self._known[kernel.file] = {call: _outcome(answer) for call, answer in zip(calls, answers, strict=True)}
        return self._known[kernel.file][kernel.call]

    def close(self) -> None:
        """End the process that compiles."""
        if self._process is not None:
            self._process.communicate()
            self._process = None

    def _file(self, file: Path, calls: list[str]) -> list[dict[str, Any]]:
        cached = self._cache_entry(file)
        if cached.exists():
            answers: list[dict[str, Any]] = json.loads(cached.read_text(encoding="utf-8"))
            return answers
        answers = self._ask(file, calls)
        if not any(answer["timed_out"] for answer in answers):
            cached.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=cached.parent, delete=False, encoding="utf-8") as temporary:
                json.dump(answers, temporary)
            Path(temporary.name).replace(cached)
        return answers

    def _cache_entry(self, file: Path) -> Path:
        python = f"py{sys.version_info.major}.{sys.version_info.minor}"
        key = hashlib.sha256(b"\0".join(path.read_bytes() for path in (file, _CHILD, Path(__file__)))).hexdigest()
        return cache_folder() / "lowered" / f"tilelang-{self._release}-{python}" / f"{key}.json"

    def _ask(self, file: Path, calls: list[str]) -> list[dict[str, Any]]:
        if self._process is None:
            command = [str(interpreter(self._release)), str(_CHILD)]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8")
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"file": str(file), "calls": calls, "limit": _LIMIT}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the compiling process ended with exit code {self._process.wait()}")
        answers: list[dict[str, Any]] = json.loads(line)["outcomes"]
        return answers


def _outcome(answer: dict[str, Any]) -> Outcome:
    asked = tuple((place, width) for place, width in answer["asked"])
    return Outcome(
        answer["stage"], answer["error"], answer["signal"], answer["timed_out"], asked, answer["source"], answer["log"]
    )
