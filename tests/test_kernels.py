"""The kernel model: the code of a node, and the kernel around it."""

from __future__ import annotations

from tests.support import HEADER, file_of, probe


def test_code_is_put_on_one_line() -> None:
    file = file_of("probe(f(\n    1,  # one\n    2))\n")
    assert file.code(probe(file.tree)) == "f(1, 2)"


def test_the_kernel_around_a_node() -> None:
    file = file_of(f"{HEADER}@T.prim_func\ndef f():\n    probe(1)\n")
    found = file.kernel(probe(file.tree))
    assert found is not None
    assert found[0].name.value == "f"
    assert file.kernel(file.tree.module) is None
