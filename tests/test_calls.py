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
