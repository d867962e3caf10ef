"""Containers that are written out: what iterating and indexing gives."""

from __future__ import annotations

import pytest

from tests.support import file_of, probe, probes
from tl_lint.arithmetic import Kind, Value

HEADER = "import tilelang.language as T\n"


def values(text: str) -> list[str]:
    """Return the kinds (and numbers) of what the probed expression can be, as `int 4`."""
    file = file_of(HEADER + text)
    return sorted(_shown(value) for value in file.values.evaluate(probe(file.tree)))


def _shown(value: Value) -> str:
    return value.kind.value if value.number is None else f"{value.kind.value} {value.number}"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # nothing is known
        ("a[0]", ["unknown"]),
        ("f()[0]", ["unknown"]),
        ("(1, 2)[0:1]", ["unknown"]),
        ("(1, 2)[0, 1]", ["unknown"]),
        ("()[0]", ["unknown"]),
        ("(*a, 1)[0]", ["unknown"]),
        ("{**a}['b']", ["unknown"]),
        ("{'a': 1, **a}['a']", ["unknown"]),
        ("{'a': 1}['b']", ["unknown"]),
        ("{}['b']", ["unknown"]),
        ("{'a': 1}[0, 1]", ["unknown"]),
        # by number
        ("(1, 2)[0]", ["int 1"]),
        ("[1, 2][-1]", ["int 2"]),
        ("[1, T.int32(2)][1]", ["IntImm 2"]),
        ("[1, 2][True]", ["int 2"]),
        ("[1, 2][1 - 1]", ["int 1"]),
        ("(1, 2)[5]", ["another object"]),
        ("(1, 'b')[a]", ["int 1", "str"]),
        # by key
        ("{'a': 1, 'b': 2}['b']", ["int 2"]),
        ("{'a': 1, 'a': 2}['a']", ["int 2"]),
        ("{'a': 1, b: 'x'}['a']", ["int 1", "str"]),
        ("{'a': 1, b: 'x', 'a': 3}['a']", ["int 3", "str"]),
        ("{1: 2, 1.0: 'x'}[1]", ["int 2", "str"]),
        ("{'a' 'b': 1}['ab']", ["int 1"]),
        ("{1: 'a', 2: 3}[2]", ["int 3"]),
        ("{True: 1, False: 'a'}[True]", ["int 1"]),
        ("{'a': 1, 'b': T.int32(2)}[c]", ["IntImm 2", "int 1"]),
        ("{1: 2}[c]", ["int 2"]),
    ],
)
def test_an_item(expression: str, expected: list[str]) -> None:
    assert values(f"probe({expression})\n") == expected


@pytest.mark.parametrize(
    ("iterated", "expected"),
    [
        ("a", ["unknown"]),
        ("a.b", ["unknown"]),
        ("f(1)", ["unknown"]),
        ("'ab'", ["unknown"]),
        ("map(T.int32, [1])", ["unknown"]),
        ("(*a, 1)", ["unknown"]),
        ("list(*((1, 2),))", ["unknown"]),
        ("range(a)", ["int"]),
        ("range(1, a)", ["int"]),
        ("range(1.5)", ["unknown"]),
        ("range(*a)", ["unknown"]),
        ("range(0)", ["unknown"]),
        ("range(1, 2, 0)", ["unknown"]),
        ("(1, 2)", ["int 1", "int 2"]),
        ("[1, 'a']", ["int 1", "str"]),
        ("{1, 2}", ["int 1", "int 2"]),
        ("{1: 'a'}", ["int 1"]),
        ("{**a}", ["unknown"]),
        ("range(2)", ["int 0", "int 1"]),
        ("range(1, 3)", ["int 1", "int 2"]),
        ("range(8, 2, -4)", ["int 4", "int 8"]),
        ("list((1, 2))", ["int 1", "int 2"]),
        ("tuple(range(1, 3))", ["int 1", "int 2"]),
        ("reversed([1])", ["int 1"]),
        ("sorted({2, 1})", ["int 1", "int 2"]),
        ("[T.int32(b) for b in (1, 2)]", ["IntImm 1", "IntImm 2"]),
        ("(b * 2 for b in (1, 2))", ["int 2", "int 4"]),
    ],
)
def test_what_a_loop_runs_over(iterated: str, expected: list[str]) -> None:
    assert values(f"for w in {iterated}:\n    probe(w)\n") == expected
    assert values(f"[probe(w) for w in {iterated}]\n") == expected
    if not iterated.startswith(("[T.", "(b")):  # there the name would be taken
        assert values(f"x = {iterated}\nfor w in x:\n    probe(w)\n") == expected


@pytest.mark.parametrize(
    ("targets", "iterated", "expected"),
    [
        ("a, w", "((1, 'x'), (2, 3))", ["int 3", "str"]),
        ("a, (b, w)", "[(1, (2, 3))]", ["int 3"]),
        ("a, *w", "[(1, 2)]", ["unknown"]),
        ("*a, w", "[(1, 2)]", ["unknown"]),
        ("a, w", "[1, 2]", ["unknown"]),
        ("a, w", "x", ["unknown"]),
        ("w, a", "enumerate((1, 2))", ["int"]),
        ("a, w", "enumerate((1, 2))", ["int 1", "int 2"]),
        ("a, (b, w)", "enumerate([(1, 'x')])", ["str"]),
        ("a, w", "zip((1, 2), ('x', 4))", ["int 4", "str"]),
        ("a, w", "zip((1, 2), x)", ["unknown"]),
        ("a, w", "zip()", ["unknown"]),
        ("a, w", "zip(*b, (1, 2))", ["unknown"]),
        ("a, w", "(*b, (1, 2))", ["unknown"]),
        ("a, w", "enumerate()", ["unknown"]),
    ],
)
def test_targets_that_unpack(targets: str, iterated: str, expected: list[str]) -> None:
    assert values(f"for {targets} in {iterated}:\n    probe(w)\n") == expected


@pytest.mark.parametrize(
    ("assignment", "expected"),
    [
        ("w, a = 1, 2", ["int 1"]),
        ("a, w = [1, 'x']", ["str"]),
        ("a, (b, w) = 1, (2, 3)", ["int 3"]),
        ("x = (1, 2)\na, w = x", ["int 2"]),
        ("a, *w = 1, 2", ["unknown"]),
        ("a, w = *b, 2", ["unknown"]),
        ("x = [(1, 2)]\nfor a, w in x: pass", ["int 2"]),
        ("x = ((1, 2),)\nfor a, w in x: pass", ["int 2"]),
        ("x = ([1, 2],)\nx[0][1] = 's'\nfor a, w in x: pass", ["unknown"]),
        ("x = [1, 2]\ny = 1, x\nx[1] = 's'\na, (b, w) = y", ["unknown"]),
        ("x = ([1, 2], 3)\n(a, w), b = x", ["unknown"]),
        ("a, w = f()", ["unknown"]),
        ("a, w = 1", ["unknown"]),
        ("a, w = 1,", ["unknown"]),
    ],
)
def test_assignments_that_unpack(assignment: str, expected: list[str]) -> None:
    assert values(f"{assignment}\nprobe(w)\n") == expected


def test_a_long_range_gives_samples_of_its_kind() -> None:
    file = file_of("for w in range(10**30):\n    probe(w)\n")
    found = file.values.evaluate(probe(file.tree))
    assert {value.kind for value in found} == {Kind.INT}
    assert len(found) < 100


@pytest.mark.parametrize(
    "change",
    [
        "x[0] = y",
        "x.append(y)",
        "del x[0]",
        "x[0] += 1",
        "x[0]: int = y",
        "x.clear()",
        "x += [y]",
        "x = f()",
        "y = x\ny[0] = z",
        "(y := x)[0] = z",
        "f(x)",
        "f(a=x)",
        "a.f(1, x)",
        "max(x, y)",
        "sum([], x)",
        "sorted(y, key=x)",
        "append = x.append",
        "for x[0] in y: pass",
        "[y for x[0] in z]",
        "with y as x[0]: pass",
        "a, (x[0], b) = y",
        "a = [x]",
        "a = {1: x}",
        "a = y or x",
        "a = y if z else x",
        "a, b = x, 1",
        "def f(): return x",
        "def f(): yield x",
        "def f(a=x): pass",
        "f(lambda: x)",
        "def f():\n    global x\n    x[0] = y",
        "match x:\n    case y: pass",
    ],
)
def test_a_container_that_may_be_changed_is_not_known(change: str) -> None:
    assert values(f"x = [1]\n{change}\nprobe(x[0])\n") == ["unknown"]
    assert "unknown" in values(f"x = [1]\n{change}\nfor w in x: probe(w)\n")


@pytest.mark.parametrize(
    "use",
    [
        "y[0] = x[0]",
        "y.x[0] = 1",
        "x.index(1)",
        "print(x, x[0])",
        "f(x[0])",
        "f(*x)",
        "f(**x)",
        "f(x=1)",
        "y = [*x]",
        "len(x)",
        "max(x)",
        "a = list(zip(y, x))",
        "for y in x: f(y)",
        "[y for y in x if x]",
        "y = 1 in x and x != z",
        "f'{x}'",
        "assert x",
        "if x and y: pass",
        "y = not x",
        "y = z if x else 2",
        "def f(x): x[0] = y",
        "def f():\n    x = y\n    x[0] = z\n    return x",
        "class A: x = g(y)",
        "x",
    ],
)
def test_a_container_that_is_only_read_stays_known(use: str) -> None:
    assert values(f"x = [1]\n{use}\nprobe(x[0])\n") == ["int 1"]


def test_a_tuple_stays_known_whatever_is_done_with_it() -> None:
    for written in ("(1, 2)", "tuple([1, 2])", "range(1, 3)"):
        assert values(f"x = {written}\ny = f(x)\nfor w in x: probe(w)\n") == ["int 1", "int 2"]
    assert values("x = list((1, 2))\ny = f(x)\nfor w in x: probe(w)\n") == ["unknown"]


def test_a_container_with_two_names_is_not_known() -> None:
    assert values("x = y = [1]\ny[0] = 's'\nprobe(x[0])\n") == ["unknown"]
    assert values("f(x := [1])\nprobe(x[0])\n") == ["unknown"]
    assert values("(x := [1])\nprobe(x[0])\n") == ["int 1"]


def test_a_list_in_a_class_is_reached_through_the_class_too() -> None:
    assert values("class A:\n    x = [1]\n    probe(x[0])\n    A.x[0]\n") == ["int 1"]
    assert values("class A:\n    x = [1]\n    def f(self): self.x[0] = 's'\n    probe(x[0])\n") == ["unknown"]


def test_an_index_that_a_caller_may_choose_gives_any_element() -> None:
    assert values("def f(i=0): probe((1, 's')[i])\n") == ["int 1", "str"]
    assert values("def f(k=0): probe({0: 1, 1: 's'}[k])\n") == ["int 1", "str"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("(1, 2)", [1, 2]),
        ("[1, 2]", [1, 2]),
        ("()", []),
        ("range(3)", [0, 1, 2]),
        ("range(64)", list(range(64))),
        ("tuple(range(3))", [0, 1, 2]),
        ("reversed((1, 2))", [1, 2]),
        ("LIST", [1, 2]),
        # samples, or of which some may be gone
        ("range(65)", None),
        ("range(10**30)", None),
        ("range(a)", None),
        ("list(range(100))", None),
        ("[b for b in (1, 2)]", None),
        ("(b for b in (1, 2))", None),
        ("{2, 2}", None),
        ("set((2, 2))", None),
        ("{1: 2}", None),
        ("(*a, 1)", None),
        ("ITERATOR", None),
        ("CHANGED", None),
        ("a", None),
    ],
)
def test_whether_all_elements_are_there(expression: str, expected: list[int] | None) -> None:
    before = "LIST = [1, 2]\nITERATOR = iter((1, 2))\nnext(ITERATOR)\nCHANGED = [1]\nf(CHANGED)\n"
    file = file_of(f"{before}print({expression})\n")  # a call that is known to change nothing
    found = file.values.sequences.all_elements(probes(file.tree, "print")[0])
    numbers = [[value.number for value in element] for element in found] if found is not None else None
    assert numbers == ([[number] for number in expected] if expected is not None else None)


def test_a_range_with_a_bound_that_a_caller_may_choose_is_not_all_there() -> None:
    file = file_of("def f(n=2): probe(range(n))\n")
    assert file.values.sequences.all_elements(probe(file.tree)) is None


def test_thousands_of_keys_are_looked_up_at_once() -> None:
    table = ", ".join(f"'k{number}': {number}" for number in range(3000))
    uses = "".join(f"probe(x['k{number}'])\n" for number in range(0, 3000, 10))
    file = file_of(f"x = {{{table}}}\n{uses}")
    found = [file.values.evaluate(each) for each in probes(file.tree)]
    assert [value.number for values in found for value in values] == list(range(0, 3000, 10))
