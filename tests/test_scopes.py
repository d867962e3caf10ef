"""Scopes against Python's own symbol table, and what a binding says."""

from __future__ import annotations

import ast
import symtable
import sys

import libcst as cst
import pytest

from tests.support import clean, probe, probes, tree_of
from tl_lint.scopes import BindingKind, Scope, Scopes, dotted_name

PROGRAMS = {
    "nothing": "pass",
    "reads only": "def f(a): print(a, b)",
    "assignments": """
        def f():
            a = b = 1
            c, (d, [e, *g]) = x
            h: int = 2
            i += 1
            j.k = l[m] = 3
        """,
    "parameters": "def f(a, /, b, *c, d=e, **g): return lambda h, *i, j=k: a",
    "imports": """
        def f():
            import a.b, c.d as e
            from g import h, i as j
            from . import k
        """,
    "statements": """
        def f():
            for a, b in c:
                pass
            with d as e, (g) as h:
                pass
            try:
                pass
            except i as j:
                pass
            del k
            class L: pass
            def m(): pass
            async def n():
                async for o in p: pass
                async with q as r: pass
        """,
    "walrus": """
        def f():
            if (a := 1): pass
            [b := c for d in e]
            return [[g := h for i in j] for k in l]
        """,
    "match": """
        def f(x):
            match x:
                case {"k": a, **b}: pass
                case [c, *d] | (c, d): pass
                case K(e, g=h) as i: pass
                case 1 | None: pass
                case _: pass
        """,
    "global": """
        def f():
            global a, b
            a = 1
            b += c
            d = 1
            def g():
                nonlocal d
                d = 2
                global e
                import e
        """,
    "classes": """
        class A(b, metaclass=c):
            d = e
            def f(self, g=d): return d
            class B:
                h = d
            [i for i in d]
        """,
    "comprehensions": """
        def f(a):
            return {b: c for b, c in a if b for d in c}
        """,
    "nested": """
        def f(a):
            def g(b=a):
                return a, b, c
            c = 1
            return g
        """,
    "lambda defaults": "def f(a): return lambda b=a: (lambda: b)",
    "nonlocal through a class": """
        def f():
            a = 1
            class C:
                a = 2
                def g(self):
                    nonlocal a
                    a = 3
        """,
    "nonlocal past a function that does not bind it": """
        def outer():
            a = 1
            def mid():
                def inner():
                    nonlocal a
                    a = 2
                return a
        """,
    "nonlocal in a chain": """
        def outer(a):
            def mid():
                nonlocal a
                def inner():
                    nonlocal a
                    a = 2
                    class C:
                        nonlocal a
                        a = 3
                        def f(self): return a
        """,
    "nonlocal of the nearest function": """
        def outer():
            a = 1
            def mid():
                a = 2
                def inner():
                    nonlocal a
                    a = 3
        """,
    "global in a class": """
        def outer():
            a = 1
            class C:
                global a
                a = 2
                def f(self): return a
        """,
}
if sys.version_info >= (3, 12):
    PROGRAMS |= {
        "generic function": "def f[A, *B, **C](d: A, e=g) -> B:\n    h = 1\n    return C",
        "generic class": "class K[A](L[A]):\n    b = A\n    def f[C](self, d: A): e = C",
        "alias": "def f():\n    type A[B] = B\n    return A",
    }


def _tables(table: symtable.SymbolTable) -> list[symtable.SymbolTable]:
    below = [each for child in table.get_children() for each in _tables(child)]
    return [table, *below]


_COMPREHENSIONS = ("listcomp", "setcomp", "dictcomp", "genexpr")


def _is_plain(table: symtable.SymbolTable) -> bool:
    """Return whether the table is of a function or class that is written as one: no lambda, comprehension, generic."""
    kind = str(table.get_type()).rpartition(".")[2].lower()
    return kind in ("function", "class") and table.get_name() not in ("lambda", *_COMPREHENSIONS)


def _inlined(program: str, name: str) -> set[str]:
    """Return the loop names of comprehensions in a function: from Python 3.12 on they count as the function's too."""
    nodes = [each for each in ast.walk(ast.parse(program)) if getattr(each, "name", "") == name]
    loops = [each.target for node in nodes for each in ast.walk(node) if isinstance(each, ast.comprehension)]
    return {each.id for target in loops for each in ast.walk(target) if isinstance(each, ast.Name)}


def _names(program: str, table: symtable.SymbolTable) -> list[symtable.Symbol]:
    """Return the symbols of a table that its text writes."""
    left_out = _inlined(program, table.get_name())
    symbols = [each for each in table.get_symbols() if each.get_name() not in left_out]
    return [each for each in symbols if not each.get_name().startswith((".", "__"))]


def _where(scope: Scope | None) -> str:
    node = scope.node if scope is not None else None
    if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
        return node.name.value
    return type(node).__name__


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_same_names_are_bound_as_in_pythons_symbol_table(program: str) -> None:
    tree = tree_of(program)
    scopes = Scopes(tree)
    bound = {}
    for node in tree.nodes(cst.FunctionDef, cst.ClassDef):
        assert isinstance(node, (cst.FunctionDef, cst.ClassDef))
        bound[node.name.value] = set(scopes.own_scope(node).bindings)
    for table in filter(_is_plain, _tables(symtable.symtable(clean(program), "f.py", "exec"))):
        theirs = {symbol.get_name() for symbol in _names(clean(program), table) if symbol.is_local()}
        assert bound[table.get_name()] - _inlined(clean(program), table.get_name()) == theirs, table


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_name_is_found_in_the_scope_that_python_means(program: str) -> None:
    tree = tree_of(program)
    scopes = Scopes(tree)
    by_name = {
        node.name.value: node
        for node in tree.nodes(cst.FunctionDef, cst.ClassDef)
        if isinstance(node, (cst.FunctionDef, cst.ClassDef))
    }
    for table in filter(_is_plain, _tables(symtable.symtable(clean(program), "f.py", "exec"))):
        scope = scopes.own_scope(by_name[table.get_name()])
        for symbol in _names(clean(program), table):
            found = scope.lookup(symbol.get_name())
            if symbol.is_local():
                assert found is scope, symbol
            elif symbol.is_declared_global():
                assert found is scopes.module, symbol
            elif symbol.is_free():
                assert found not in (None, scope, scopes.module), symbol
            else:
                assert found in (None, scopes.module), symbol


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("a = 1\nprobe(a)", "Module"),
        ("probe(a)", "NoneType"),
        ("a = 1\ndef f():\n    probe(a)", "Module"),
        ("a = 1\ndef f(a):\n    probe(a)", "f"),
        ("def f(a, b=probe(a)): pass\na = 1", "Module"),
        ("a = 1\n@probe(a)\ndef f(a): pass", "Module"),
        ("a = 1\ndef f(a) -> probe(a): pass", "Module"),
        ("class A:\n    a = 1\n    probe(a)", "A"),
        ("class A:\n    a = 1\n    def f(self): probe(a)", "NoneType"),
        ("class A:\n    a = 1\n    b = [probe(a) for _ in c]", "NoneType"),
        ("class A:\n    a = 1\n    b = [c for c in probe(a)]", "A"),
        ("class A:\n    a = 1\n    b = [c for d in e for c in probe(a)]", "NoneType"),
        ("class A:\n    a = 1\n    b = lambda: probe(a)", "NoneType"),
        ("class A:\n    a = 1\n    b = lambda c=probe(a): c", "A"),
        ("class A:\n    a = 1\n    class B(probe(a)): pass", "A"),
        ("a = 1\nb = [probe(a) for a in c]", "ListComp"),
        ("a = 1\nb = [a for a in probe(a)]", "Module"),
        ("a = 1\nb = [d for a in c for d in probe(a)]", "ListComp"),
        ("a = 1\nb = [[probe(a) for d in a] for a in c]", "ListComp"),
        ("def f():\n    [a := b for b in c]\n    probe(a)", "f"),
        ("def f():\n    return probe(a)\n    a = 1", "f"),
        ("def f():\n    global a\n    probe(a)\na = 1", "Module"),
        ("def f():\n    a = 1\n    def g():\n        nonlocal a\n        probe(a)", "f"),
        ("def f():\n    a = 1\n    def g():\n        def h():\n            nonlocal a\n            probe(a)", "f"),
        ("def f():\n    a = 1\n    def g():\n        def h():\n            nonlocal a\n        probe(a)", "f"),
        (
            "def f(a):\n    def g():\n        a = 2\n        def h():\n            nonlocal a\n            probe(a)",
            "g",
        ),
        (
            "def f(a):\n    def g():\n        nonlocal a\n        def h():\n            nonlocal a; probe(a)",
            "f",
        ),
        ("def f():\n    a = 1\n    class K:\n        global a\n        def g(self): probe(a)", "f"),
        ("def f(a):\n    class B:\n        probe(a)", "f"),
        ("f = lambda a: probe(a)", "Lambda"),
        ("def f[A](): probe(A)", "TypeParameters"),
        ("def f[A](a: probe(A)): pass", "TypeParameters"),
        ("class K[A]:\n    def f(self): probe(A)", "TypeParameters"),
        ("type A[B] = probe(B)", "TypeParameters"),
        ("@probe(A)\ndef f[A](): pass", "NoneType"),
        ("A = 1\ndef f[B](): probe(A)", "Module"),
    ],
)
def test_where_a_name_is_looked_up(text: str, where: str) -> None:
    tree = tree_of(text)
    scopes = Scopes(tree)
    name = probe(tree)
    assert isinstance(name, cst.Name)
    assert _where(scopes.scope_of(name).lookup(name.value)) == where


@pytest.mark.parametrize(
    ("text", "kind", "path"),
    [
        ("x = v", BindingKind.ASSIGN, ()),
        ("x: int = v", BindingKind.ASSIGN, ()),
        ("a = x = v", BindingKind.ASSIGN, ()),
        ("a, x = v", BindingKind.ASSIGN, (1,)),
        ("[a, (b, x)] = v", BindingKind.ASSIGN, (1, 1)),
        ("a, *x = v", BindingKind.ASSIGN, None),
        ("*a, x = v", BindingKind.ASSIGN, None),
        ("x += v", BindingKind.AUGMENT, ()),
        ("(x := v)", BindingKind.ASSIGN, ()),
        ("for x in v: pass", BindingKind.LOOP, ()),
        ("for a, (b, x) in v: pass", BindingKind.LOOP, (1, 1)),
        ("with v as x: pass", BindingKind.WITH, ()),
        ("with v as (a, x): pass", BindingKind.WITH, (1,)),
    ],
)
def test_a_binding_knows_its_value_and_the_way_into_it(
    text: str, kind: BindingKind, path: tuple[int, ...] | None
) -> None:
    (binding,) = Scopes(tree_of(text)).module.bindings["x"]
    assert binding.kind is kind
    assert binding.path == path
    assert isinstance(binding.value, cst.Name)
    assert binding.value.value == "v"


@pytest.mark.parametrize(
    ("text", "name", "dotted"),
    [
        ("import a", "a", "a"),
        ("import a.b.c", "a", "a"),
        ("import a.b as x", "x", "a.b"),
        ("from a import b", "b", "a.b"),
        ("from a.b import c as x", "x", "a.b.c"),
        ("from . import b", "b", ".b"),
        ("from ..a import b", "b", "..a.b"),
    ],
)
def test_what_an_import_binds(text: str, name: str, dotted: str) -> None:
    (binding,) = Scopes(tree_of(text)).module.bindings[name]
    assert binding.kind is BindingKind.IMPORT
    assert binding.dotted == dotted


def test_a_star_import_binds_no_name_but_is_kept() -> None:
    module = Scopes(tree_of("from a import *\nfrom .b import *\n")).module
    assert not module.bindings
    assert [star.dotted for star in module.stars] == ["a", ".b"]


def test_an_annotation_without_a_value_binds_nothing() -> None:
    assert "x" not in Scopes(tree_of("x: int\n")).module.bindings


def test_every_place_that_binds_counts() -> None:
    tree = tree_of("x = 1\nx = 2\nfor x in y: pass\ndel x\nprobe(x)\n")
    assert len(Scopes(tree).module.bindings["x"]) == 4


def test_a_nonlocal_assignment_is_a_binding_of_the_function_that_has_the_name() -> None:
    tree = tree_of(
        "def f():\n    a = 1\n    def g():\n        def h():\n            nonlocal a\n            a = 2\n    probe(a)"
    )
    scopes = Scopes(tree)
    home = scopes.scope_of(probe(tree)).lookup("a")
    assert home is not None
    assert len(home.bindings["a"]) == 2


def test_dotted_names() -> None:
    tree = tree_of("probe(a.b.c)\nprobe(a)\nprobe(a().b)\nprobe(a[0].b)\n")
    assert [dotted_name(each) for each in probes(tree)] == ["a.b.c", "a", "", ""]
