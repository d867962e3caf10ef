"""How a wrapper is spelled at a place: the order of the spellings, what shadows them, and the import that is added."""

from __future__ import annotations

import libcst as cst
import pytest

from tests.support import clean, file_of, fixed, probe
from tl_lint.spelling import Spelling, spell

ONLY = "from tilelang.language import Parallel\n"


def spelled(text: str, wanted: str = "IntImm") -> str | None:
    """Return how `wanted` is written at `probe(CALLEE)`; "+IntImm" if an import of it is added."""
    file = file_of(text)
    callee = probe(file.tree)
    found = spell(file.names, wanted, callee, callee)
    return None if found is None else ("+" if found.imports else "") + found.text


ORDER = [
    # the callee's own prefix
    ("import tilelang.language as T\nprobe(T.Parallel)", "T.IntImm"),
    ("import tilelang\nprobe(tilelang.language.Parallel)", "tilelang.language.IntImm"),
    ("import tilelang as tl\nprobe(tl.language.Parallel)", "tl.language.IntImm"),
    ("import tilelang.language as T\nimport tilelang.cuda.language as C\nprobe(C.Parallel)", "C.IntImm"),
    ("import tilelang.language as T\nU = T\nprobe(U.Parallel)", "U.IntImm"),
    ("import tilelang.language as T\nfrom tilelang.language import IntImm\nprobe(T.Parallel)", "T.IntImm"),
    # its imported name
    ("from tilelang.language import Parallel, IntImm\nprobe(Parallel)", "IntImm"),
    ("from tilelang.language import Parallel, IntImm as Imm\nprobe(Parallel)", "Imm"),
    ("import tilelang.language as T\nfrom tilelang.language import Parallel, IntImm\nprobe(Parallel)", "IntImm"),
    ("import tilelang.language as T\nI = T.IntImm\nP = T.Parallel\nprobe(P)", "I"),
    ("from tilelang.language import *\nprobe(Parallel)", "IntImm"),
    # a name for the language, the first one in the file, before a dialect
    ("import tilelang.language as T\nP = T.Parallel\nprobe(P)", "T.IntImm"),
    (
        f"import tilelang.language as T\nimport tilelang.language as U\n{ONLY}probe(Parallel)",
        "T.IntImm",
    ),
    ("import tilelang.language as T\nimport tilelang.language.loop as loop\nprobe(loop.Parallel)", "T.IntImm"),
    ("import tilelang.cuda.language as C\nimport tilelang.language as T\nP = C.Parallel\nprobe(P)", "T.IntImm"),
    # tilelang itself
    ("import tilelang\nfrom tilelang.language import Parallel\nprobe(Parallel)", "tilelang.language.IntImm"),
    ("import tilelang as tl\nP = tl.language.Parallel\nprobe(P)", "tl.language.IntImm"),
    ("import tilelang\nT = tilelang.language\nP = T.Parallel\nprobe(P)", "T.IntImm"),
    # an import is added
    (f"{ONLY}probe(Parallel)", "+IntImm"),
    ("from tilelang.language import Parallel as P\nprobe(P)", "+IntImm"),
    ("from tilelang.cuda.language import Parallel\nprobe(Parallel)", "+IntImm"),
    ("def f():\n    from tilelang.language import Parallel\n    probe(Parallel)", "+IntImm"),
    (f"{ONLY}P = Parallel\nprobe(P)", "+IntImm"),
    # nothing does
    ("from tilelang.language.loop import Parallel\nprobe(Parallel)", None),
    ("from tilelang.cuda.language.loop import Parallel\nprobe(Parallel)", None),
    ("import tilelang.language.loop as loop\nprobe(loop.Parallel)", None),
]

SHADOWED = [
    ("import tilelang.language as T\nP = T.Parallel\ndef f(T): probe(P)", None),
    ("import tilelang.language as T\nP = T.Parallel\n[probe(P) for T in a]", None),
    ("import tilelang.language as T\nP = T.Parallel\nf = lambda T: probe(P)", None),
    ("import tilelang.language as T\nP = T.Parallel\ndef f():\n    probe(P)\n    T = 1", None),
    ("import tilelang.language as T\nimport tilelang.language as U\nP = T.Parallel\ndef f(T): probe(P)", "U.IntImm"),
    ("import tilelang.language as T\nP = T.Parallel\nclass A:\n    T = 1\n    def f(self): probe(P)", "T.IntImm"),
    ("import tilelang.language as T\nP = T.Parallel\ndef f(a=probe(P), T=1): pass", "T.IntImm"),
    ("from tilelang.language import Parallel, IntImm\ndef f(IntImm): probe(Parallel)", None),
    (f"{ONLY}IntImm = 1\nprobe(Parallel)", None),
    (f"{ONLY}def f(IntImm): probe(Parallel)", None),
    (f"{ONLY}def f():\n    global IntImm\n    IntImm = 1\nprobe(Parallel)", None),
    ("from tilelang.language import *\ndef f(IntImm): probe(Parallel)", None),
    ("import tilelang\nfrom tilelang.language import Parallel\ndef f(tilelang): probe(Parallel)", "+IntImm"),
    ("import tilelang.language as T\nfrom tilelang.language import Parallel\ndel T\nprobe(Parallel)", "+IntImm"),
]

NOT_YET_BOUND = [
    (f"{ONLY}probe(Parallel)\nimport tilelang.language as T", "+IntImm"),
    (f"{ONLY}def f(): probe(Parallel)\nimport tilelang.language as T", "T.IntImm"),
    (
        f"{ONLY}if TYPE_CHECKING:\n    import tilelang.language as T\nprobe(Parallel)",
        "+IntImm",
    ),
    (
        f"{ONLY}if a:\n    import tilelang.language as T\n    probe(Parallel)",
        "T.IntImm",
    ),
    (
        f"{ONLY}if a:\n    import tilelang.language as T\nelse:\n    probe(Parallel)",
        "+IntImm",
    ),
    (
        f"{ONLY}for i in a:\n    import tilelang.language as T\nprobe(Parallel)",
        "+IntImm",
    ),
    (
        f"{ONLY}try: import tilelang.language as T\nexcept ImportError: T = None\nprobe(Parallel)",
        "T.IntImm",
    ),
    (
        f"{ONLY}try: pass\nexcept E: import tilelang.language as T\nprobe(Parallel)",
        "+IntImm",
    ),
    (
        f"{ONLY}def f():\n    import tilelang.language as T\ndef g(): probe(Parallel)",
        "+IntImm",
    ),
    (
        f"{ONLY}class A:\n    import tilelang.language as T\n    def g(self): probe(Parallel)",
        "+IntImm",
    ),
    ("def f():\n    from tilelang.language import Parallel\n    def g(): probe(Parallel)", "+IntImm"),
]


@pytest.mark.parametrize(("text", "written"), [*ORDER, *SHADOWED, *NOT_YET_BOUND])
def test_how_a_wrapper_is_written(text: str, written: str | None) -> None:
    assert spelled(text) == written


def test_names_made_of_each_other_end() -> None:
    text = f"import tilelang.language as T\n{ONLY}for i in a:\n    T = T\n    probe(Parallel)"
    assert spelled(text) == "T.IntImm"


def test_a_call_of_it() -> None:
    call = Spelling("a.b").called_with(cst.Arg(cst.Integer("4")))
    assert cst.Module([]).code_for_node(call) == "a.b(4)"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (ONLY, "from tilelang.language import IntImm, Parallel\n"),
        ("from tilelang.language import Parallel as P\n", "from tilelang.language import IntImm, Parallel as P\n"),
        (
            "from tilelang.language import serial, Parallel\n",
            "from tilelang.language import IntImm, serial, Parallel\n",
        ),
        ("from tilelang.language import (Parallel)\n", "from tilelang.language import (IntImm, Parallel)\n"),
        (
            "from tilelang.language import (\n    Parallel,  # loops\n    serial,\n)\n",
            "from tilelang.language import (\n    IntImm, Parallel,  # loops\n    serial,\n)\n",
        ),
        ("from tilelang.language import Parallel;a = 1\n", "from tilelang.language import IntImm, Parallel;a = 1\n"),
        (
            "try:\n\tfrom tilelang.language import Parallel\nexcept ImportError:\n\traise\n",
            "try:\n\tfrom tilelang.language import IntImm, Parallel\nexcept ImportError:\n\traise\n",
        ),
    ],
)
def test_the_import_that_is_added(before: str, after: str) -> None:
    name = "P" if " as P" in before else "Parallel"
    assert fixed(f"{before}{name}(4, coalesced_width=4)\n") == f'{after}{name}(4, coalesced_width=IntImm("int32", 4))\n'


def test_two_wrappers_are_added_to_one_import_once_each() -> None:
    before = clean(
        """
        from tilelang.language import Parallel
        def f(n, v: int):
            Parallel(n, coalesced_width=4)
            Parallel(n, coalesced_width=2)
            Parallel(n, coalesced_width=v)
            Parallel(n, coalesced_width=v)
        """
    )
    after = fixed(before)
    (line,) = [line for line in after.splitlines() if line.startswith("from")]
    assert sorted(line.removeprefix("from tilelang.language import ").split(", ")) == ["IntImm", "Parallel", "int32"]
    assert after.count("IntImm(") == 2
    assert after.count("int32(v)") == 2
