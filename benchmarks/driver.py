"""Prints how much of a folder of example scripts `tl-lint verify --driver` reaches without a GPU.

    python benchmarks/driver.py FOLDER [--only PART,...] [--seconds N] [--json FILE] [--package-path P]

Each script below FOLDER with a `__main__` block and a jit factory of its own is run as `python SCRIPT`. Counted are its
functions under `tilelang.jit` that are called from its main, directly or through other functions of the file, by what
can be read; a factory counts as captured if a PrimFunc of it reached the compiler. To be run by a Python with TileLang.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tl_lint.verify.driving import Drive, captured
from tl_lint.verify.isolation import Isolation, Limits


def main() -> int:
    """Run the scripts one after the other, and print a line each and the sum."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="parts of paths, one of which has to occur")
    parser.add_argument("--seconds", type=float, default=120.0, help="time limit of a script")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    parts = [part for part in arguments.only.split(",") if part]
    rows = []
    with Isolation(preload=()) as isolation:
        for file in sorted(arguments.folder.rglob("*.py")):
            if parts and not any(part in str(file.relative_to(arguments.folder)) for part in parts):
                continue
            factories = jit_factories(file)
            if factories:
                drive = captured(
                    f"python '{file.name}'", {}, Limits(arguments.seconds), isolation, folder=str(file.parent)
                )
                rows.append(row(file.relative_to(arguments.folder), file, factories, drive))
                print(shown(rows[-1]), flush=True)
    total = sum(len(item["factories"]) for item in rows)
    got = sum(len(item["captured"]) for item in rows)
    print(f"{len(rows)} files: {got} of {total} jit factories captured ({100 * got / max(1, total):.0f} %)")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 0


def jit_factories(file: Path) -> dict[str, tuple[int, int]]:
    """Return the lines (first, last) by name of a script's jit functions that its main reaches, {} without a main."""
    tree = ast.parse(file.read_bytes())
    functions = {item.name: item for item in tree.body if isinstance(item, (ast.FunctionDef, ast.ClassDef))}
    blocks = [item for item in tree.body if isinstance(item, ast.If) and "__main__" in ast.unparse(item.test)]
    reached: set[str] = set()
    # Whatever stands at module level runs too.
    waiting: list[ast.AST] = [*blocks, *(item for item in tree.body if isinstance(item, (ast.Assign, ast.Expr)))]
    while waiting and blocks:
        for name in names(waiting.pop()):
            if name in functions and name not in reached:
                reached.add(name)
                waiting.append(functions[name])
    found = {}
    for name, function in functions.items():
        if name in reached and any(is_jit(item) for item in function.decorator_list):
            found[name] = (min(item.lineno for item in function.decorator_list), function.end_lineno or 0)
    return found


def is_jit(decorator: ast.expr) -> bool:
    """Whether a decorator is TileLang's jit; triton has one too."""
    text = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
    return text.rpartition(".")[2] == "jit" and "triton" not in text


def names(node: ast.AST) -> Iterator[str]:
    """Yield the names used in a node."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id


def row(shown_path: Path, file: Path, factories: dict[str, tuple[int, int]], drive: Drive) -> dict[str, Any]:
    """Return what came of a script as JSON data."""
    own = [kernel for kernel in drive.kernels if os.path.realpath(kernel.path) == os.path.realpath(file)]
    got = {
        name
        for name, (first, last) in factories.items()
        if any(first <= kernel.line <= last and kernel.tir for kernel in own)
    }
    errors = {kernel.name: kernel.error for kernel in drive.kernels if kernel.error}
    last = next((line for line in reversed(drive.log.splitlines()) if line.strip()), "")
    return {
        "file": str(shown_path),
        "factories": sorted(factories),
        "captured": sorted(got),
        "kernels": len(drive.kernels),
        "outcome": drive.outcome,
        "errors": errors,
        "last": last.strip()[:300],
        "seconds": round(drive.seconds, 1),
        "log": drive.log[-6000:],
    }


def shown(item: dict[str, Any]) -> str:
    """Return a script's line."""
    missing = sorted(set(item["factories"]) - set(item["captured"]))
    text = f"{item['file']}: {len(item['captured'])}/{len(item['factories'])}, {item['kernels']} kernels"
    text += f", {item['outcome']}, {item['seconds']} s"
    if missing:
        text += f"\n    missing {', '.join(missing)}"
    return text if not missing and item["outcome"] == "ends" else f"{text}\n    {item['errors'] or item['last']}"


if __name__ == "__main__":
    sys.exit(main())
