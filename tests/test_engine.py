"""lint(): from the text of a file to its findings, for every syntax that Python has, and for what is none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import HEADER, clean, expected, findings, fixed
from tl_lint.config import Settings
from tl_lint.engine import lint
from tl_lint.fixer import fix
from tl_lint.model import CANNOT_ANALYSE, Applicability, Span
from tl_lint.releases import Target
from tl_lint.source import Source

BARE = "T.Parallel(4, coalesced_width=4)"


def source(text: str | bytes, path: str = "kernel.py") -> Source:
    return Source(path, text if isinstance(text, bytes) else text.encode())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"# coalesced_width of tilelang\n",
        b"coalesced_width = 'tilelang'\n",
        b"def f(:",  # broken, and none of our business
        b"coalesced_width \xff\n",
        b"import tilelang\n(((\n",
        b"coalesced_width = (((\n",
        b"\0",
    ],
)
def test_files_without_findings(data: bytes) -> None:
    assert lint(source(data), Settings()) == []


@pytest.mark.parametrize(
    "data",
    [
        b"import tilelang\ncoalesced_width = (\n",
        b"import tilelang\ncoalesced_width = \xff\n",
        b"# coding: nonsense\nimport tilelang\ncoalesced_width = 4\n",
        b"import tilelang\ncoalesced_width = 4\0\n",
        b"import tilelang\ncoalesced_width = " + b"(" * 3000 + b"4" + b")" * 3000 + b"\n",
        b"import tilelang\nprint 4, coalesced_width\n",
    ],
)
def test_what_cannot_be_analysed_is_one_finding(data: bytes) -> None:
    (found,) = lint(source(data), Settings())
    assert found.code == CANNOT_ANALYSE
    assert found.fix is None
    assert found.message
    assert "\n" not in found.message


def test_a_finding_has_everything() -> None:
    (found,) = lint(source(f"{HEADER}for i in {BARE}:\n    pass\n"), Settings())
    start = len(HEADER) + len("for i in T.Parallel(4, coalesced_width=")
    assert (found.code, found.name, found.span) == ("TLC001", "coalesced-width-not-intimm", Span(start, start + 1))
    assert found.fix is not None
    assert found.fix.applicability is Applicability.SAFE
    assert [(edit.start, edit.end, edit.text) for edit in found.fix.edits] == [
        (start, start + 1, 'T.IntImm("int32", 4)')
    ]


def test_findings_are_sorted_by_place_and_code() -> None:
    text = f"{HEADER}{BARE.replace('=4', '=3')}\n{BARE}\n"
    assert findings(text) == [(2, "TLC001"), (2, "TLC003"), (3, "TLC001")]


def test_selection_and_releases() -> None:
    text = source(f"{HEADER}{BARE.replace('=4', '=3')}\n")
    assert [each.code for each in lint(text, Settings(select=("TLC003",)))] == ["TLC003"]
    assert [each.code for each in lint(text, Settings(ignore=("TLC003",)))] == ["TLC001"]
    assert lint(text, Settings(target=Target.parse("0.1.7"))) == []
    assert lint(text, Settings(ignore=("TLC",))) == []


def test_what_is_silenced_is_left_out_unless_asked_for() -> None:
    text = source(f"{HEADER}{BARE}  # noqa: TLC001\n{BARE}  # noqa\n{BARE}  # noqa: E501\n")
    assert len(lint(text, Settings())) == 1
    assert len(lint(text, Settings(), silence=False)) == 3


def test_a_configured_module_is_a_trigger() -> None:
    text = source("import mine as T\nT.Parallel(4, coalesced_width=4)\n")
    assert lint(text, Settings()) == []
    assert len(lint(text, Settings(language_modules=("mine",)))) == 1


def test_a_reexporting_file_is_followed(tmp_path: Path) -> None:
    (tmp_path / "tilelang_helper.py").write_text("import tilelang.language as T\n")
    path = tmp_path / "kernel.py"
    text = "from tilelang_helper import T\nT.Parallel(4, coalesced_width=4)\n"
    assert len(lint(source(text, str(path)), Settings())) == 1


SYNTAX = {
    "type parameters": """
        def f[S](x: S): T.Parallel(4, coalesced_width=4)  # expect: TLC001
        def g[T](x: T): T.Parallel(4, coalesced_width=4)
        class A[T]:
            def f(self): T.Parallel(4, coalesced_width=4)
        type B[S] = T.Parallel(4, coalesced_width=4)  # expect: TLC001
        """,
    "match": """
        def f(x):
            match T.Parallel(4, coalesced_width=4):  # expect: TLC001
                case T.Parallel(coalesced_width=4): pass
                case {"coalesced_width": 4, **rest}: T.Parallel(4, coalesced_width=rest)  # expect: TLC002
                case [*w]: T.Parallel(4, coalesced_width=w)  # expect: TLC002
                case (1 | 2) as w: T.Parallel(4, coalesced_width=w)  # expect: TLC002
                case w if (q := T.Parallel(4, coalesced_width=4)): pass  # expect: TLC001
                case None | True: pass
        """,
    "f-strings": """
        a = f"{T.Parallel(4, coalesced_width=4)!r:>{4}} {{T.Parallel(4, coalesced_width=4)}}"  # expect: TLC001
        b = f'{x:{T.Parallel(4, coalesced_width=4)}}'  # expect: TLC001
        c = "T.Parallel(4, coalesced_width=4)"
        """,
    "decorators, bases and defaults": """
        @T.Parallel(4, coalesced_width=4)  # expect: TLC001
        class A(T.Parallel(4, coalesced_width=4), metaclass=T.Parallel(4, coalesced_width=None)):  # expect: TLC001
            def f(self, a=T.Parallel(4, coalesced_width=4)) -> T.Parallel(4): ...  # expect: TLC001
            g = lambda a=T.Parallel(4, coalesced_width=4): a  # expect: TLC001
        """,
    "async": """
        async def f():
            async with T.Parallel(4, coalesced_width=4) as a:  # expect: TLC001
                async for i in T.Parallel(4, coalesced_width=await a): pass  # expect: TLC002
            return [i async for i in T.Parallel(4, coalesced_width=(yield))]  # expect: TLC002
        """,
    "stars": """
        T.Parallel(*a, **b)
        T.Parallel(4, *a, coalesced_width=4, **b)  # expect: TLC001
        def f(*w, **v):
            T.Parallel(4, coalesced_width=w[0])  # expect: TLC002
            T.Parallel(4, **v)
        [*T.Parallel(4, coalesced_width=4)]  # expect: TLC001
        """,
    "except*": """
        try:
            T.Parallel(4, coalesced_width=4)  # expect: TLC001
        except* E as w:
            T.Parallel(4, coalesced_width=w)  # expect: TLC002
        """,
    "statements": """
        if a: T.Parallel(4, coalesced_width=4); b = 4  # expect: TLC001
        elif T.Parallel(4, coalesced_width=4): pass  # expect: TLC001
        else: T.Parallel(4, coalesced_width=T.int32(4))
        while T.Parallel(4, coalesced_width=4): break  # expect: TLC001
        assert T.Parallel(4, coalesced_width=4), a  # expect: TLC001
        del a[T.Parallel(4, coalesced_width=4)]  # expect: TLC001
        a[T.Parallel(4, coalesced_width=4)]: int = 4  # expect: TLC001
        with (T.Kernel(1) as (x, *y), a as b.c, d as e[0]): T.Parallel(4, coalesced_width=x)  # expect: TLC001
        for a.b in c: T.Parallel(4, coalesced_width=a.b)  # expect: TLC002
        raise T.Parallel(4, coalesced_width=4) from None  # expect: TLC001
        """,
    "spacing": """
        T . Parallel ( 4 , coalesced_width = 4 )  # expect: TLC001
        T.Parallel(4, coalesced_width=\\
            4)
        (T
         .Parallel)(
            4,
            coalesced_width=(  # why
                4  # expect: TLC001
            ),
        )
        """.replace("            4)\n        (T", "            4)  # expect: TLC001\n        (T"),
    "scopes that end in an odd way": """
        global x
        x = 4
        T.Parallel(4, coalesced_width=x)  # expect: TLC001
        def f():
            global T
            T.Parallel(4, coalesced_width=4)  # expect: TLC001
        """,
}


@pytest.mark.parametrize("name", SYNTAX)
def test_syntax(name: str) -> None:
    if name in ("type parameters", "except*") and sys.version_info < (3, 12):
        text = HEADER + clean(SYNTAX[name])
        assert [code for _, code in findings(text)] in ([CANNOT_ANALYSE], [code for _, code in expected(text)])
        return
    text = HEADER + clean(SYNTAX[name])
    assert findings(text) == expected(text)


@pytest.mark.parametrize(
    "width",
    [
        " + ".join(["4"] * 3000),
        "(" * 90 + "4" + ")" * 90,
        "[" * 150 + "4" + "]" * 150,
        "a" + ".b" * 6000,
        "4 if a else " * 90 + "2",
        "4 or " * 1000 + "2",
        "f(" * 80 + "4" + ")" * 80,
        "lambda: " * 80 + "4",
        "not " * 900 + "4",
        "-" * 500 + "4",
    ],
    ids=["sum", "brackets", "lists", "attributes", "choices", "or", "calls", "lambdas", "not", "minus"],
)
def test_deep_expressions_give_findings_or_are_not_analysed(width: str) -> None:
    codes = {each.code for each in lint(source(f"{HEADER}T.Parallel(4, coalesced_width={width})\n"), Settings())}
    assert codes <= {CANNOT_ANALYSE, "TLC001", "TLC002", "TLC003"}
    assert codes


@pytest.mark.parametrize(
    "text",
    [
        f"{BARE}\n" * 1000,
        "w = 4\nw = T.int32(w)\n" + "T.Parallel(4, coalesced_width=w)\n" * 1000,
        "".join(f"w = {number}\nT.Parallel(4, coalesced_width=w)\n" for number in range(400)),
        "def f(a):\n"
        + "".join(f"    if a: w = {number}\n" for number in range(300))
        + "    T.Parallel(4, coalesced_width=w)\n" * 20,
        "".join(f"def f{number}(w: int): T.Parallel(4, coalesced_width=w)\nf{number}(4)\n" for number in range(300)),
        "".join(f"from a{number} import *\n" for number in range(300)) + "Parallel(4, coalesced_width=4)\n" * 100,
        "def f(n, w): T.Parallel(4, coalesced_width=w)\n"
        + "".join(f"f({number}, {number})\n" for number in range(1000)),
        "".join(f"{' ' * depth}for i{depth} in a:\n" for depth in range(60)) + " " * 60 + BARE + "\n",
        "".join(f"{' ' * depth}def f{depth}(a):\n" for depth in range(60))
        + " " * 60
        + "T.Parallel(4, coalesced_width=a)\n",
    ],
    ids=["calls", "one name", "rebinding", "ifs", "functions", "stars", "call sites", "loops", "nested functions"],
)
def test_large_files_end(text: str) -> None:
    assert findings(HEADER + text) is not None


def test_an_edit_does_not_run_into_the_word_before_it() -> None:
    before = f"{HEADER}T.Parallel(4, coalesced_width=T.int32(2) if a else[1, 2][1])\n"
    assert fixed(before) == before.replace("[1, 2][1]", ' T.IntImm("int32", [1, 2][1])')


def test_nothing_of_libcst_is_loaded_for_files_without_the_language() -> None:
    program = (
        "import sys\n"
        "from tl_lint.source import Source\nfrom tl_lint.config import Settings\nfrom tl_lint.engine import lint\n"
        "settings = Settings(rules=())\n"
        "assert lint(Source('a.py', b'import numpy\\n'), settings) == []\n"
        "assert 'libcst' not in sys.modules\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_the_source_is_not_changed() -> None:
    text = source(f"{HEADER}{BARE}\n")
    lint(text, Settings())
    assert text.data == f"{HEADER}{BARE}\n".encode()
    assert fix(text, Settings(ignore=("TLC001",))).source is text
