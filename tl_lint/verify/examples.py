"""The example kernels of a rule: the functions of its bad.py, good.py and fixed.py, and how each is called."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass
from pathlib import Path

from tl_lint.rule import Rule
from tl_lint.verify.used import is_import, used

__all__ = ["FILES", "Example", "examples", "folder_of", "of_rule"]

FILES = ("bad.py", "fixed.py", "good.py")
"""The files of a rule's folder that hold kernels; fixed.py is absent where no safe fix exists."""


@dataclass(frozen=True)
class Example:
    """A function of an example file and how to call it.

    `arguments` is as in a call ("vec=4"). `line` and `end_line` count from 1 and include the decorators. `text` is the
    file with everything blanked that the function does not use, line for line: a neighbour that a release cannot build
    says nothing of it. `code` is the same without imports, comments and layout, to tell whether a fix changed it.
    """

    file: Path
    name: str
    arguments: str
    line: int
    end_line: int
    text: str
    code: str

    @property
    def key(self) -> str:
        """What it is called in evidence.json: "bad.py::zero", or "bad.py::parameter(vec=4)"."""
        return f"{self.file.name}::{self.call}"

    @property
    def call(self) -> str:
        """Its name, with its arguments if it has any."""
        return f"{self.name}({self.arguments})" if self.arguments else self.name


def of_rule(rule: Rule) -> list[Example]:
    """Return the examples of all files of a rule, in the files' order."""
    files = (folder_of(rule) / name for name in FILES)
    return [example for file in files if file.exists() for example in examples(file)]


def folder_of(rule: Rule) -> Path:
    """Return the folder that a rule is: in a checkout one of rules/, in an installation one of tl_lint/rules/."""
    return Path(inspect.getfile(type(rule))).parent


def examples(file: Path) -> list[Example]:
    """Return the kernels of an example file in their order: its functions but `host_*` and macros.

    A line `# tl-lint: verify NAME(vec=4)` gives the arguments; several such lines make several kernels. Raises
    ValueError if such a line names no function of the file.
    """
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    named: dict[str, list[str]] = {}
    for match in re.finditer(r"^# tl-lint: verify (\w+)\((.*)\)$", text, re.MULTILINE):
        named.setdefault(match[1], []).append(match[2])
    found = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("host_") and "macro" not in _decorators(node):
            found += [_example(file, text, tree, node, arguments) for arguments in named.pop(node.name, [""])]
    if named:
        raise ValueError(f"{file}: nothing to verify: {', '.join(named)}")
    return found


def _example(file: Path, text: str, tree: ast.Module, node: ast.FunctionDef, arguments: str) -> Example:
    statements = used(tree, [node, ast.parse(f"{node.name}({arguments})")])
    code = "\n".join(ast.unparse(item) for item in statements if not is_import(item))
    return Example(file, node.name, arguments, *_lines(node), _only(text, statements), code)


def _decorators(node: ast.FunctionDef) -> set[str]:
    called = [item.func if isinstance(item, ast.Call) else item for item in node.decorator_list]
    return {ast.unparse(item).rpartition(".")[2] for item in called}


def _lines(statement: ast.stmt) -> tuple[int, int]:
    decorators = statement.decorator_list if isinstance(statement, (ast.FunctionDef, ast.ClassDef)) else []
    assert statement.end_lineno is not None
    return min([statement.lineno, *(item.lineno for item in decorators)]), statement.end_lineno


def _only(text: str, statements: list[ast.stmt]) -> str:
    kept = {number for item in statements for number in range(_lines(item)[0], _lines(item)[1] + 1)}
    lines = enumerate(text.splitlines(keepends=True), start=1)
    return "".join(line if number in kept else "\n" for number, line in lines)
