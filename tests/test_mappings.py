"""What a dict may hold under a key, and whether it may hold nothing there."""

from __future__ import annotations

import pytest

from tests.support import file_of, probe
from tl_lint.mappings import Mappings

FOUR, TWO = (["4"], False), (["2"], False)
ABSENT: tuple[list[str], bool] = ([], True)
UNKNOWN: tuple[list[str], bool] = ([], False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # nothing is known
        ("probe(f())", UNKNOWN),
        ("def f(d): probe(d)", UNKNOWN),
        ("d = f()\nprobe(d)", UNKNOWN),
        ("d = {'w': 4}\nd[k] = 2\nprobe(d)", UNKNOWN),
        ("probe({'w': 4, **f()})", UNKNOWN),
        ("probe({'w': 4} | f())", UNKNOWN),
        # nothing is there
        ("probe({})", ABSENT),
        ("probe(dict(v=4))", ABSENT),
        ("d = {'w': 4}\ndel d['w']\nprobe(d)", ABSENT),
        ("d = {'w': 4}\nd.clear()\nprobe(d)", ABSENT),
        # something is
        ("probe({'w': 4})", FOUR),
        ("probe({'w': 2, 'w': 4})", FOUR),
        ("probe(dict(w=4))", FOUR),
        ("probe({**f(), 'w': 4})", FOUR),
        ("probe({'w': 4, **{'v': 2}})", FOUR),
        ("probe({'w': 2} | {'w': 4})", FOUR),
        ("K = 'w'\nprobe({K: 4})", FOUR),
        ("d = {'w': 4}\nd |= {}\nprobe(d)", FOUR),
        ("d = {'w': 2}\nd['w'] = 4\nprobe(d)", FOUR),
        ("d = {'w': 2}\nd.update(w=4)\nprobe(d)", FOUR),
        ("d = {'w': 4}\nd.setdefault('w', 2)\nprobe(d)", FOUR),
        ("d = {}\nd.setdefault('w', 4)\nprobe(d)", FOUR),
        ("d = {'w': 4}\nprobe(d)\nd['w'] = 2", FOUR),
        ("d = {'w': 2}\nd = {'w': 4}\nprobe(d)", FOUR),
        # one of two
        ("d = {'w': 2}\nif c: d['w'] = 4\nprobe(d)", (["2", "4"], False)),
        ("d = {}\nif c: d['w'] = 4\nprobe(d)", (["4"], True)),
        ("probe({'w': 4} if c else {})", (["4"], True)),
        # a dict made of itself
        ("d = {'w': 4}\nfor i in x: d = {**d}\nprobe(d)", FOUR),
    ],
)
def test_what_is_under_a_key(text: str, expected: tuple[list[str], bool]) -> None:
    file = file_of(text)
    entries = Mappings(file.names).entries(probe(file.tree), "w")
    assert (sorted(file.code(each.value) for each in entries.found), entries.lacking) == expected


def test_an_entry_comes_through_the_names_on_the_way() -> None:
    file = file_of("a = {'w': 4}\nb = {**a}\nprobe(b)")
    (found,) = Mappings(file.names).entries(probe(file.tree), "w").found
    assert [binding.name for binding in found.shared] == ["b", "a"]
    assert found.place is probe(file.tree)
