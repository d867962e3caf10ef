"""Checks of child.tir; run by test_tir."""

from typing import Any

from tests.verify.kernels import annotated
from tl_lint.verify.child import tir
from tl_lint.verify.child.lowering import lower, target_object

KEYS = ("key", "value", "type", "kind", "raw", "read")


def listed(prim_func: Any) -> list[tuple[Any, ...]]:
    return [tuple(item[key] for key in KEYS) for item in tir.annotations(prim_func)]


def check_a_python_int_is_raw_and_a_constant_is_not() -> None:
    assert listed(annotated.keyword(4)) == [("coalesced_width", "4", "int", "parallel", True, True)]
    wrapped = annotated.keyword(tir.namespace().IntImm("int64", 4))
    assert listed(wrapped) == [("coalesced_width", "4", "IntImm", "parallel", False, True)]
    assert listed(annotated.keyword(True))[0][2:5] == ("bool", "parallel", True)
    assert listed(annotated.keyword("4"))[0][2:5] == ("str", "parallel", True)
    assert listed(annotated.keyword(None)) == []


def check_the_dict_is_read_like_the_keyword() -> None:
    of_ours = ("of_ours", "3", "int", "parallel", False, True)
    assert set(listed(annotated.in_annotations(4))) == {
        ("coalesced_width", "4", "int", "parallel", True, True),
        of_ours,
    }
    assert listed(annotated.lower_case(4)) == [("coalesced_width", "4", "int", "parallel", True, True)]


def check_stages_are_read_as_constants_too() -> None:
    found = listed(annotated.several())
    assert ("num_stages", "2", "int", "serial", True, True) in found
    assert ("num_stages", "2", "IntImm", "serial", False, True) in found
    assert ("coalesced_width", "4", "int", "serial", True, False) in found  # no parallel loop: nobody reads it
    assert ("of_ours", "text", "str", "serial", False, True) in found


def check_a_layout_and_an_outer_loop_overrule_a_width() -> None:
    width = [item for item in listed(annotated.laid_out()) if item[0] == "coalesced_width"]
    assert width == [("coalesced_width", "4", "int", "parallel", True, False)]
    assert [item[1:2] + item[3:] for item in listed(annotated.nested())] == [
        ("4", "parallel", False, True),
        ("2", "parallel", True, False),
    ]
    for kernel in (annotated.laid_out(), annotated.nested()):  # the compiler says so too: a raw int does not abort
        assert "scale_kernel" in lower(kernel, target_object("cuda", "sm_90")).source


def check_requested_widths_are_those_of_loops_and_copies() -> None:
    assert tir.requested_widths(annotated.one(4)) == [4, 2]
    assert tir.requested_widths(annotated.one(8, fixed=True)) == [8, 2]
    assert tir.requested_widths(annotated.keyword("4")) == []
    assert tir.requested_widths(annotated.nested()) == [4, 2]
    assert tir.requested_widths(annotated.several()) == []


def check_the_control_lacks_the_widths_and_nothing_else() -> None:
    kernel = annotated.one(4)
    control = tir.without_widths(kernel)
    assert tir.requested_widths(control) == []
    assert tir.requested_widths(kernel) == [4, 2]
    assert "coalesced_width" not in control.script()
    put_back = tir.with_widths(kernel, lambda node, width: width)
    assert tir.same(kernel, put_back) == (True, "")
    assert not tir.same(kernel, control)[0]
    assert control.orig_func is kernel.orig_func
    assert control.attrs["global_symbol"] == kernel.attrs["global_symbol"]
    assert "of_ours" in tir.without_widths(annotated.in_annotations(4)).script()
    plain = annotated.several()
    several = tir.without_widths(plain)
    assert several.script().count("num_stages") == plain.script().count("num_stages")
    assert "float4" in lower(control, target_object("cuda", "sm_90")).source


def check_with_widths_tells_one_from_another() -> None:
    kernel = annotated.one(4)
    holder = tir.width_holders(kernel)[1][0]
    changed = tir.with_widths(kernel, lambda node, width: None if node.same_as(holder) else width)
    assert tir.requested_widths(changed) == [4]


def check_names_do_not_count_for_sameness() -> None:
    assert tir.same(annotated.one(4, fixed=True), annotated.other()) == (True, "")


def check_what_differs_is_said_in_one_line() -> None:
    same, message = tir.same(annotated.one(4, fixed=True), annotated.other(factor=3.0))
    assert not same
    assert "\n" not in message
    assert "* T.float32(3.0)" in message, message
    same, message = tir.same(annotated.one(4), annotated.one(4, fixed=True))
    assert not same and "coalesced_width" in message, message
    same, message = tir.same(annotated.one(4, fixed=True), annotated.one(2, fixed=True))
    assert not same and "coalesced_width" in message, message
    same, message = tir.same(annotated.one(4, fixed=True), annotated.keyword(tir.namespace().IntImm("int32", 4)))
    assert not same and message, message
