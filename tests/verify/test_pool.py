"""Order, cancelling, GPUs and shards."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tl_lint.verify.isolation import Closed, Isolation, Limits
from tl_lint.verify.pool import Gpus, run, shard, visible_devices

ROOT = Path(__file__).resolve().parent.parent.parent
TASKS = "tests.verify.isolation_tasks:"


@pytest.mark.parametrize("jobs", [1, 2, 5, 100])
def test_results_are_in_order_and_progress_adds_up(jobs: int) -> None:
    steps: list[int] = []

    def work(number: int) -> int:
        time.sleep(0.01 * (number % 3))
        return number * number

    assert run(range(20), work, jobs, steps.append) == [number * number for number in range(20)]
    assert sum(steps) == 20
    assert run([], work, jobs) == []


def test_jobs_work_at_once_and_no_more_of_them() -> None:
    both = threading.Barrier(3, timeout=20.0)
    running: set[int] = set()
    most = []

    def work(number: int) -> None:
        running.add(number)
        most.append(len(running))
        both.wait()
        running.discard(number)

    run(range(6), work, 3)
    assert max(most) == 3


def test_what_work_raises_is_raised_and_ends_the_rest() -> None:
    done: list[int] = []
    cancelled = threading.Event()

    def work(number: int) -> None:
        done.append(number)
        if number == 0:
            raise KeyError("first")
        assert cancelled.wait(20.0)

    with pytest.raises(KeyError, match="first"):
        run(range(100), work, 2, cancel=cancelled.set)
    assert len(done) < 5


def test_closing_an_isolation_cancels() -> None:
    isolation = Isolation(preload=[])

    def work(number: int) -> None:
        if number == 0:
            raise KeyError("first")
        with pytest.raises(Closed):
            isolation.call(TASKS + "loop", {}, Limits(600.0))
        raise Closed

    start = time.monotonic()
    with pytest.raises(KeyError, match="first"):
        run(range(4), work, 2, cancel=isolation.close)
    assert time.monotonic() - start < 60.0


INTERRUPTED = """
from tl_lint.verify.isolation import Isolation, Limits
from tl_lint.verify.pool import run
with Isolation(preload=[]) as isolation:
    def work(number):
        print(f"{number}\\n", end="", flush=True)  # in one piece: there are two threads
        isolation.call("tests.verify.isolation_tasks:loop", {}, Limits(600.0))
    run(range(10), work, 2, cancel=isolation.close)
"""


def test_ctrl_c_ends_it() -> None:
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED], cwd=ROOT, stdout=-1, stderr=-1, text=True)
    assert process.stdout is not None
    first = {process.stdout.readline(), process.stdout.readline()}
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=60.0)
    assert first == {"0\n", "1\n"}
    assert rest == ""
    assert "KeyboardInterrupt" in errors
    assert process.returncode == -signal.SIGINT


def test_each_gpu_has_one_user_at_a_time() -> None:
    gpus = Gpus(["0", "3"])
    users = {"0": 0, "3": 0}

    def work(number: int) -> int:
        with gpus.one() as environment:
            device = environment["CUDA_VISIBLE_DEVICES"]
            users[device] += 1
            time.sleep(0.01)
            together = users[device]
            users[device] -= 1
        return together

    assert run(range(20), work, 6) == [1] * 20
    assert len(gpus) == 2


def test_a_gpu_comes_back_from_work_that_failed() -> None:
    gpus = Gpus(["7"])
    for _ in range(2):
        with pytest.raises(KeyError), gpus.one() as environment:
            assert environment == {"CUDA_VISIBLE_DEVICES": "7"}
            raise KeyError


def test_without_gpus_nothing_is_waited_for() -> None:
    gpus = Gpus([])
    with gpus.one() as first, gpus.one() as second:
        assert first == second == {}


@pytest.mark.parametrize(
    ("count", "given", "devices"),
    [
        (2, None, ("0", "1")),
        (0, None, ()),
        (2, "3,1", ("3", "1")),
        (2, " GPU-8932f937 , GPU-1a ", ("GPU-8932f937", "GPU-1a")),
        (1, "2,-1,3", ("2",)),
        (0, "", ()),
        (0, "-1", ()),
    ],
)
def test_visible_devices(count: int, given: str | None, devices: tuple[str, ...]) -> None:
    environment = {} if given is None else {"CUDA_VISIBLE_DEVICES": given}
    assert visible_devices(count, environment) == devices


@pytest.mark.parametrize("count", [1, 2, 3, 7, 30])
def test_each_item_is_in_exactly_one_shard(count: int) -> None:
    items = [f"kernel {number}" for number in range(20)]
    shards = [shard(items, (index, count)) for index in range(1, count + 1)]
    assert sorted(item for part in shards for item in part) == sorted(items)
    assert max(map(len, shards)) - min(map(len, shards)) <= 1
    assert shard(items, (1, 2))[:2] == ["kernel 0", "kernel 2"]


def test_processes_that_share_a_gpu_lock_one_file_for_it() -> None:
    gpus = Gpus(("0", "1"), share=2)
    with gpus.one() as first, gpus.one() as second, gpus.one() as third, gpus.one() as fourth:
        held = [first, second, third, fourth]
    devices = [each["CUDA_VISIBLE_DEVICES"] for each in held]
    assert sorted(devices) == ["0", "0", "1", "1"]
    locks = {each["CUDA_VISIBLE_DEVICES"]: each["TL_LINT_GPU_LOCK"] for each in held}
    assert all(each["TL_LINT_GPU_LOCK"] == locks[each["CUDA_VISIBLE_DEVICES"]] for each in held)
    assert len(set(locks.values())) == 2
