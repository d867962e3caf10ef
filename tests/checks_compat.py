"""Checks of tl_lint.compat; run by test_compat."""

import enum
import importlib.metadata
import sys
import threading
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy
import tilelang

from tests.verify.kernels import annotated, imported_by_name
from tl_lint import coercion, compat
from tl_lint.verify.child import boundary, tir
from tl_lint.verify.child.lowering import lower, target_object
from tl_lint.verify.child.streams import captured

ABORT = "coalesced_width should be an IntImmNode."
MADE = [annotated.keyword, annotated.in_annotations, annotated.lower_case, imported_by_name.scale]


class Lanes(enum.IntEnum):
    TWO = 2


def lowered(made: Callable[[Any], Any], value: object) -> str:
    """Return the CUDA source of a kernel with a width, or what the compiler says."""
    try:
        with captured():
            return lower(made(value), target_object("cuda", "sm_90")).source
    except Exception as error:
        return str(error).strip().splitlines()[-1]


def raw(made: Callable[[int], Any] = annotated.keyword) -> bool:
    return bool(tir.annotations(made(4))[0]["raw"])


def functions() -> list[Any]:
    return [getattr(module, name) for module, name in coercion.parallel_loops()]


def check_an_int_aborts_without_and_compiles_within() -> None:
    for made in MADE:
        assert ABORT in lowered(made, 4), made
        with compat.coerced():
            assert "float4" in lowered(made, 4), made
            two = lowered(made, 2)
            assert "float2" in two and "float4" not in two, made
        assert ABORT in lowered(made, 4), made


def check_every_integer_of_python_and_numpy_counts() -> None:
    with compat.coerced():
        for value in (Lanes.TWO, numpy.int32(2), numpy.uint8(2), numpy.int64(2)):
            assert "float2" in lowered(annotated.keyword, value), value
        one = lowered(annotated.keyword, True)
        assert "scale_kernel" in one and "float2" not in one and "float4" not in one


def check_what_is_no_positive_integer_gets_the_compiler_s_answer() -> None:
    for value in (0, -4, "4", 4.0, 2**40, numpy.bool_(True), numpy.float32(4)):
        alone = lowered(annotated.keyword, value)
        with compat.coerced():
            assert lowered(annotated.keyword, value) == alone, value
        assert "scale_kernel" not in alone, value


def check_constants_and_other_annotations_are_left_as_they_are() -> None:
    with compat.coerced():
        kernel = annotated.in_annotations(4)
        constant = annotated.keyword(tir.namespace().IntImm("int64", 4))
    kinds = {item["key"]: item["type"] for item in tir.annotations(kernel)}
    assert kinds == {"coalesced_width": "IntImm", "of_ours": "int"}
    assert constant.script().count("int64(4)") == 1


def check_a_dict_of_the_caller_is_not_changed() -> None:
    given = {"coalesced_width": 4}
    with compat.coerced():
        tilelang.language.Parallel(256, annotations=given)
        tilelang.language.parallel(256, annotations=given)
    assert type(given["coalesced_width"]) is int


def check_blocks_nest_and_end_with_an_exception() -> None:
    before = functions()
    try:
        with compat.coerced():
            with compat.coerced():
                assert not raw()
            assert not raw()
            raise KeyError
    except KeyError:
        pass
    assert raw()
    assert functions() == before


def check_it_decorates_a_function() -> None:
    assert not compat.coerced()(raw)()
    assert raw()


def check_threads_that_overlap_end_in_any_order() -> None:
    before = functions()
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with compat.coerced():
            inside.set()
            leave.wait(30)

    thread = threading.Thread(target=other)
    with compat.coerced():
        thread.start()
        assert inside.wait(30)
    assert not raw()  # the other thread's block is open, and counts for all threads
    leave.set()
    thread.join()
    assert raw()
    assert functions() == before


def check_what_somebody_else_put_in_place_stays() -> None:
    module, name = coercion.parallel_loops()[0]
    original = getattr(module, name)
    with compat.coerced():
        ours = getattr(module, name)

        def wrapper(*arguments: Any) -> Any:
            return ours(*arguments)

        setattr(module, name, wrapper)
    try:
        assert getattr(module, name) is wrapper
        assert raw()
    finally:
        setattr(module, name, original)


def check_a_known_release_is_not_tried() -> None:
    compat.is_needed.cache_clear()
    with mock.patch.object(compat, "_takes_an_int", side_effect=AssertionError):
        assert compat.is_needed()


def check_a_newer_release_is_tried_while_a_kernel_is_traced() -> None:
    compat.is_needed.cache_clear()
    with mock.patch.object(importlib.metadata, "version", return_value="99.1"), compat.coerced():
        assert "float4" in lowered(annotated.keyword, 4)  # it is this release after all, which needs it
        assert compat.is_needed.cache_info().currsize == 1
    compat.is_needed.cache_clear()


def check_a_release_that_takes_ints_gets_ints() -> None:
    compat.is_needed.cache_clear()
    with mock.patch.object(importlib.metadata, "version", return_value="99.1"), boundary.installed(True):
        assert not compat.is_needed()  # T.Parallel takes ints within
    with compat.coerced():
        assert raw()
    compat.is_needed.cache_clear()


def check_an_unreadable_version_is_tried_too() -> None:
    for answer in ({"return_value": "unknown"}, {"side_effect": importlib.metadata.PackageNotFoundError}):
        compat.is_needed.cache_clear()
        with mock.patch.object(importlib.metadata, "version", **answer):
            assert compat.is_needed()
    compat.is_needed.cache_clear()


def check_nothing_is_left_in_the_import_system() -> None:
    assert not [finder for finder in sys.meta_path if type(finder).__module__ == "tl_lint.after_import"]
