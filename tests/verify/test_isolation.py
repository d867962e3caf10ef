"""Every way of dying is a result, and nothing is left behind. The tasks are in isolation_tasks.py."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.tilelang_environment import interpreter
from tl_lint.verify.isolation import Closed, Ended, Isolation, Limits

ROOT = Path(__file__).resolve().parent.parent.parent
TASKS = "tests.verify.isolation_tasks:"
MEGABYTE = 1 << 20


@pytest.fixture(scope="module", params=["fork", "spawn"])
def isolation(request: pytest.FixtureRequest) -> Iterator[Isolation]:
    with Isolation(preload=["json"], method=request.param) as made:
        yield made


def call(isolation: Isolation, task: str, seconds: float = 30.0, memory: int | None = None, **request: Any) -> Ended:
    return isolation.call(TASKS + task, request, Limits(seconds, memory))


def finished(ended: Ended) -> bool:
    return (ended.error, ended.signal, ended.exit_status, ended.timed_out, ended.out_of_memory) == (
        "",
        0,
        None,
        False,
        False,
    )


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie, which only waits for its parent to look, does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def assert_ends(*pids: int) -> None:
    end = time.monotonic() + 10.0
    while any(map(alive, pids)) and time.monotonic() < end:
        time.sleep(0.02)
    assert [pid for pid in pids if alive(pid)] == []


def test_a_task_gets_its_request_and_tells(isolation: Isolation) -> None:
    request = {"text": "ü\n\0\udce4", "list": [1, None, 2.5], "large": "x" * 3_000_000}
    ended = isolation.call(TASKS + "echo", request, Limits(30.0))
    assert finished(ended)
    assert ended.told[0]["request"] == request
    assert ended.told[0]["pid"] != os.getpid()
    assert ended.log == ""


def test_the_parents_main_is_not_run_in_the_child(
    isolation: Isolation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = tmp_path / "ran"
    script = tmp_path / "script.py"
    script.write_text(f"open({str(ran)!r}, 'w').close()\n", encoding="utf-8")
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(script), raising=False)
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", None)
    assert call(isolation, "echo").told[0]["main"] == "None"
    assert not ran.exists()


def test_the_tasks_module_is_imported_in_the_child_alone(isolation: Isolation) -> None:
    for _ in range(2):
        told = call(isolation, "identify").told[0]
        assert told["imported_here"]
        assert "json" in told["modules"]
        assert not {"libcst", "pytest"} & set(told["modules"])
    assert "tests.verify.isolation_tasks" not in sys.modules


def test_an_exception_is_an_error_and_its_traceback_is_in_the_log(isolation: Isolation) -> None:
    ended = call(isolation, "raise_error")
    assert ended.told == [{"step": 1}]
    assert ended.error == "KeyError: 'no such kernel'"
    assert "in raise_error" in ended.log
    assert (ended.signal, ended.exit_status, ended.timed_out, ended.out_of_memory) == (0, None, False, False)


def test_an_exception_that_cannot_be_shown_is_an_error(isolation: Isolation) -> None:
    assert call(isolation, "raise_unprintable").error == "Unprintable: (its message cannot be shown)"


@pytest.mark.parametrize("task", ["tests.verify.isolation_tasks:missing", "no_such_module:task"])
def test_a_task_that_is_not_there_is_an_error(isolation: Isolation, task: str) -> None:
    ended = isolation.call(task, {}, Limits(30.0))
    assert ended.error.startswith(("AttributeError: ", "ModuleNotFoundError: "))


@pytest.mark.parametrize("number", [signal.SIGFPE, signal.SIGSEGV, signal.SIGABRT, signal.SIGTERM, signal.SIGKILL])
def test_death_by_a_signal(isolation: Isolation, number: int) -> None:
    ended = call(isolation, "signal_itself", signal=int(number))
    assert (ended.signal, ended.error, ended.exit_status) == (number, "", None)
    assert (ended.timed_out, ended.out_of_memory) == (False, False)
    assert ended.told == [{"step": 1}]


@pytest.mark.parametrize(("task", "number"), [("read_null", signal.SIGSEGV), ("abort", signal.SIGABRT)])
def test_death_in_c(isolation: Isolation, task: str, number: int) -> None:
    assert call(isolation, task).signal == number


@pytest.mark.parametrize("task", ["loop", "loop_in_c", "ignore_signals"])
def test_a_task_without_end_is_ended(isolation: Isolation, task: str) -> None:
    ended = call(isolation, task, seconds=0.3)
    assert ended.timed_out
    assert (ended.signal, ended.error, ended.exit_status, ended.out_of_memory) == (0, "", None, False)
    assert ended.told == ([] if task == "loop_in_c" else [{"step": 1}])
    assert ended.seconds < 10.0


@pytest.mark.parametrize("task", ["sys_exit", "os_exit"])
@pytest.mark.parametrize("code", [0, 3])
def test_a_task_that_ends_its_process(isolation: Isolation, task: str, code: int) -> None:
    ended = call(isolation, task, code=code)
    assert (ended.exit_status, ended.signal, ended.error) == (code, 0, "")


def test_sys_exit_with_a_message(isolation: Isolation) -> None:
    ended = call(isolation, "sys_exit", code="no GPU here")
    assert (ended.exit_status, ended.log) == (1, "no GPU here\n")


@pytest.mark.parametrize("task", ["fill_memory", "fill_memory_in_a_child"])
def test_a_task_that_takes_too_much_memory_is_ended(isolation: Isolation, task: str) -> None:
    ended = call(isolation, task, memory=150 * MEGABYTE)
    assert ended.out_of_memory
    assert (ended.signal, ended.error, ended.exit_status, ended.timed_out) == (0, "", None, False)


def test_memory_that_python_refuses_is_out_of_memory_too(isolation: Isolation) -> None:
    ended = call(isolation, "memory_error")
    assert ended.out_of_memory
    assert ended.error.startswith("MemoryError")


def test_memory_that_is_reserved_and_not_used_does_not_count(isolation: Isolation) -> None:
    assert finished(call(isolation, "reserve", memory=150 * MEGABYTE))


def test_a_flood_leaves_its_end(isolation: Isolation) -> None:
    ended = call(isolation, "flood", mebibytes=500)
    assert finished(ended)
    assert len(ended.log) == 64 << 10
    assert ended.log.endswith("abcde\nthe end\n")


def test_a_flood_without_end_is_ended(isolation: Isolation) -> None:
    ended = call(isolation, "flood_for_ever", seconds=0.3)
    assert ended.timed_out
    assert ended.log == "x" * (64 << 10)


def test_what_is_told_has_a_limit(isolation: Isolation) -> None:
    ended = call(isolation, "tell_too_much")
    assert ended.error.startswith("OverflowError: ")
    assert ended.told[0] == {"step": 1}
    assert len(ended.told) > 50


def test_what_is_no_json_is_an_error_of_the_task(isolation: Isolation) -> None:
    assert call(isolation, "tell_no_json").error.startswith("TypeError: ")


def test_closed_files_lose_nothing_that_is_told(isolation: Isolation) -> None:
    ended = call(isolation, "close_files")
    assert finished(ended)
    assert ended.told == [{"step": 1}, {"step": 2}]


def test_too_many_open_files_lose_nothing_that_is_told(isolation: Isolation) -> None:
    ended = call(isolation, "open_too_many")
    assert finished(ended)
    assert ended.told == [{"step": 1}]


def test_all_that_is_printed_is_in_the_log_in_its_order(
    isolation: Isolation, capfd: pytest.CaptureFixture[str]
) -> None:
    ended = call(isolation, "print_everywhere")
    assert finished(ended)
    lines = ended.log.splitlines()
    assert lines[:3] == ["by print", r"to stderr \udce4", "to file 1"]
    assert lines[3:] == ["by C"]
    assert capfd.readouterr() == ("", "")


def test_a_fork_that_goes_on_tells_nothing(isolation: Isolation) -> None:
    ended = call(isolation, "fork_and_return")
    assert finished(ended)
    assert ended.told == [{"step": 1}]


@pytest.mark.parametrize("then", ["return", "crash", "loop"])
def test_no_process_of_a_task_survives_it(isolation: Isolation, then: str) -> None:
    ended = call(isolation, "leave_processes", seconds=1.0, then=then)
    assert ended.signal == (signal.SIGABRT if then == "crash" else 0)
    assert ended.timed_out == (then == "loop")
    pids = ended.told[0]["pids"]
    assert len(pids) == 3
    assert [pid for pid in pids if alive(pid)] == []


def test_a_thread_that_goes_on_does_not_hold_the_task(isolation: Isolation) -> None:
    ended = call(isolation, "thread_goes_on")
    assert finished(ended)
    assert ended.seconds < 10.0


def test_a_killed_supervisor_is_a_result_and_takes_its_task_along(isolation: Isolation) -> None:
    ended = call(isolation, "kill_supervisor")
    assert ended.signal == signal.SIGKILL
    assert finished(call(isolation, "echo"))


def test_the_environment_is_the_tasks_own(isolation: Isolation) -> None:
    ended = isolation.call(TASKS + "variable", {"name": "SOME_NAME"}, Limits(30.0), {"SOME_NAME": "7"})
    assert ended.told == [{"value": "7"}]
    assert call(isolation, "variable", name="SOME_NAME").told == [{"value": None}]
    assert call(isolation, "variable", name="PYTHONIOENCODING").told == [{"value": None}]


def test_many_threads_at_once(isolation: Isolation) -> None:
    def one(number: int) -> bool:
        if number % 5 == 0:
            return call(isolation, "abort").signal == signal.SIGABRT
        return bool(call(isolation, "echo", number=number).told[0]["request"] == {"number": number})

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(one, range(40 if isolation.method == "fork" else 10)))


def test_closing_ends_what_runs(isolation: Isolation, tmp_path: Path) -> None:
    own = Isolation(preload=[], method=isolation.method)
    raised: list[BaseException] = []

    def work() -> None:
        try:
            call(own, "write_pid_and_loop", seconds=600.0, file=str(tmp_path / "pids"))
        except Closed as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    pids = written_pids(tmp_path / "pids")
    own.close()
    thread.join(10.0)
    assert not thread.is_alive()
    assert len(raised) == 1
    assert_ends(*pids)
    with pytest.raises(Closed):
        call(own, "echo")


def test_a_server_that_dies_is_replaced() -> None:
    with Isolation(preload=[], method="fork") as isolation:
        assert finished(call(isolation, "kill_server"))
        assert finished(call(isolation, "echo"))
        assert isolation.method == "fork"


def test_a_preload_that_fails_is_each_tasks_error() -> None:
    with Isolation(preload=["no_such_module"]) as isolation:
        for _ in range(2):
            assert call(isolation, "echo").error == "ModuleNotFoundError: No module named 'no_such_module'"


@pytest.mark.parametrize("module", ["tests.verify.isolation_crashes", "tests.verify.isolation_exits"])
def test_a_preload_that_kills_its_process_is_each_tasks_end(module: str) -> None:
    with Isolation(preload=[module]) as isolation:
        for _ in range(2):
            ended = call(isolation, "echo")
            assert (ended.signal, ended.exit_status) == ((signal.SIGSEGV, None) if "crash" in module else (0, 3))


INTERRUPTED = """
import sys
from tl_lint.verify.isolation import Isolation, Limits
with Isolation(preload=[], method=sys.argv[1]) as isolation:
    isolation.call("tests.verify.isolation_tasks:write_pid_and_loop", {"file": sys.argv[2]}, Limits(600.0))
"""


def written_pids(file: Path) -> list[int]:
    end = time.monotonic() + 30.0
    while not (file.exists() and file.read_text(encoding="utf-8").endswith("\n")):
        assert time.monotonic() < end
        time.sleep(0.02)
    return [int(pid) for pid in file.read_text(encoding="utf-8").split()]


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("how", ["SIGINT", "SIGINT to the group", "SIGTERM", "SIGKILL"])
def test_no_process_survives_ours(method: str, how: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", INTERRUPTED, method, str(tmp_path / "pids")]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, start_new_session=True)
    pids = written_pids(tmp_path / "pids")
    number = getattr(signal, how.split()[0])
    if how.endswith("group"):
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    _, errors = process.communicate(timeout=30.0)
    assert process.returncode == (-number)
    assert (b"KeyboardInterrupt" in errors) == (number == signal.SIGINT)
    assert_ends(*pids)


REAL = """
import json, sys
from tl_lint.verify.isolation import Isolation, Limits
limits = Limits(60.0, 4 << 30)
with Isolation(method=sys.argv[1]) as isolation:
    for task in sys.argv[2:]:
        ended = isolation.call("tests.verify.isolation_tasks:" + task, {}, limits)
        print(json.dumps([ended.told, ended.error, ended.signal, ended.log]))
    print(isolation.method)
"""


@pytest.mark.long
@pytest.mark.parametrize("release", ["0.1.13", "0.1.15"])
def test_tilelang_itself(release: str) -> None:
    """It lowers before and after tasks that die and that fail, 40 forks long, and forking is held to be safe."""
    tasks = ["lower", "zero_width", "raise_error", "lower", *["lower"] * 36]
    result = subprocess.run(
        [str(interpreter(release)), "-c", REAL, "fork", *tasks],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        timeout=600.0,
    )
    *lines, method = result.stdout.splitlines()
    assert method == "fork"
    answers = [json.loads(line) for line in lines]
    zero = answers.pop(1)
    if release == "0.1.13":
        assert zero[2] == signal.SIGFPE
    else:
        assert "must be a positive integer" in zero[1]
    assert answers.pop(1)[1] == "KeyError: 'no such kernel'"
    for told, error, number, log in answers:
        assert (error, number, log) == ("", 0, "")
        assert "__global__" in told[0]["source"]
    assert len(answers) == 38


@pytest.mark.long
def test_tilelang_itself_spawned() -> None:
    result = subprocess.run(
        [str(interpreter("0.1.15")), "-c", REAL, "spawn", "lower"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        timeout=600.0,
    )
    line, method = result.stdout.splitlines()
    assert method == "spawn"
    assert "__global__" in json.loads(line)[0][0]["source"]
