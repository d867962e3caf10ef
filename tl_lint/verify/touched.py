"""Whether a fix touches a kernel: it, or what it uses of its file, reads differently afterwards."""

from __future__ import annotations

import ast

from tl_lint.verify.reading import opened
from tl_lint.verify.used import bound, is_import, used

__all__ = ["touches"]


def touches(original: str, fixed: str, kernel: str) -> bool:
    """Return whether the code of `kernel`, a dotted name, differs between two texts of its file, comments aside.

    Its code is that of the statements that bind or fill what it uses, imports aside.
    """
    return _code(original, kernel) != _code(fixed, kernel)


def _code(text: str, kernel: str) -> list[str]:
    tree = opened(text).tree
    root = kernel.partition(".")[0]
    statements = used(tree, [item for item in tree.body if root in bound(item)])
    return [ast.unparse(item) for item in statements if not is_import(item)]
