"""What the tests of the core share: a file from a text, the expression that a text asks about, findings and fixes."""

from __future__ import annotations

import textwrap

import libcst as cst

from tl_lint.config import Settings
from tl_lint.engine import lint
from tl_lint.fixer import fix
from tl_lint.kernels import File
from tl_lint.releases import Target
from tl_lint.source import Source
from tl_lint.tree import Tree

HEADER = "import tilelang.language as T\n"


def clean(text: str) -> str:
    """Return `text` without the indentation that it has in a test, and without a first empty line."""
    return textwrap.dedent(text).lstrip("\n")


def tree_of(text: str) -> Tree:
    """Return the tree of a text, its indentation in the test taken off."""
    return Tree(cst.parse_module(clean(text)))


def file_of(text: str, path: str | None = None, language_modules: tuple[str, ...] = ()) -> File:
    """Return the kernel model of a text, for all known releases."""
    return File(tree_of(text), Target.parse("all"), path, language_modules)


def probes(tree: Tree, called: str = "probe") -> list[cst.BaseExpression]:
    """Return the first arguments of the calls of `probe(...)` in a text, in the order of the text."""
    calls = [node for node in tree.nodes(cst.Call) if isinstance(node, cst.Call) and _is_name(node.func, called)]
    return [call.args[0].value for call in calls]


def probe(tree: Tree) -> cst.BaseExpression:
    """Return the argument of the one call of `probe(...)` in a text."""
    (found,) = probes(tree)
    return found


def _is_name(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def findings(text: str, settings: Settings | None = None) -> list[tuple[int, str]]:
    """Return line and code of every finding in a text."""
    source = Source("kernel.py", clean(text).encode())
    found = lint(source, settings or Settings())
    return [(source.position(each.span.start).line, each.code) for each in found]


def expected(text: str) -> list[tuple[int, str]]:
    """Return line and code of what the `# expect: CODE ...` markers of a text ask for."""
    found: list[tuple[int, str]] = []
    for number, line in enumerate(clean(text).splitlines(), 1):
        _, marker, codes = line.partition("# expect:")
        found += [(number, code) for code in sorted(codes.split())] if marker else []
    return found


def fixed(text: str, unsafe: bool = False) -> str:
    """Return a text with its safe fixes applied, and with `unsafe` the others too."""
    result = fix(Source("kernel.py", clean(text).encode()), Settings(unsafe_fixes=unsafe))
    assert result.reason is None, result.reason
    return result.source.text


def codes_for(width: str, before: str = "", header: str = HEADER) -> list[str]:
    """Return the codes for `T.Parallel(n, coalesced_width=<width>)` in a plain function."""
    return [
        code
        for _, code in findings(
            f"{header}{before}\ndef body(n, unknown):\n    T.Parallel(n, coalesced_width={width})\n"
        )
    ]


def fixed_width(width: str, before: str = "", header: str = HEADER, unsafe: bool = False) -> str:
    """Return what the width of `T.Parallel(n, coalesced_width=<width>)` in a plain function becomes by fixing."""
    text = f"{header}{before}\ndef body(n, unknown):\n    T.Parallel(n, coalesced_width={width})\n"
    changed = fixed(text, unsafe)
    start = changed.rindex("coalesced_width=") + len("coalesced_width=")
    return changed[start:].rstrip()[:-1]
