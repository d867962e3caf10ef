"""What holds for every kernel: findings under any spelling of the imports, and what a fix may change."""

from __future__ import annotations

import ast
import difflib

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import findings
from tl_lint.config import Settings
from tl_lint.engine import lint
from tl_lint.fixer import fix
from tl_lint.source import Source

SPELLINGS = {
    "T": "import tilelang.language as T",
    "language": "from tilelang import language",
    "L": "from tilelang import language as L",
    "tilelang.language": "import tilelang",
    "tl.language": "import tilelang as tl",
    "C": "import tilelang.cuda.language as C",
    "alias": "import tilelang.language as X; alias = X",
    "fallback": "try: import tilelang.language as fallback\nexcept ImportError: fallback = None",
    "module": "import importlib; module = importlib.import_module('tilelang.language')",
}
NAMES = (
    "Parallel",
    "copy",
    "int32",
    "IntImm",
    "min",
    "cast",
    "float32",
    "dynamic",
    "prim_func",
    "macro",
    "Kernel",
    "serial",
)
NARROW = f"from tilelang.language import {', '.join(name for name in NAMES if name != 'IntImm')}"
BARE = {
    "narrow": NARROW,
    "from": f"from tilelang.language import {', '.join(NAMES)}",
    "star": "from tilelang.language import *",
}

WIDTHS = st.sampled_from(
    [
        "4", "3", "0", "-2", "2 * 2", "True", "4.0", "'4'", "None", "vec", "lanes", "OPTIONS['v']", "SIZES[1]",
        "@int32(4)", "@IntImm('int32', 4)", "@int32(vec)", "@min(4, 8)", "@cast(4, 'int32')", "@float32(4)",
        "@dynamic('n')", "4 if flag else @int32(2)", "4 if flag else None", "vec if flag else 3", "flag or 4",
        "(w := 4)", "len(SIZES)", "vec + 1", "unknown.width", "local",
    ]
)  # fmt: skip
CALLS = st.sampled_from(
    [
        "@Parallel(n, coalesced_width={0})",
        "@Parallel(n, annotations={{'coalesced_width': {0}}})",
        "@Parallel(n, annotations=dict(coalesced_width={0}))",
        "@Parallel(n, **{{'coalesced_width': {0}}})",
        "@Parallel(n, coalesced_width={0}, loop_layout=None)",
        "@Parallel(n, coalesced_width={0}, loop_layout=flag)",
        "@copy(a, b, coalesced_width={0})",
        "@serial(n, annotations={{'coalesced_width': {0}}})",
    ]
)
LINES = st.builds(lambda call, width: call.format(width), CALLS, WIDTHS)
HEADS = st.sampled_from(
    [
        "def body(n, vec: int, flag, lanes=4):",
        "def body(n, vec, flag, lanes=None):",
        "@@macro\ndef body(n, vec, flag, lanes=4):",
        "@@prim_func\ndef body(n: @int32, vec: @int32, flag, lanes=4):",
    ]
)
LOCALS = st.sampled_from(["local = 4", "local = @int32(4)", "local = vec", "for local in (2, 4): pass"])


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """Draw a function whose uses of the language are marked with @."""
    lines = [draw(LOCALS), *draw(st.lists(LINES, min_size=1, max_size=5))]
    inside = "\n".join(f"        {line}" for line in lines)
    head = draw(HEADS)
    return f"OPTIONS = {{'v': 4}}\nSIZES = (2, 4)\n\n{head}\n    with @Kernel(1) as bx:\n{inside}\n"


def spelled(body: str, prefix: str) -> str:
    """Write `body` with `prefix` for the language; @@ stands for the @ of a decorator."""
    import_line = SPELLINGS.get(prefix) or BARE[prefix]
    written = f"{prefix}." if prefix in SPELLINGS else ""
    return f"{import_line}\n{body.replace('@@', chr(0)).replace('@', written).replace(chr(0), f'@{written}')}"


def shown(text: str) -> list[tuple[int, str]]:
    """Return the findings, with lines counted from the end of the file."""
    return [(line - text.count("\n"), code) for line, code in findings(text)]


@settings(max_examples=25, deadline=None)
@given(bodies())
def test_the_spelling_of_the_import_changes_no_finding(body: str) -> None:
    reference = shown(spelled(body, "T"))
    for prefix in (*SPELLINGS, "from"):
        assert shown(spelled(body, prefix)) == reference, prefix


@settings(max_examples=60, deadline=None)
@given(bodies(), st.sampled_from([*SPELLINGS, *BARE]), st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_a_fix_comes_to_an_end_and_changes_nothing_else(body: str, prefix: str, unsafe: bool, newline: str) -> None:
    before = spelled(body, prefix).replace("\n", newline)
    settings_ = Settings(unsafe_fixes=unsafe)
    result = fix(Source("kernel.py", before.encode()), settings_)
    assert result.reason is None
    after = result.source.text
    # a second time there is nothing left to do
    assert fix(result.source, settings_).source.text == after
    assert not any(
        each.fix is not None and (unsafe or each.fix.applicability.value == "safe") for each in result.remaining
    )
    # no finding is new, and every fix took one away
    assert len(result.remaining) == len(lint(Source("kernel.py", before.encode()), settings_)) - result.applied.total()
    # nothing is taken out: what was written is still there, in its order
    changed = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    assert is_subsequence(before, after), changed
    assert unwrapped(after) == unwrapped(before)
    assert after.count(newline) == before.count(newline)


def is_subsequence(short: str, long: str) -> bool:
    """Return whether all characters of `short` come in `long`, in that order."""
    remaining = iter(long)
    return all(character in remaining for character in short)


def unwrapped(text: str) -> str:
    """Return the syntax tree with every wrapper taken off, and its guard, and what an import was given."""

    class Unwrap(ast.NodeTransformer):
        def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
            node.names = [each for each in node.names if each.name != "IntImm"]
            return node

        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            return node.args[-1] if name in ("IntImm", "int32") and node.args else node

        def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
            self.generic_visit(node)
            none = isinstance(node.orelse, ast.Constant) and node.orelse.value is None
            test = node.test.left if isinstance(node.test, ast.Compare) else node.test
            return node.body if none and ast.dump(test) == ast.dump(node.body) else node

    return ast.dump(Unwrap().visit(ast.parse(text)))


@settings(max_examples=25, deadline=None)
@given(bodies(), st.sampled_from([*SPELLINGS, *BARE]))
def test_a_safe_fix_leaves_no_finding_that_it_answers(body: str, prefix: str) -> None:
    source = Source("kernel.py", spelled(body, prefix).encode())
    before = lint(source, Settings())
    result = fix(source, Settings())
    answered = [each for each in before if each.fix is not None and each.fix.applicability.value == "safe"]
    assert result.applied.total() == len(answered)


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=60), st.sampled_from([b"", b"import tilelang\ncoalesced_width = 1\n"]))
def test_any_bytes_give_findings_and_no_exception(data: bytes, before: bytes) -> None:
    assert isinstance(lint(Source("kernel.py", before + data), Settings()), list)
