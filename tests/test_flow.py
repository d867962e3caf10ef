"""Reaching definitions: against programs that are run, and tables for what one run cannot show."""

from __future__ import annotations

import warnings
from contextlib import suppress
from functools import partial
from typing import Any

import libcst as cst
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import probe, probes, tree_of
from tl_lint.flow import Definition, Flow, excluded, later
from tl_lint.tree import Tree


def definitions_of(tree: Tree, owner: cst.CSTNode, name: str = "w") -> list[Definition[str]]:
    """Return the assignments `w = NUMBER` and `(w := NUMBER)` below `owner`, each meaning its number."""
    found: list[Definition[str]] = []
    for node in tree.below(owner):
        target = node.targets[0].target if isinstance(node, cst.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if isinstance(target, cst.Name) and target.value == name and isinstance(value, cst.Integer):
            found.append(Definition(node, value.value))
    return found


def reaching(text: str, entry: tuple[str, ...] = ()) -> list[str] | None:
    """Return the numbers that reach the one `probe(w)` of a module, "?" where the flow does not know."""
    tree = tree_of(text)
    state = Flow(tree, tree.module, "w", definitions_of(tree, tree.module), entry).reaching(probe(tree))
    return None if state is None else sorted({each.meaning for each in state})


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("probe(w)", ""),
        ("probe(w)\nw = 1", ""),
        ("w = probe(w)\nw = 1", ""),
        ("w = 1\nprobe(w)", "1"),
        ("w = 1\nw = 2\nprobe(w)", "2"),
        ("w = 1; probe(w); w = 2", "1"),
        # if
        ("w = 1\nif a: w = 2\nprobe(w)", "12"),
        ("if a: w = 1\nelse: w = 2\nprobe(w)", "12"),
        ("w = 1\nif a: w = 2\nelif b: w = 3\nelse: w = 4\nprobe(w)", "234"),
        ("w = 1\nif a:\n    w = 2\n    probe(w)", "2"),
        ("w = 1\nif a: w = 2\nelse: probe(w)", "1"),
        ("w = 1\nif a: w = 2\nelif probe(w): pass", "1"),
        # loops
        ("w = 1\nfor i in a: w = 2\nprobe(w)", "12"),
        ("w = 1\nfor i in a:\n    probe(w)\n    w = 2", "12"),
        ("w = 1\nfor i in a:\n    w = 2\n    probe(w)", "2"),
        ("w = 1\nfor i in a:\n    if b: continue\n    w = 2\nprobe(w)", "12"),
        ("w = 1\nfor i in a:\n    w = 2\n    break\nelse:\n    probe(w)", "1"),
        ("for i in a:\n    w = 1\n    break\nelse:\n    w = 2\nprobe(w)", "12"),
        ("w = 1\nwhile a: w = 2\nelse: w = 3\nprobe(w)", "3"),
        ("w = 1\nwhile a:\n    w = 2\n    if b: break\nelse:\n    w = 3\nprobe(w)", "23"),
        ("w = 1\nwhile probe(w): w = 2", "12"),
        ("w = 1\nwhile True:\n    w = 2\n    if a: break\nprobe(w)", "2"),
        ("w = 1\nwhile 1:\n    if a: break\n    w = 2\nprobe(w)", "12"),
        ("while True:\n    w = 1\n    break\nelse:\n    w = 2\nprobe(w)", "1"),
        ("w = 1\nfor i in a:\n    for j in b:\n        probe(w)\n        w = 2\n    w = 3", "123"),
        ("w = 1\nfor i in a:\n    for j in b:\n        break\n    else:\n        w = 2\n    probe(w)", "12"),
        # leaving
        ("w = 1\nif a:\n    w = 2\n    raise b\nprobe(w)", "1"),
        ("w = 1\nfor i in a:\n    w = 2\n    raise b\nprobe(w)", "1"),
        # try
        ("w = 1\ntry: w = 2\nexcept A: pass\nprobe(w)", "12"),
        ("w = 1\ntry: f()\nexcept A: w = 2\nprobe(w)", "12"),
        ("w = 1\ntry: w = 2\nexcept A: raise\nprobe(w)", "2"),
        ("w = 1\ntry: w = 2\nexcept A: w = 3\nelse: w = 4\nprobe(w)", "34"),
        ("w = 1\ntry: w = 2\nfinally: probe(w)", "12"),
        ("w = 1\ntry: w = 2\nfinally: pass\nprobe(w)", "2"),
        ("w = 1\ntry:\n    w = 2\n    w = 3\nexcept A: probe(w)", "123"),
        ("try: w = 1\nexcept A: w = 2\nfinally: w = 3\nprobe(w)", "3"),
        ("w = 1\ntry:\n    raise a\nexcept A:\n    w = 2\nprobe(w)", "2"),
        ("w = 1\ntry:\n    try: w = 2\n    except A: w = 3\nexcept B: probe(w)", "123"),
        # with, match
        ("w = 1\nwith a: w = 2\nprobe(w)", "2"),
        ("w = 1\nmatch a:\n    case 1: w = 2\n    case 2: w = 3\nprobe(w)", "123"),
        ("w = 1\nmatch a:\n    case 1: w = 2\n    case 2: probe(w)", "1"),
        ("w = 1\nmatch a:\n    case 1: w = 2\n    case _: w = 3\nprobe(w)", "23"),
        ("w = 1\nmatch a:\n    case 1: w = 2\n    case b if c: w = 3\nprobe(w)", "123"),
        ("for i in a:\n    try: break\n    finally: w = 2\nelse: w = 3\nprobe(w)", "23"),
        ("w = 1\nfor i in a:\n    try:\n        w = 2\n        continue\n    finally: w = 3\nprobe(w)", "13"),
        ("w = 1\ntry:\n    w = 2\n    raise a\nfinally: probe(w)", "12"),
        # expressions, which may not be run to their end
        ("(w := 1)\nprobe(w)", "1"),
        ("w = 1\na and (w := 2)\nprobe(w)", "12"),
        ("w = 1\nif (w := 2): probe(w)", "12"),
        # code that runs later reads at its definition
        ("w = 1\ndef f(): probe(w)\nw = 2", "1"),
        ("w = 1\nclass A: probe(w)\nw = 2", "1"),
    ],
)
def test_what_reaches_a_place(text: str, numbers: str) -> None:
    assert reaching(text) == list(numbers)


@pytest.mark.parametrize(
    "text",
    [
        "if a:\n    raise b\n    probe(w)",
        "while True: pass\nprobe(w)",
        "for i in a:\n    break\n    probe(w)",
    ],
)
def test_what_is_never_reached_is_not_told(text: str) -> None:
    assert reaching(f"w = 1\n{text}\n") is None


def test_what_comes_in_reaches_until_it_is_replaced() -> None:
    assert reaching("if a: w = 1\nprobe(w)", ("0",)) == ["0", "1"]
    assert reaching("w = 1\nprobe(w)", ("0",)) == ["1"]


def test_deep_loops_end_and_say_that_they_do_not_know() -> None:
    loops = "".join(f"{' ' * depth}for i{depth} in a:\n" for depth in range(60))
    assert reaching(f"w = 1\n{loops}{' ' * 60}probe(w)\n") is None


def test_later_definitions_are_those_below_or_in_the_same_loop() -> None:
    tree = tree_of("w = 1\nfor i in a:\n    w = 2\n    def f(): pass\n    w = 3\nw = 4\n")
    (function,) = tree.nodes(cst.FunctionDef)
    found = later(definitions_of(tree, tree.module), tree, function)
    assert sorted(each.meaning for each in found) == ["2", "3", "4"]


# ---------------------------------------------------------------------- programs that run

_LEAVES = st.sampled_from(["w = N", "probe(w)", "pass", "if a(): break", "if a(): continue", "raise_()"])


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _with_head(head: str, body: list[str]) -> list[str]:
    step = ["a()"] if head == "while True:" else []  # lets a run that is too long come to its end
    return [head, *_indented([*step, *body])]


def _compound(blocks: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    def with_else(head: str, tails: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
        parts = [blocks.map(partial(_with_head, each)) for each in (head, *tails)]
        return st.tuples(*parts).map(lambda found: [line for part in found for line in part])

    heads: list[tuple[str, tuple[str, ...]]] = [
        ("if a():", ()),
        ("if a():", ("else:",)),
        ("if a():", ("elif a():", "else:")),
        ("for _ in b():", ()),
        ("for _ in b():", ("else:",)),
        ("while a():", ("else:",)),
        ("while True:", ()),
        ("try:", ("except E:",)),
        ("try:", ("except E:", "else:")),
        ("try:", ("finally:",)),
        ("try:", ("except E:", "finally:")),
        ("with c():", ()),
    ]
    return st.sampled_from(heads).flatmap(lambda each: with_else(*each))


_BLOCKS = st.recursive(
    st.lists(_LEAVES, min_size=1, max_size=3),
    lambda blocks: st.lists(st.one_of(_LEAVES.map(lambda leaf: [leaf]), _compound(blocks)), min_size=1, max_size=3).map(
        lambda parts: [line for part in parts for line in part]
    ),
    max_leaves=8,
)


def _program(lines: list[str]) -> str:
    """Number the definitions and the probes, and put breaks that stand in no loop into one."""
    numbered = []
    for index, line in enumerate(lines):
        numbered.append(line.replace("w = N", f"w = {index + 1}").replace("probe(w)", f"probe(w, {index + 1})"))
    return "w = 0\nfor _ in b():\n" + "\n".join(_indented(numbered)) + "\nprobe(w, 0)\n"


class _Stop(BaseException):
    """Ends a program that has run for long enough."""


class _Error(Exception):
    """What the programs raise and catch."""


class _Context:
    def __enter__(self) -> None:
        """Enter."""

    def __exit__(self, *_: object) -> None:
        """Leave."""


def _observe(program: str, choices: list[bool]) -> set[tuple[int, int]]:
    """Run `program` with these decisions and return which definition was seen at which probe."""
    seen: set[tuple[int, int]] = set()
    decisions = iter(choices)

    def decide() -> bool:
        try:
            return next(decisions)
        except StopIteration:
            raise _Stop from None

    def repeat() -> Any:
        while decide():
            yield 0

    def maybe_raise() -> None:
        if decide():
            raise _Error

    def note(value: int, place: int) -> bool:
        seen.add((place, value))
        return decide()

    names = {
        "a": decide,
        "b": repeat,
        "c": _Context,
        "E": _Error,
        "raise_": maybe_raise,
        "probe": note,
    }
    with suppress(_Stop, _Error), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.14 warns of a break in a finally
        exec(compile(program, "program", "exec"), names)
    return seen


@settings(max_examples=150, deadline=None)
@given(lines=_BLOCKS, runs=st.lists(st.lists(st.booleans(), min_size=12, max_size=12), min_size=4, max_size=8))
def test_whatever_a_run_sees_is_among_what_reaches(lines: list[str], runs: list[list[bool]]) -> None:
    program = _program(lines)
    tree = tree_of(program)
    flow = Flow(tree, tree.module, "w", definitions_of(tree, tree.module))
    places = {int(call.args[1].value.value): call.args[0].value for call in _calls(tree)}  # type: ignore[attr-defined]
    for choices in runs:
        for place, value in _observe(program, choices):
            state = flow.reaching(places[place])
            assert state is not None, (program, place)
            assert str(value) in {each.meaning for each in state}, (program, place, value)


def _calls(tree: Tree) -> list[cst.Call]:
    return [node for node in tree.nodes(cst.Call) if isinstance(node, cst.Call) and len(node.args) == 2]


# ---------------------------------------------------------------------- tests of values

NONE, INT, IMM, ZERO = (frozenset({word}) for word in ("None", "int", "IntImm", "zero"))
NOTHING: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    ("test", "when_true", "when_false"),
    [
        ("a", NOTHING, NOTHING),
        ("w > 2", NOTHING, NOTHING),
        ("w == 4", NOTHING, NOTHING),
        ("f(w)", NOTHING, NOTHING),
        ("a is None", NOTHING, NOTHING),
        ("isinstance(a, int)", NOTHING, NOTHING),
        ("isinstance(w, Unknown)", NOTHING, NOTHING),
        ("type(a) is int", NOTHING, NOTHING),
        ("type(w) is Unknown", NOTHING, NOTHING),
        ("type(w) > int", NOTHING, NOTHING),
        ("type(w, a) is int", NOTHING, NOTHING),
        ("w is None is a", NOTHING, NOTHING),
        ("w", NONE | ZERO, NOTHING),
        ("not w", NOTHING, NONE | ZERO),
        ("w is not None", NONE, NOTHING),
        ("w is None", NOTHING, NONE),
        ("None is not w", NONE, NOTHING),
        ("w != None", NONE, NOTHING),
        ("w == None", NOTHING, NONE),
        ("not w is None", NONE, NOTHING),
        ("w is not None and a", NONE, NOTHING),
        ("w is None or a", NOTHING, NONE),
        ("w is not None or a", NOTHING, NOTHING),
        ("w is None and a", NOTHING, NOTHING),
        ("isinstance(w, int)", NONE | IMM, INT),
        ("isinstance(w, T.IntImm)", NONE | INT, IMM),
        ("isinstance(w, tvm.tirx.PrimExpr)", NONE | INT, IMM),
        ("isinstance(w, (int, np.integer))", NONE | IMM, INT),
        ("isinstance(w, (int, T.IntImm))", NONE, INT | IMM),
        ("isinstance(w, (int, Unknown))", NOTHING, INT),
        ("not isinstance(w, int)", INT, NONE | IMM),
        ("type(w) is int", NONE | IMM, INT),
        ("type(w) == int", NONE | IMM, INT),
        ("type(w) is not int", INT, NONE | IMM),
        ("type(w) != T.IntImm", IMM, NONE | INT),
        ("type(w) in (int, np.integer)", NONE | IMM, INT),
        ("type(w) not in (int, T.IntImm)", INT | IMM, NONE),
    ],
)
def test_what_a_condition_excludes(test: str, when_true: frozenset[str], when_false: frozenset[str]) -> None:
    assert excluded(cst.parse_expression(test), "w") == (when_true, when_false)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("w = 1\nprobe(w)", [NOTHING]),
        ("w = 1\nif w is not None: probe(w)", [NONE]),
        ("w = 1\nif w is None: raise a\nprobe(w)", [NONE]),
        ("w = 1\nassert w is not None\nprobe(w)", [NONE]),
        ("w = 1\nassert isinstance(w, int)\nprobe(w)", [NONE | IMM]),
        ("w = 1\nwhile w is not None: probe(w)", [NONE]),
        ("w = 1\nif w is None: pass\nelse: probe(w)", [NONE]),
        ("w = 1\nif w is None: pass\nprobe(w)", [NOTHING, NONE]),
        ("w = 1\nif w is not None: w = 1\nelse: raise a\nprobe(w)", [NOTHING]),
        ("w = 1\nif isinstance(w, int): w = 2\nprobe(w)", [NOTHING, INT]),
    ],
)
def test_conditions_are_remembered_on_the_way(text: str, facts: list[frozenset[str]]) -> None:
    tree = tree_of(text)
    state = Flow(tree, tree.module, "w", definitions_of(tree, tree.module)).reaching(probes(tree)[0])
    assert state is not None
    assert sorted((each.excluded for each in state), key=sorted) == facts
