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
        ("{'a': 1, b: 2}['a']", ["int 1"]),
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
    ["x[0] = T.int32(4)", "x.append(T.int32(4))", "del x[0]", "x[0] += 1", "x.clear()", "x += [T.int32(4)]", "x = f()"],
)
def test_a_container_that_is_changed_is_not_known(change: str) -> None:
    assert values(f"x = [1]\n{change}\nprobe(x[0])\n") == ["unknown"]
    assert "unknown" in values(f"x = [1]\n{change}\nfor w in x: probe(w)\n")


@pytest.mark.parametrize("use", ["y[0] = x[0]", "x.index(1)", "f(x)", "print(x[0])", "y.x[0] = 1"])
def test_a_container_that_is_read_stays_known(use: str) -> None:
    assert values(f"x = [1]\n{use}\nprobe(x[0])\n") == ["int 1"]


def test_thousands_of_keys_are_looked_up_at_once() -> None:
    table = ", ".join(f"'k{number}': {number}" for number in range(3000))
    uses = "".join(f"probe(x['k{number}'])\n" for number in range(0, 3000, 10))
    file = file_of(f"x = {{{table}}}\n{uses}")
    found = [file.values.evaluate(each) for each in probes(file.tree)]
    assert [value.number for values in found for value in values] == list(range(0, 3000, 10))
