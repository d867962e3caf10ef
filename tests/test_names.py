"""What a name refers to: import forms, aliases, shadowing, ambiguity, stars and re-exports."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

from tests.support import clean, probe, probes, tree_of
from tl_lint.names import UNKNOWN, Names, string_value, words

PARALLEL = "tilelang.language.Parallel"


def only(text: str, path: str | None = None, language_modules: tuple[str, ...] = ()) -> str | None:
    """Return the one dotted name of the argument of the `probe(...)` in a text."""
    tree = tree_of(text)
    return Names(tree, path, language_modules).only(probe(tree))


@pytest.mark.parametrize(
    "text",
    [
        "probe(T.Parallel)",
        "probe(Parallel)",
        "import tilelang\nprobe(T.Parallel)",
        "import tilelang\nprobe(tilelang.Parallel)",
        "import other as T\nprobe(T.Parallel)",
        "import tilelang.language as T\nprobe(T)",
        "import tilelang.language as T\nprobe(T.other.Parallel)",
        "import tilelang.language as T\nprobe(T.Parallel.other)",
        "import tilelang.language as T\nprobe(T.parallel)",
        "import tilelang.language as T\nprobe(T.Parallel())",
        "import tilelang.language as T\nprobe(T[0].Parallel)",
        "import tilelang.language as T\nprobe((T.Parallel,))",
        "import tilelang.language as T\nprobe('T.Parallel')",
        # shadowed
        "import tilelang.language as T\ndef f(T): probe(T.Parallel)",
        "import tilelang.language as T\ndef f(*T): probe(T.Parallel)",
        "import tilelang.language as T\ndef f[T](): probe(T.Parallel)",
        "import tilelang.language as T\ndef f():\n    probe(T.Parallel)\n    T = 1",
        "import tilelang.language as T\ndef f():\n    for T in x: probe(T.Parallel)",
        "import tilelang.language as T\ndef f():\n    with x as T: probe(T.Parallel)",
        "import tilelang.language as T\ndef f():\n    try: pass\n    except E as T: probe(T.Parallel)",
        "import tilelang.language as T\ndef f():\n    B, T = x.shape\n    probe(T.Parallel)",
        "import tilelang.language as T\n[probe(T.Parallel) for T in x]",
        "import tilelang.language as T\nf = lambda T: probe(T.Parallel)",
        "import tilelang.language as T\nT = f(T)\nprobe(T.Parallel)",
        "import tilelang.language as T\nclass T: pass\nprobe(T.Parallel)",
        "import tilelang.language as T\ndef T(): pass\nprobe(T.Parallel)",
        "import tilelang.language as T\ndel T\nprobe(T.Parallel)",
        "import tilelang.language as T\nmatch x:\n    case [T]: probe(T.Parallel)",
        "from tilelang.language import Parallel\nclass A:\n    def Parallel(self): probe(self.Parallel)",
        # not certain
        "import tilelang.language as T\nif x: import other as T\nprobe(T.Parallel)",
        "try: import tilelang.language as T\nexcept ImportError: import other as T\nprobe(T.Parallel)",
        "import tilelang.language as T\nT = T if x else y\nprobe(T.Parallel)",
        "import tilelang.language as T\ndef f():\n    global T\n    T = x\nprobe(T.Parallel)",
        # names that only look like it
        "import tilelang.languages as T\nprobe(T.Parallel)",
        "import mytilelang.language as T\nprobe(T.Parallel)",
        "from tilelang import languages as T\nprobe(T.Parallel)",
    ],
)
def test_other_names(text: str) -> None:
    assert only(text) != PARALLEL


@pytest.mark.parametrize(
    "text",
    [
        "import tilelang.language as T\nprobe(T.Parallel)",
        "import tilelang.language as language\nprobe(language.Parallel)",
        "import tilelang\nprobe(tilelang.language.Parallel)",
        "import tilelang as tl\nprobe(tl.language.Parallel)",
        "import tilelang.language\nprobe(tilelang.language.Parallel)",
        "import os, tilelang.language as T\nprobe(T.Parallel)",
        "from tilelang import language as T\nprobe(T.Parallel)",
        "from tilelang import language\nprobe(language.Parallel)",
        "from tilelang.language import Parallel\nprobe(Parallel)",
        "from tilelang.language import Parallel as P\nprobe(P)",
        "from tilelang.language import (\n    Parallel,\n)\nprobe(Parallel)",
        "from tilelang.language import *\nprobe(Parallel)",
        "from other import *\nfrom tilelang.language import *\nprobe(Parallel)",
        "import tilelang.cuda.language as T\nprobe(T.Parallel)",
        "from tilelang.rocm import language as T\nprobe(T.Parallel)",
        "import tilelang\nprobe(tilelang.cuda.language.Parallel)",
        "import tilelang.language.loop as loop\nprobe(loop.Parallel)",
        "from tilelang.language.loop import Parallel\nprobe(Parallel)",
        "from tilelang.cuda.language.loop import Parallel\nprobe(Parallel)",
        "import bitblas.tilelang.language as T\nprobe(T.Parallel)",
        "from bitblas import tilelang\nprobe(tilelang.language.Parallel)",
        # where it is bound
        "def f():\n    import tilelang.language as T\n    probe(T.Parallel)",
        "def f():\n    import tilelang.language as T\n    def g(): probe(T.Parallel)",
        "class A:\n    import tilelang.language as T\n    probe(T.Parallel)",
        "try: import tilelang.language as T\nexcept ImportError: T = None\nprobe(T.Parallel)",
        "try: import tilelang.language as T\nexcept ImportError: raise\nprobe(T.Parallel)",
        "if x: import tilelang.language as T\nelse: from tilelang import language as T\nprobe(T.Parallel)",
        "with x: import tilelang.language as T\nprobe(T.Parallel)",
        "def f(): probe(T.Parallel)\nimport tilelang.language as T",
        "T = 1\nimport tilelang.language as T\nprobe(T.Parallel)",
        # not shadowed after all
        "import tilelang.language as T\nclass A:\n    T = 1\n    def f(self): probe(T.Parallel)",
        "import tilelang.language as T\ndef f(a=probe(T.Parallel), T=1): pass",
        "import tilelang.language as T\n[a for T in probe(T.Parallel)]",
        "import tilelang.language as T\nf(T=1); probe(T.Parallel)",
        "import tilelang.language as T\nx.T = 1; probe(T.Parallel)",
        "import tilelang.language as T\n[T for T in x]; probe(T.Parallel)",
        "import tilelang.language as T\ndef f():\n    global T\n    probe(T.Parallel)",
        # aliases
        "import tilelang.language as T\nP = T.Parallel\nprobe(P)",
        "import tilelang.language as T\nU = T\nV = U\nprobe(V.Parallel)",
        "import tilelang.language as T\nP = Q = T.Parallel\nprobe(Q)",
        "import tilelang.language as T\nP, Q = T.serial, T.Parallel\nprobe(Q)",
        "import tilelang.language as T\nP: object = T.Parallel\nprobe(P)",
        "import tilelang.language as T\nif (P := T.Parallel): probe(P)",
        "import tilelang.language as T\nP = T.Parallel if x else T.Parallel\nprobe(P)",
        "import tilelang\nlanguage = tilelang.language\nprobe(language.Parallel)",
        "import importlib\nT = importlib.import_module('tilelang.language')\nprobe(T.Parallel)",
        "import tilelang.language as T\nprobe(getattr(T, 'Parallel'))",
        "import tilelang.language as T\nprobe((T).Parallel)",
        "import tilelang.language as T\nfrom functools import partial\nP = partial(T.Parallel, 4)\nprobe(P)",
        "import tilelang.language as T\nimport functools as f\nprobe(f.partial(f.partial(T.Parallel), 4))",
    ],
)
def test_names_of_the_language(text: str) -> None:
    assert only(text) == PARALLEL


@pytest.mark.parametrize(
    ("text", "dotted"),
    [
        ("probe(len)", "builtins.len"),
        ("len = 1\nprobe(len)", None),
        ("import numpy as np\nprobe(np.int32)", "numpy.int32"),
        ("from tilelang import tvm\nprobe(tvm.tirx.IntImm)", "tvm.tirx.IntImm"),
        ("import tilelang\nprobe(tilelang.tvm.tirx.IntImm)", "tvm.tirx.IntImm"),
        ("import tvm\nprobe(tvm.tir.IntImm)", "tvm.tir.IntImm"),
        ("import a.b\nprobe(a.b.c)", "a.b.c"),
        ("from tilelang.language import *\nprobe(min)", "tilelang.language.min"),
        ("from tilelang.language import *\nprobe(int)", "tilelang.language.int"),
        ("from tilelang.language import *\nprobe(len)", "builtins.len"),
        ("from tilelang.language import *\nprobe(sum)", "builtins.sum"),
        ("from other import *\nprobe(min)", "builtins.min"),
    ],
)
def test_other_modules_and_builtins(text: str, dotted: str | None) -> None:
    assert only(text) == dotted


def test_a_fallback_to_none_says_nothing() -> None:
    tree = tree_of("try: import tilelang.language as T\nexcept ImportError: T = None\nprobe(T)")
    assert Names(tree).resolve(probe(tree)) == {"tilelang.language"}


def test_an_ambiguous_name_has_all_its_meanings() -> None:
    tree = tree_of("import a\nif x: import b as a\nelse: a = c()\nprobe(a)")
    assert Names(tree).resolve(probe(tree)) == {"b", UNKNOWN}


@pytest.mark.parametrize(
    "text", ["a = a\nprobe(a)", "a = b\nb = a\nprobe(a)", "a = a.b\nprobe(a)", "a = a()\nprobe(a)"]
)
def test_a_name_made_of_itself_is_unknown(text: str) -> None:
    assert only(text) is None


def test_a_long_chain_of_aliases_ends() -> None:
    chain = "".join(f"P{number + 1} = P{number}\n" for number in range(3000))
    assert only(f"import tilelang.language as T\nP0 = T.Parallel\n{chain}probe(P3000)\n") in (None, PARALLEL)


@pytest.mark.parametrize(
    ("helper", "text"),
    [
        ("import tilelang.language as T", "from helper import T\nprobe(T.Parallel)"),
        ("import tilelang.language as T", "from .helper import T\nprobe(T.Parallel)"),
        ("import tilelang.language as T", "import helper\nprobe(helper.T.Parallel)"),
        ("import tilelang.language as T", "from helper import T as U\nprobe(U.Parallel)"),
        ("from tilelang.language import Parallel as P", "from helper import P\nprobe(P)"),
        (
            "try:\n    import tilelang.language as T\nexcept ImportError: pass",
            "from helper import T\nprobe(T.Parallel)",
        ),
        ("from tilelang.language import *", "from helper import *\nprobe(Parallel)"),
        ("import tilelang.language as T", "from helper import *\nprobe(T.Parallel)"),
        ("import tilelang", "from helper import tilelang\nprobe(tilelang.language.Parallel)"),
    ],
)
def test_a_module_of_the_project_that_hands_the_language_on(tmp_path: Path, helper: str, text: str) -> None:
    (tmp_path / "helper.py").write_text(helper)
    path = tmp_path / "kernel.py"
    assert only(text, str(path)) == PARALLEL
    assert only(text) != PARALLEL


@pytest.mark.parametrize("helper", ["T = 1", "import other as T", "import tilelang.language as U", "def f(:", "\0"])
def test_a_module_of_the_project_that_does_not(tmp_path: Path, helper: str) -> None:
    (tmp_path / "helper.py").write_text(helper)
    assert only("from helper import T\nprobe(T.Parallel)", str(tmp_path / "kernel.py")) != PARALLEL


def test_a_module_that_cannot_be_read_is_taken_at_its_name() -> None:
    assert only("from .tilelang_utils import T\nprobe(T.Parallel)") == PARALLEL
    assert only("from a.tilelang_utils import tl\nprobe(tl.Parallel)") == PARALLEL
    assert only("from a.tilelang_utils import other\nprobe(other.Parallel)") != PARALLEL
    assert only("from a.utils import T\nprobe(T.Parallel)") != PARALLEL


def test_a_configured_module_stands_for_the_language() -> None:
    text = "import mine.dsl as D\nprobe(D.Parallel)"
    assert only(text, None, ("mine.dsl",)) == PARALLEL
    assert only(text, None, ("mine.ds",)) != PARALLEL
    assert only("from mine.dsl import Parallel\nprobe(Parallel)", None, ("mine.dsl",)) == PARALLEL


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("w = 1\nprobe(w)", "1"),
        ("w = 1\nw = 2\nprobe(w)", "2"),
        ("w = 1\ndef f(): probe(w)\nw = 2", "12"),
        ("w = 1\nf = lambda: probe(w)\nw = 2", "12"),
        ("w = 1\ndef f(a=probe(w)): pass\nw = 2", "1"),
        ("w = 1\nclass A: probe(w)\nw = 2", "1"),
        ("import tilelang.language as T\nw = 1\n@T.prim_func\ndef f(): probe(w)\nw = 2", "1"),
        ("w = 1\nfor i in a:\n    def f(): probe(w)\n    w = 2", "12"),
        ("w = 1\ndef f():\n    global w\n    w = 2\n    probe(w)", "2"),
        ("w = 1\ndef f():\n    global w\n    if a: w = 2\n    probe(w)", "12"),
        ("w = 1\ndef f():\n    global w\n    w = 2\nprobe(w)", "12"),
        ("def f():\n    w = 1\n    def g():\n        nonlocal w\n        w = 2\n        probe(w)", "2"),
        ("def f(w):\n    w = 1\n    probe(w)", "1"),
    ],
)
def test_which_assignments_a_name_can_mean(text: str, values: str) -> None:
    tree = tree_of(text)
    name = probe(tree)
    assert isinstance(name, cst.Name)
    found = [each.meaning.value for each in Names(tree).bindings(name)]
    assert sorted(each.value for each in found if isinstance(each, cst.Integer)) == list(values)


def test_every_writing_of_a_name_is_listed() -> None:
    tree = tree_of("w = 1\nf(w=w).w\n")
    assert len(Names(tree).written("w")) == 4
    assert not Names(tree).written("v")


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        ("'a'", "a"),
        ('"""a"""', "a"),
        ("'a' \"b\"", "ab"),
        (r"'a\x62'", "ab"),
        (r"r'a\d'", r"a\d"),
        (r"'\d'", r"\d"),
        ("u'a'", "a"),
        ("b'a'", None),
        ("f'a'", None),
        ("1", None),
        ("a", None),
    ],
)
def test_the_text_of_a_literal(literal: str, text: str | None) -> None:
    assert string_value(cst.parse_expression(literal)) == text


def test_words() -> None:
    assert words("a  b\nc") == {"a", "b", "c"}


def test_many_uses_of_one_name() -> None:
    text = "w = 1\nw = 2\n" + "probe(w)\n" * 2000
    tree = tree_of(clean(text))
    names = Names(tree)
    found = [names.bindings(each) for each in probes(tree) if isinstance(each, cst.Name)]
    assert len(found) == 2000
    assert {len(each) for each in found} == {1}
