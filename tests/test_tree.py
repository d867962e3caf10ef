"""The walk: parents, order, statements, and nothing but layout left out."""

from __future__ import annotations

import libcst as cst
import pytest

from tests.support import probe, tree_of
from tl_lint.tree import Tree, children

LAYOUT = (
    cst.BaseParenthesizableWhitespace,
    cst.TrailingWhitespace,
    cst.EmptyLine,
    cst.Newline,
    cst.Comment,
    cst.LeftParen,
    cst.RightParen,
    cst.LeftSquareBracket,
    cst.RightSquareBracket,
    cst.LeftCurlyBrace,
    cst.RightCurlyBrace,
    cst.Comma,
    cst.Dot,
    cst.Colon,
    cst.Semicolon,
    cst.AssignEqual,
    cst.BaseBinaryOp,
    cst.BaseUnaryOp,
    cst.BaseBooleanOp,
    cst.BaseCompOp,
    cst.BaseAugOp,
    cst.Asynchronous,
    cst.BitOr,
    cst.NotEqual,
)

EVERYTHING = '''
"""A module."""
from __future__ import annotations
import a.b as c, d
from .e import (f as g, h)
x: int = 1; y = 2
a[1:2, ..., *b] += -3j
global_ = not (1 < 2 <= 3) and f"{x!r:>{y}} {{}}" "tail" or b"bytes"
del x, y


@decorated.by(1, *args, k=2, **kwargs)
async def function(p, /, q: int = 3, *rest, r: "str" = 4, **others) -> None:
    """Documented."""
    global z
    async with a as b, (c): pass
    async for i in (j async for j in k if j): await i
    else: return [*x, (yield), {**y, 1: 2}, {3}, lambda *a, b=1: (b := a)]
    try: raise ValueError from None
    except (A, B) as e: assert e, "message"
    else: pass
    finally: pass
    while True: break
    match x:
        case {"k": [1, *rest], **others} | A.B(c, d=None) as n if n: continue
        case _: pass


class Class(Base, metaclass=M):
    if a: ...
    elif b: print(a if b else c)
    else: return {k: v for k, v in z.items()}
'''
COMPREHENSIONS: tuple[type[cst.CSTNode], ...] = (cst.BaseComp,)


def test_an_empty_module_has_only_itself() -> None:
    tree = tree_of("")
    assert list(tree.below(tree.module)) == [tree.module]
    assert not tree.parents


def test_every_node_that_is_no_layout_is_walked() -> None:
    tree = tree_of(EVERYTHING)
    walked = set(tree.below(tree.module))
    every: set[cst.CSTNode] = set()
    stack: list[cst.CSTNode] = [tree.module]
    while stack:
        node = stack.pop()
        if not isinstance(node, LAYOUT):
            every.add(node)
            stack += node.children
    assert walked == every


def test_parents_and_children_agree() -> None:
    tree = tree_of(EVERYTHING)
    for node in tree.below(tree.module):
        for child in children(node):
            assert tree.parents[child] is node
    assert set(tree.parents) | {tree.module} == set(tree.below(tree.module))


def test_ancestors_go_from_the_parent_up_to_the_module() -> None:
    tree = tree_of("def f():\n    return probe(x)\n")
    name = probe(tree)
    chain = list(tree.ancestors(name))
    assert chain[-1][0] is tree.module
    assert [type(ancestor).__name__ for ancestor, _ in chain[:3]] == ["Arg", "Call", "Return"]
    below: cst.CSTNode = name
    for ancestor, child in chain:
        assert child is below
        below = ancestor


def test_statements_are_ordered_as_in_the_text() -> None:
    tree = tree_of("a\nif b:\n    c\nelse:\n    d\ne\n")
    names = sorted((node for node in tree.nodes(cst.Name)), key=tree.order)
    assert [name.value for name in names if isinstance(name, cst.Name)] == list("abcde")


def test_order_of_a_foreign_node_is_before_everything() -> None:
    assert tree_of("a\n").order(cst.Name("b")) == -1


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("probe(x)", cst.Expr),
        ("a = 1; b = probe(x)", cst.Assign),
        ("if probe(x): pass", cst.If),
        ("for i in probe(x): pass", cst.For),
        ("def f(a=probe(x)): pass", cst.FunctionDef),
        ("@probe(x)\nclass A: pass", cst.ClassDef),
        ("f = lambda: probe(x)", cst.Assign),
        ("while a:\n    del b[probe(x)]", cst.Del),
        ("if a: pass\nelif probe(x): pass", cst.If),
    ],
)
def test_the_innermost_statement(text: str, kind: type[cst.CSTNode]) -> None:
    tree = tree_of(text)
    assert isinstance(tree.statement(probe(tree)), kind)


def test_a_statement_is_its_own_and_the_module_is_last() -> None:
    tree = tree_of("x = 1\n")
    (assign,) = tree.nodes(cst.Assign)
    assert tree.statement(assign) is assign
    assert tree.statement(tree.module) is tree.module


def test_nodes_of_a_base_class_are_found() -> None:
    tree = tree_of("[i for i in a]; {i for i in a}; (i for i in a); {i: i for i in a}\n")
    assert len(list(tree.nodes(*COMPREHENSIONS))) == 4
    assert not list(tree.nodes(cst.Call))


def test_depth_costs_no_stack() -> None:
    expression: cst.BaseExpression = cst.Name("a")
    for _ in range(5000):
        expression = cst.Attribute(expression, cst.Name("b"))
    tree = Tree(cst.Module([cst.SimpleStatementLine([cst.Expr(expression)])]))
    assert sum(1 for _ in tree.below(tree.module)) == 10004
