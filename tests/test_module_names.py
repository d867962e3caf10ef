"""A variable of the module that may be bound by name is not believed; one that is only read by name is."""

from __future__ import annotations

import pytest

from tests.support import codes_for, fixed, fixed_width

BOUND = [
    'globals()["w"] = T.int32(4)',
    'globals()["w"], other = T.int32(4), 2',
    'with unknown as globals()["w"]: pass',
    'vars()["w"] = T.int32(4)',
    'locals()["w"] = T.int32(4)',
    "globals().update(w=T.int32(4))",
    'globals().update({"w": T.int32(4)})',
    'globals().__setitem__("w", T.int32(4))',
    'globals().pop("w")',
    "globals().clear()",
    'g = globals()\ng["w"] = T.int32(4)',
    "fill(globals())",
    "globals()[key] = T.int32(4)",
    'globals()[f"{key}"] = T.int32(4)',
    'globals()[f"w{key}"] = T.int32(4)',
    "globals().update(read())",
    "globals().update(**read())",
    "globals().update({**read()})",
    'f.__globals__["w"] = T.int32(4)',
    "sys.modules[__name__].w = T.int32(4)",
    "del sys.modules[__name__].w",
    'sys.modules[__name__].__dict__["w"] = T.int32(4)',
    'vars(sys.modules[__name__])["w"] = T.int32(4)',
    'setattr(sys.modules[__name__], "w", T.int32(4))',
    'setattr(sys.modules.get(__name__), "w", T.int32(4))',
    "setattr(sys.modules[__name__], key, T.int32(4))",
    "importlib.import_module(__name__).w = T.int32(4)",
    "this = sys.modules[__name__]\nthis.w = T.int32(4)",
    'exec("w = T.int32(4)")',
    'exec("w = T.int32(4)", globals())',
]

MAY_BE_BOUND = [
    'for globals()["w"] in (T.int32(4),): pass',
    'def f():\n    globals()["w"] = T.int32(4)',
    'class C:\n    globals()["w"] = T.int32(4)',
]

NOT_BOUND = [
    'globals()["v"] = T.int32(4)',
    'globals()["T"]["w"] = 4',
    "globals().update(v=T.int32(4))",
    'globals()[f"v{key}"] = T.int32(4)',
    'print(globals()["w"], globals().get("w"), "w" in globals(), sorted(globals()))',
    '"{w}".format(**globals())',
    "names = [name for name in globals()]",
    "copied = {**globals()}",
    "timeit.timeit('f()', globals=globals())",
    'def f():\n    vars()["w"] = T.int32(4)\n    exec("w = T.int32(4)")',
    'self.globals()["w"] = T.int32(4)',
    'vars(Config)["w"] = T.int32(4)',
    'sys.modules["other"].w = T.int32(4)',
    "sys.modules[__name__] = Lazy(__name__)",
    "getattr(sys.modules[__name__], key)",
    "logging.getLogger(__name__).w = T.int32(4)",
    'importlib.import_module(".other", __name__).w = T.int32(4)',
    'setattr(sys.modules[__name__], "v", T.int32(4))',
    'exec("v = 4", {})',
]


@pytest.mark.parametrize("code", BOUND)
def test_a_value_that_is_bound_by_name_is_not_known(code: str) -> None:
    assert codes_for("w", f"w = 4\n{code}") == ["TLC002"]
    assert fixed_width("w", f"w = 4\n{code}") == "w"


@pytest.mark.parametrize("code", MAY_BE_BOUND)
def test_what_may_not_have_run_leaves_the_int_possible_but_no_fix_safe(code: str) -> None:
    assert codes_for("w", f"w = 4\n{code}") == ["TLC001"]
    assert fixed_width("w", f"w = 4\n{code}") == "w"
    assert fixed_width("w", f"w = 4\n{code}", unsafe=True) == "T.int32(w)"


@pytest.mark.parametrize("code", NOT_BOUND)
def test_other_uses_change_nothing(code: str) -> None:
    assert codes_for("w", f"w = 4\n{code}") == ["TLC001"]
    assert fixed_width("w", f"w = 4\n{code}") == 'T.IntImm("int32", w)'


@pytest.mark.parametrize("code", BOUND + MAY_BE_BOUND)
def test_the_language_is_still_known_unless_it_is_named(code: str) -> None:
    assert codes_for("4", code) == ["TLC001"]


def test_a_name_that_is_bound_by_name_only_is_that_of_no_builtin() -> None:
    assert codes_for("min(4, 8)") == ["TLC001"]
    assert codes_for("min(4, 8)", 'globals()["min"] = unknown') == ["TLC002"]


def test_what_stands_before_is_not_affected() -> None:
    text = 'import tilelang.language as T\nw = 4\nT.Parallel(8, coalesced_width=w)\nglobals()["w"] = T.int32(4)\n'
    assert 'coalesced_width=T.IntImm("int32", w)' in fixed(text)


def test_a_local_name_is_not_affected() -> None:
    text = """
        import tilelang.language as T
        globals()["w"] = T.int32(4)
        def body(n):
            w = 4
            T.Parallel(n, coalesced_width=w)
        """
    assert 'coalesced_width=T.IntImm("int32", w)' in fixed(text)


def test_dicts_and_sequences_are_not_believed_either() -> None:
    opts = 'opts = {"coalesced_width": 4}\nws = [4]\nglobals()["opts"] = globals()["ws"] = unknown'
    assert codes_for("ws[0]", opts) == ["TLC002"]
    assert fixed_width("ws[0], **opts", opts) == "ws[0], **opts"


def test_a_function_is_replaced_only_by_its_own_name() -> None:
    function = "def width():\n    return 4\n"
    assert codes_for("width()", f'{function}globals()["width"] = unknown') == ["TLC002"]
    assert codes_for("width()", f"{function}globals()[unknown] = unknown") == ["TLC001"]
