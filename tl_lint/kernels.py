"""The kernel model: one file as rules see it, from names and values to the kernel around a node."""

from __future__ import annotations

import libcst as cst

from tl_lint.calls import Annotated, Calls
from tl_lint.names import Names
from tl_lint.releases import Target
from tl_lint.tracing import TraceKind, Tracing
from tl_lint.tree import Tree
from tl_lint.values import Values

__all__ = ["WIDTH_LOOPS", "WIDTH_TAKERS", "File", "fitted"]

_LONGEST_MESSAGE = 119
_SHORTEST_QUOTE = 12

WIDTH_LOOPS = frozenset({"Parallel", "parallel"})
"""The loops of the language that read a coalesced_width; `T.parallel` has no keyword for it (0.1.13, 0.1.15)."""
WIDTH_TAKERS = WIDTH_LOOPS | {"copy", "async_copy", "copy_cluster"}
"""All functions of the language that read one."""


class File:
    """One parsed file and all that is known of it. What costs time is worked out when it is first asked for.

    `path` is the file's path for following re-exports, or None. `target` are the targeted TileLang releases.
    """

    def __init__(self, tree: Tree, target: Target, path: str | None, language_modules: tuple[str, ...]) -> None:
        self.tree = tree
        self.target = target
        self.names = Names(tree, path, language_modules)
        self.tracing = Tracing(self.names)
        self.values = Values(self.names, self.tracing)
        self.calls = Calls(self.names, self.values)
        self._widths: dict[cst.Call, Annotated | None] = {}

    def coalesced_width(self, call: cst.Call) -> Annotated | None:
        """Return what a call of the language reads as its coalesced_width; None if it reads none, or never reads it.

        With `loop_layout` the loop is dictated and the width not read (measured from 0.1.8 to 0.1.15).
        """
        if call not in self._widths:
            self._widths[call] = self.calls.annotated(call, "coalesced_width", WIDTH_TAKERS, "loop_layout")
        return self._widths[call]

    def kernel(self, node: cst.CSTNode) -> tuple[cst.FunctionDef, TraceKind] | None:
        """Return the traced function whose own body holds `node`, and how it is declared; None in plain Python."""
        return self.tracing.around(node)

    def code(self, node: cst.CSTNode) -> str:
        """Return the text of a node on one line."""
        return " ".join(self.tree.module.code_for_node(node).split())


def fitted(template: str, quoted: str, last: str = "") -> str:
    """Return `template` with `quoted` and `last` put in its two places, shortened so that a message stays one line.

    `quoted` gives way first: what to write instead is worth more than what is there already.
    """
    room = _LONGEST_MESSAGE - len(template.format("", ""))
    quoted = _shortened(quoted, max(_SHORTEST_QUOTE, room - len(last)))
    return template.format(quoted, _shortened(last, room - len(quoted)))


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 3]}..."
