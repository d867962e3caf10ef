"""What a call hands over: keywords, annotations, dicts of all forms, partials; and whether a dict may be edited."""

from __future__ import annotations

import pytest

from tests.support import HEADER, clean, expected, file_of, findings, fixed, probes

PARTIAL = "from functools import partial\n"

TABLES = {
    "nothing that is read": """
        T.Parallel(4)
        T.Parallel(4, other=4)
        T.Parallel(4, annotations=None)
        T.Parallel(4, annotations={})
        T.Parallel(4, annotations={"other": 4})
        T.Parallel(4, annotations={b"coalesced_width": 4})
        T.Parallel(4, annotations={coalesced_width: 4})
        T.Parallel(4, annotations=unknown)
        T.Parallel(4, annotations=unknown())
        T.Parallel(4, **unknown)
        T.Parallel(4, *unknown)
        T.Parallel(4, **{"other": 4})
        T.Parallel(4, coalesced_width=None)
        T.Parallel(4, None, coalesced_width=T.int32(4))
        T.serial(4, annotations={"coalesced_width": 4})
        T.copy(a, b, coalesced_width=4)
        T.copy(a, b, annotations={"coalesced_width": 4})
        T.other(4, coalesced_width=4)
        other(4, coalesced_width=4)
        other.Parallel(4, coalesced_width=4)
        T.Parallel(4)(coalesced_width=4)
        """,
    "directly": """
        T.Parallel(4, coalesced_width=4)  # expect: TLC001
        T.Parallel(coalesced_width=4)  # expect: TLC001
        T.Parallel(*unknown, coalesced_width=4)  # expect: TLC001
        T.Parallel(4, **unknown, coalesced_width=4)  # expect: TLC001
        T.parallel(4, annotations={"coalesced_width": 4})  # expect: TLC001
        T.Parallel(4, annotations={"coalesced_width": 4})  # expect: TLC001
        T.Parallel(4, annotations={'coalesced_' "width": 4})  # expect: TLC001
        T.Parallel(4, annotations={"coalesced_width": None})  # expect: TLC001
        T.Parallel(4, annotations=dict(coalesced_width=4))  # expect: TLC001
        T.Parallel(4, annotations=dict({"coalesced_width": 4}, other=3))  # expect: TLC001
        T.Parallel(4, annotations={**{"coalesced_width": 4}})  # expect: TLC001
        T.Parallel(4, annotations={"coalesced_width": 4}.copy())  # expect: TLC001
        T.Parallel(4, annotations={} | {"coalesced_width": 4})  # expect: TLC001
        T.Parallel(4, annotations=a or {"coalesced_width": 4})  # expect: TLC001
        T.Parallel(4, annotations={"coalesced_width": 4} if a else None)  # expect: TLC001
        T.Parallel(4, **{"coalesced_width": 4})  # expect: TLC001
        T.Parallel(4, **dict(coalesced_width=4))  # expect: TLC001
        T.Parallel(4, **{"annotations": {"coalesced_width": 4}})  # expect: TLC001
        """,
    "of equal keys the last one is read": """
        T.Parallel(4, annotations={"coalesced_width": 4, "coalesced_width": T.int32(4)})
        T.Parallel(4, annotations={"coalesced_width": T.int32(4), "coalesced_width": 4})  # expect: TLC001
        T.Parallel(4, annotations={"coalesced_width": 4, **{"coalesced_width": T.int32(4)}})
        T.Parallel(4, annotations={**{"coalesced_width": 4}, "coalesced_width": T.int32(4)})
        T.Parallel(4, annotations={"coalesced_width": 4} | {"coalesced_width": T.int32(4)})
        T.Parallel(4, annotations=dict({"coalesced_width": 4}, coalesced_width=T.int32(4)))
        """,
    "on Parallel a keyword that is not None wins, on the copies annotations do": """
        T.Parallel(4, coalesced_width=T.int32(2), annotations={"coalesced_width": 4})
        T.Parallel(4, coalesced_width=4, annotations={"coalesced_width": T.int32(4)})  # expect: TLC001
        T.Parallel(4, coalesced_width=None, annotations={"coalesced_width": 4})  # expect: TLC001
        T.Parallel(4, coalesced_width=None, annotations={"coalesced_width": T.int32(4)})
        T.copy(a, b, coalesced_width=3, annotations={"coalesced_width": 4})
        T.copy(a, b, coalesced_width=4, annotations={"coalesced_width": 3})  # expect: TLC003
        T.copy(a, b, coalesced_width=3)  # expect: TLC003
        T.async_copy(a, b, coalesced_width=0)  # expect: TLC003
        T.copy_cluster(a, b, coalesced_width=-4)  # expect: TLC003
        T.copy(a, b, coalesced_width=True)
        T.copy(a, b, coalesced_width=False)
        """,
    "a loop layout": """
        T.Parallel(4, coalesced_width=4, loop_layout=a)
        T.Parallel(4, coalesced_width=3, loop_layout=a)
        T.Parallel(4, coalesced_width=a, loop_layout=a)
        T.Parallel(4, coalesced_width=4, loop_layout=None)  # expect: TLC001
        T.Parallel(4, coalesced_width=4, **{"loop_layout": a})
        T.Parallel(4, annotations={"coalesced_width": 4, "parallel_loop_layout": a})
        """,
    "a dict with a name": """
        plain = {"coalesced_width": 4}
        T.Parallel(4, annotations=plain)  # expect: TLC001
        T.Parallel(4, **plain)  # expect: TLC001
        by_call = dict(coalesced_width=4)
        T.Parallel(4, **by_call)  # expect: TLC001
        wrapped = {"coalesced_width": T.int32(4)}
        T.Parallel(4, annotations=wrapped)
        again = plain
        T.Parallel(4, **again)  # expect: TLC001
        part = {**plain, "other": 4}
        T.Parallel(4, **part)  # expect: TLC001
        over = {**plain, "coalesced_width": T.int32(4)}
        T.Parallel(4, **over)
        either = plain if a else None
        T.Parallel(4, annotations=either)  # expect: TLC001
        a, b = plain, 1
        T.Parallel(4, annotations=a)
        """,
    "a dict that is filled": """
        filled = {}
        T.Parallel(4, **filled)
        filled["coalesced_width"] = 4
        T.Parallel(4, **filled)  # expect: TLC001
        filled["coalesced_width"] = T.int32(4)
        T.Parallel(4, **filled)
        filled.update(coalesced_width=4)
        T.Parallel(4, **filled)  # expect: TLC001
        filled.update({"coalesced_width": T.int32(4)})
        T.Parallel(4, **filled)
        filled.update(other=4)
        T.Parallel(4, **filled)
        filled["other"] = 4
        T.Parallel(4, **filled)
        """,
    "a dict that is emptied": """
        first = {"coalesced_width": 4}
        del first["coalesced_width"]
        T.Parallel(4, **first)
        second = {"coalesced_width": 4}
        second.pop("coalesced_width")
        T.Parallel(4, **second)
        third = {"coalesced_width": 4}
        value = third.pop("coalesced_width", None)
        T.Parallel(4, **third)
        fourth = {"coalesced_width": 4}
        fourth.clear()
        T.Parallel(4, **fourth)
        fifth = {"coalesced_width": 4}
        fifth.pop("other")
        T.Parallel(4, **fifth)  # expect: TLC001
        sixth = {"coalesced_width": 4}
        sixth = {}
        T.Parallel(4, **sixth)
        """,
    "a dict on some ways": """
        one = {"coalesced_width": T.int32(4)}
        if a:
            one["coalesced_width"] = 4
        T.Parallel(4, **one)  # expect: TLC001
        two = {"coalesced_width": 4}
        for i in a:
            two["coalesced_width"] = T.int32(4)
        T.Parallel(4, **two)  # expect: TLC001
        three = {"coalesced_width": 4}
        if a:
            three = {}
        else:
            del three["coalesced_width"]
        T.Parallel(4, **three)
        """,
    "a dict of another scope": """
        OUTER = {"coalesced_width": 4}
        def reads():
            T.Parallel(4, **OUTER)  # expect: TLC001
        def shadows(OUTER):
            T.Parallel(4, **OUTER)
        def fills(**options):
            options["coalesced_width"] = 4
            T.Parallel(4, **options)  # expect: TLC001
        def by_default(options={"coalesced_width": 4}):
            T.Parallel(4, **options)  # expect: TLC001
        """,
    "dicts made of themselves": """
        one = {**one}
        T.Parallel(4, **one)
        two = two or {"coalesced_width": 4}
        T.Parallel(4, **two)  # expect: TLC001
        three = {}
        three.update(three)
        three.update(**three)
        three.update(*three)
        three.update()
        T.Parallel(4, **three)
        """,
    "partials": """
        plain = partial(T.Parallel, 4)
        plain(coalesced_width=4)  # expect: TLC001
        plain(coalesced_width=T.int32(4))
        wide = partial(T.Parallel, coalesced_width=4)  # expect: TLC001
        wide(4)
        partial(T.Parallel, **{"coalesced_width": 4})  # expect: TLC001
        partial(partial(T.Parallel), coalesced_width=4)  # expect: TLC001
        partial(T.serial, coalesced_width=4)
        partial(other, coalesced_width=4)
        partial()
        partial(*a, coalesced_width=4)
        partial(func=T.Parallel, coalesced_width=4)
        """,
    "partials that are not read": """
        laid = partial(T.Parallel, loop_layout=a)
        laid(4, coalesced_width=4)
        laid(4, coalesced_width=4, loop_layout=None)  # expect: TLC001
        partial(laid, coalesced_width=4)
        either = laid if a else T.Parallel
        either(4, coalesced_width=4)
        wide = partial(T.Parallel, coalesced_width=T.int32(2))
        wide(4, annotations={"coalesced_width": 4})
        wide(4, annotations={"coalesced_width": 4}, coalesced_width=None)  # expect: TLC001
        by_default = partial(T.Parallel, coalesced_width=None)
        by_default(4, annotations={"coalesced_width": 4})  # expect: TLC001
        one = partial(T.Parallel, coalesced_width=4)
        one(4, **{"coalesced_width": T.int32(4)})
        one(4, coalesced_width=T.int32(4))
        two = partial(T.Parallel, coalesced_width=4)
        two(4, loop_layout=a)
        three = partial(T.Parallel, coalesced_width=4)
        outer = partial(three, coalesced_width=T.int32(4))
        outer(4)
        partial(partial(T.Parallel, coalesced_width=4), coalesced_width=T.int32(4))
        partial(T.Parallel, coalesced_width=4)(4, coalesced_width=T.int32(4))
        four = partial(T.Parallel, coalesced_width=4)  # expect: TLC001
        four(4, coalesced_width=T.int32(4))
        four(4)
        five = partial(T.Parallel, coalesced_width=4)  # expect: TLC001
        five(4, annotations={})
        six = partial(T.Parallel, annotations={"coalesced_width": 4})
        six(4, annotations={})
        seven = partial(T.Parallel, coalesced_width=4)  # expect: TLC001
        passed_on = partial(seven, 4)
        passed_on()
        eight = partial(T.copy, annotations={"coalesced_width": 3})  # expect: TLC003
        eight(a, b, coalesced_width=5)
        """,
    "keys that are not known, and names of keys": """
        KEY = "coalesced_width"
        OTHER = "other"
        T.Parallel(4, annotations={KEY: 4})  # expect: TLC001
        T.Parallel(4, annotations={"coalesced_width": 4, key: 4})
        T.Parallel(4, annotations={"coalesced_width": 4, OTHER: 4})  # expect: TLC001
        T.Parallel(4, annotations={"coalesced_width": 4, None: 4, 4: 4, b"b": 4})  # expect: TLC001
        T.Parallel(4, annotations={"coalesced_width": 4, f"{a}": 4})
        one = {KEY: 4}
        one[OTHER] = 1
        T.Parallel(4, **one)  # expect: TLC001
        one[key] = T.int32(4)
        T.Parallel(4, **one)
        one[KEY] = 4
        T.Parallel(4, **one)  # expect: TLC001
        del one[key]
        T.Parallel(4, **one)
        two = {KEY: 4}
        two.pop(key)
        T.Parallel(4, **two)
        three = {KEY: 4}
        three.popitem()
        T.Parallel(4, **three)
        four = {KEY: 4}
        four[KEY] *= 2
        T.Parallel(4, **four)
        five = {KEY: 4}
        for five[KEY] in a:
            T.Parallel(4, **five)
        """,
    "merged with something unknown": """
        plain = {"coalesced_width": 4}
        T.Parallel(4, annotations={**plain, **over})
        T.Parallel(4, annotations={**over, **plain})  # expect: TLC001
        T.Parallel(4, annotations=plain | over)
        T.Parallel(4, annotations=over | plain)  # expect: TLC001
        T.Parallel(4, annotations=dict(plain, **over))
        T.Parallel(4, annotations=dict(over, **plain))  # expect: TLC001
        T.Parallel(4, annotations=dict(**plain, **over))  # expect: TLC001
        T.Parallel(4, annotations=dict(plain, **({} if a else over)))  # expect: TLC001
        one = {"coalesced_width": 4}
        one.update({})
        T.Parallel(4, **one)  # expect: TLC001
        one.update(over)
        T.Parallel(4, **one)
        two = {"coalesced_width": 4}
        two |= {}
        T.Parallel(4, **two)  # expect: TLC001
        two |= {"coalesced_width": T.int32(4)}
        T.Parallel(4, **two)
        two |= {"coalesced_width": 4}
        T.Parallel(4, **two)  # expect: TLC001
        two |= over
        T.Parallel(4, **two)
        T.copy(a, b, coalesced_width=3, annotations=over)
        """,
    "other names": """
        one = {"coalesced_width": 4}
        again = one
        T.Parallel(4, **one)  # expect: TLC001
        again["coalesced_width"] = T.int32(4)
        T.Parallel(4, **one)
        two = other = {"coalesced_width": 4}
        other.update(over)
        T.Parallel(4, **two)
        three = {"coalesced_width": 4}
        a, b = three, 1
        a |= over
        T.Parallel(4, **three)
        four = {"coalesced_width": 4}
        fourth = four if a else None
        four["coalesced_width"] = T.int32(4)
        T.Parallel(4, **fourth)
        five = {"coalesced_width": 4}
        fifth = five.copy()
        fifth["coalesced_width"] = T.int32(4)
        T.Parallel(4, **five)  # expect: TLC001
        """,
    "other ways to fill a dict": """
        one = {}
        one.setdefault("coalesced_width", 4)
        T.Parallel(4, **one)  # expect: TLC001
        two = {"coalesced_width": T.int32(4)}
        two.setdefault("coalesced_width", 4)
        T.Parallel(4, **two)
        T.Parallel(4, annotations=dict([("coalesced_width", 4)]))  # expect: TLC001
        T.Parallel(4, annotations=dict([("coalesced_width", 4), *a]))
        T.Parallel(4, annotations=dict([("other", 4)]))
        three = {}
        three["coalesced_width"], q = 4, 5
        T.Parallel(4, **three)  # expect: TLC001
        three["coalesced_width"], q = a
        T.Parallel(4, **three)
        three["coalesced_width"], *q = 4, 5
        T.Parallel(4, **three)
        """,
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_which_width_is_read(text: str) -> None:
    text = HEADER + PARTIAL + clean(text)
    assert findings(text) == expected(text)


@pytest.mark.parametrize(
    ("call", "function"),
    [
        ("f(4)", None),
        ("T.Parallel(4)", "tilelang.language.Parallel"),
        ("partial(T.Parallel, 4)", "tilelang.language.Parallel"),
        ("partial(len, a)", "builtins.len"),
        ("partial()", None),
        ("partial(*a)", None),
        ("partial(f)", None),
    ],
)
def test_what_is_called(call: str, function: str | None) -> None:
    file = file_of(f"{HEADER}{PARTIAL}probe({call})\n")
    target = file.calls.target(probes(file.tree)[0])  # type: ignore[arg-type]
    assert (target[0] if target is not None else None) == function


@pytest.mark.parametrize(
    "use",
    [
        "T.Parallel(4, **options)",
        "T.copy(a, b, annotations=options)",
        "options['coalesced_width'] = 2",
        "f(options=1)",
        "other.options",
        "def f(options): print(options)",
        "options = {}\nprint(options)",
    ],
)
def test_a_dict_that_serves_the_language_only_is_edited(use: str) -> None:
    before = f"{HEADER}options = {{'coalesced_width': 4}}\nT.Parallel(4, annotations=options)\n{use}\n"
    assert fixed(before).startswith(f"{HEADER}options = {{'coalesced_width': T.IntImm(\"int32\", 4)}}\n")


@pytest.mark.parametrize(
    "use",
    [
        "print(options)",
        "print(**options)",
        "print(annotations=options)",
        "other.Parallel(4, annotations=options)",
        "T.serial(4, annotations=options)",
        "options['coalesced_width'] + 1",
        "options.update(other=1)",
        "options.copy()",
        "return_value = options",
        "[options]",
        "for key in options: pass",
        "def f(): return options",
        "T.Parallel(options, 4)",
        "class A:\n    a = options",
    ],
)
def test_a_dict_that_something_else_reads_is_not_edited_unasked(use: str) -> None:
    before = f"{HEADER}options = {{'coalesced_width': 4}}\nT.Parallel(4, annotations=options)\n{use}\n"
    assert fixed(before) == before
    assert "IntImm" in fixed(before, unsafe=True)


@pytest.mark.parametrize(
    ("before", "is_safe"),
    [
        ("options['coalesced_width'] = 4", True),
        ("options['coalesced_width'] = n = 4", False),
        ("options = other = {'coalesced_width': 4}", False),
        ("options = other = dict(coalesced_width=4)", False),
        ("T.Parallel(4, annotations=(walrus := {'coalesced_width': 4}))", True),
        ("T.Parallel(4, annotations=(walrus := {'coalesced_width': 4}))\nprint(walrus)", False),
        ("a = b = T.Parallel(4, coalesced_width=4)", True),
        ("options = {}\nprint(options)\noptions = {}\noptions['coalesced_width'] = 4", True),
        ("options = {}\noptions = {}\noptions['coalesced_width'] = 4\nprint(options)", False),
    ],
)
def test_a_value_that_gets_another_name_is_not_edited_unasked(before: str, is_safe: bool) -> None:
    text = f"{HEADER}options = {{}}\n{before}\nT.Parallel(4, **options)\n"
    assert ("IntImm" in fixed(text)) is is_safe
    assert "IntImm" in fixed(text, unsafe=True)


def test_every_value_that_can_be_read_is_wrapped() -> None:
    before = f"""{HEADER}
options = {{"coalesced_width": 4}}
if a:
    options["coalesced_width"] = 2
T.Parallel(4, annotations=options)
"""
    after = before.replace('": 4', '": T.IntImm("int32", 4)').replace("= 2", '= T.IntImm("int32", 2)')
    assert fixed(before) == after


def test_thousands_of_keys_and_many_uses() -> None:
    entries = ", ".join(f"'k{number}': {number}" for number in range(2000))
    uses = "T.Parallel(4, annotations=options)\n" * 50
    text = f"{HEADER}options = {{{entries}, 'coalesced_width': 4}}\n{uses}"
    assert len(findings(text)) == 50


def test_many_items_stored_and_read() -> None:
    text = HEADER + "options = {}\n" + "options['coalesced_width'] = 4\nT.Parallel(4, **options)\n" * 200
    assert len(findings(text)) == 200


def test_a_long_chain_of_dicts() -> None:
    chain = "".join(f"d{number + 1} = {{**d{number}, **d{number}}}\n" for number in range(60))
    assert findings(f"{HEADER}d0 = {{'coalesced_width': 4}}\n{chain}T.Parallel(4, **d60)\n") != []
    assert findings(f"{HEADER}d0 = {{}}\n{chain}T.Parallel(4, coalesced_width=T.int32(4), **d60)\n") == []


@pytest.mark.parametrize("changed", [False, True])
def test_a_long_chain_of_names(changed: bool) -> None:
    chain = "".join(f"d{number + 1} = d{number}\n" for number in range(800))
    change = "d7['coalesced_width'] = T.int32(4)\n" if changed else ""
    found = findings(f"{HEADER}d0 = {{'coalesced_width': 4}}\n{chain}{change}T.Parallel(4, **d800)\n")
    assert [code for _, code in found] == ([] if changed else ["TLC001"])


def test_many_functions_with_a_dict_of_one_name() -> None:
    """Each looks at its own places only; going through all of them took a minute."""
    body = "    opts = {'coalesced_width': 4}\n    T.Parallel(4, **opts)\n"
    text = HEADER + "".join(f"def f{number}():\n{body}" for number in range(300))
    file = file_of(text)
    (first,) = file.names.scopes.own_scope(file.tree.module.body[1]).bindings["opts"]
    assert len(file.calls.mappings.changes.places(first.scope, "opts")) == 2
    assert len(findings(text)) == 300


def test_dicts_changed_in_a_circle_are_answered_alike_in_any_order() -> None:
    text = f"""{HEADER}
a = {{"coalesced_width": 4}}
while n:
    a.update({{}})
    T.Parallel(4, **a)  # expect: TLC001
    a |= {{}}
    T.Parallel(4, **a)  # expect: TLC001
    a.update(other={{}})
T.Parallel(4, **a)  # expect: TLC001
"""
    assert findings(text) == expected(text)
