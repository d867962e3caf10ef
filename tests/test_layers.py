"""The imports between our modules point one way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "tl_lint"
FRONT_ENDS = {"cli", "flake8", "__main__"}


def _name(file: Path) -> str:
    return ".".join(file.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


def _imports(node: ast.AST) -> Iterator[str]:
    """Yield the modules of ours that are imported when the code runs: not those for the type checker alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.ImportFrom) and child.module and child.module.startswith("tl_lint."):
            yield child.module.removeprefix("tl_lint.")
        yield from _imports(child)


GRAPH = {
    _name(file): set(_imports(ast.parse(file.read_text(encoding="utf-8")))) for file in sorted(PACKAGE.rglob("*.py"))
}


def test_there_is_no_circle() -> None:
    order = list(TopologicalSorter(GRAPH).static_order())
    assert order.index("model") < order.index("rule") < order.index("registry")
    assert order.index("names") < order.index("values") < order.index("kernels") < order.index("engine")
    assert order.index("engine") < order.index("fixer") < order.index("runner") < order.index("cli")


def test_data_imports_nothing_of_ours() -> None:
    assert GRAPH["model"] == set()


def test_nothing_imports_a_front_end() -> None:
    for module, imported in GRAPH.items():
        assert not imported & (FRONT_ENDS - {"cli"} if module == "__main__" else FRONT_ENDS), module


def test_only_the_runner_and_what_it_asks_walk_directories() -> None:
    walking = {_name(file) for file in PACKAGE.rglob("*.py") if "os.scandir" in file.read_text(encoding="utf-8")}
    walking |= {_name(file) for file in PACKAGE.rglob("*.py") if "os.walk" in file.read_text(encoding="utf-8")}
    assert walking == {"runner"}


RUNNING = {"verify.child", "compat"}
"""What runs the user's code: the children of the verifier, and what users start to run their own scripts."""


def test_linting_never_runs_what_it_reads() -> None:
    """Only the registry imports modules by name, those of rules, and nothing evaluates text."""
    for file in PACKAGE.rglob("*.py"):
        if any(_name(file) == name or _name(file).startswith(f"{name}.") for name in RUNNING):
            continue
        called = {
            ast.unparse(node.func)
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call)
        }
        assert not called & {"eval", "exec", "compile", "runpy.run_path", "__import__"}, file
        if _name(file) not in ("registry", "coercion", "coercion_probe", "after_import"):
            assert not any("import_module" in name or "exec_module" in name for name in called), file


def test_nothing_but_its_front_end_imports_the_verifier() -> None:
    for module, imported in GRAPH.items():
        front_end = ("verify", "doctor_command", "output.verify", "output.junit", "output.doctor")
        if not module.startswith(front_end):
            assert not {name for name in imported if name.startswith("verify.")}, module


def test_children_import_little_of_ours() -> None:
    """A child costs what it imports, and what it imports must work beside any TileLang."""
    for module, imported in GRAPH.items():
        if module.startswith("verify.child"):
            rest = {name for name in imported if not name.startswith("verify.child.") and name != "verify.child"}
            assert rest <= {"verify.model", "verify.lines", "after_import", "coercion"}, module
