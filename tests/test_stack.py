"""A deep stack for one call, and everything as it was after it."""

from __future__ import annotations

import gc
import sys
import threading

import pytest

from tl_lint.stack import with_deep_stack


def depth(levels: int) -> int:
    """Recurse that deep."""
    return depth(levels - 1) + 1 if levels else 0


def test_deep_recursion_works_inside_and_not_outside() -> None:
    assert with_deep_stack(depth, 40_000) == 40_000
    with pytest.raises(RecursionError):
        depth(40_000)


def test_endless_recursion_is_an_exception_inside_too() -> None:
    with pytest.raises(RecursionError):
        with_deep_stack(depth, -1)


def test_exceptions_pass_through() -> None:
    def fail() -> None:
        raise KeyError("inside")

    with pytest.raises(KeyError, match="inside"):
        with_deep_stack(fail)
    with pytest.raises(SystemExit):
        with_deep_stack(sys.exit, 3)


@pytest.mark.parametrize("collecting", [True, False])
@pytest.mark.parametrize("failing", [True, False])
def test_everything_is_put_back(collecting: bool, failing: bool) -> None:
    gc.enable() if collecting else gc.disable()
    before = (sys.getrecursionlimit(), threading.stack_size(), threading.active_count())
    inside: list[bool] = []

    def work() -> None:
        inside.append(gc.isenabled())
        if failing:
            raise ValueError

    try:
        if failing:
            with pytest.raises(ValueError):
                with_deep_stack(work)
        else:
            with_deep_stack(work)
        assert gc.isenabled() is collecting
    finally:
        gc.enable()
    assert inside == [False]
    assert (sys.getrecursionlimit(), threading.stack_size(), threading.active_count()) == before


def test_inside_another_it_uses_the_same_thread() -> None:
    def nested() -> tuple[int, int]:
        return threading.get_ident(), with_deep_stack(threading.get_ident)

    outer, inner = with_deep_stack(nested)
    assert outer == inner != threading.get_ident()


def test_several_threads_may_ask_at_once() -> None:
    limit = sys.getrecursionlimit()
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(with_deep_stack(depth, 20_000))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [20_000] * 4
    assert sys.getrecursionlimit() == limit
