"""What is done to a dict that has a name."""

from __future__ import annotations

import pytest

from tests.support import file_of
from tl_lint.changes import Changes, How


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("d = {}", [How.BOUND]),
        ("d = {}\nprint(d)\nd['v'] = 4\nd.get('w')\nfor k in d: pass", [How.BOUND]),
        ("d = {}\nd['w'] = 4", [How.BOUND, How.STORED]),
        ("d = {}\ndel d['w']", [How.BOUND, How.REMOVED]),
        ("d = {}\nd.pop('w')", [How.BOUND, How.REMOVED]),
        ("d = {}\nd.clear()", [How.BOUND, How.REMOVED]),
        ("d = {}\nd[k] = 4", [How.BOUND, How.UNKNOWN]),
        ("d = {}\nd.popitem()", [How.BOUND, How.UNKNOWN]),
        ("d = {}\nd['w'] += 4", [How.BOUND, How.UNKNOWN]),
        ("d = {}\nd.update(w=4)", [How.BOUND, How.UPDATED]),
        ("d = {}\nd.setdefault('w', 4)", [How.BOUND, How.DEFAULT]),
        ("d = {}\nd |= e", [How.BOUND, How.AUGMENTED]),
        ("d = {}\ne = d\ne['w'] = 4", [How.BOUND, How.UNKNOWN]),
        ("d = {}\ndef f():\n    d = {}\n    d['w'] = 4", [How.BOUND]),
    ],
)
def test_changes(text: str, expected: list[How]) -> None:
    file = file_of(text)
    found = Changes(file.names).of(file.names.scopes.module, "d", "w")
    assert [each.how for each in found] == expected


def test_places_are_those_that_mean_the_name_of_the_scope() -> None:
    file = file_of("d = {}\nprint(d)\ndef f():\n    d = 1\n    print(d)\ndef g(): print(d)")
    changes = Changes(file.names)
    assert len(changes.places(file.names.scopes.module, "d")) == 3
    assert changes.places(file.names.scopes.module, "e") == ()
