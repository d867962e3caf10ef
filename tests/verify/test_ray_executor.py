"""Kernels go to a real Ray cluster of two workers, and come back as from the local pool, whatever becomes of a worker.

The cluster is made for these tests, with its files in a folder of its own, and is told nothing of this checkout: the
workers have tl_lint from the program that connects.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.tilelang_environment import interpreter

ROOT = Path(__file__).resolve().parents[2]

CLUSTER = """
import sys
import ray

ray.init("local", num_cpus=2, num_gpus=1, include_dashboard=False, log_to_driver=False, _temp_dir=sys.argv[1],
         object_store_memory=80 << 20)
print(ray.get_runtime_context().gcs_address, flush=True)
sys.stdin.read()
ray.shutdown()
"""

KERNELS = """
import os
import signal
from pathlib import Path

import tilelang
import tilelang.language as T

with Path(MARKER + ".devices").open("a") as devices:
    devices.write(os.environ.get("CUDA_VISIBLE_DEVICES", "") + " ")


def kill_worker():
    pid = os.getppid()
    while b"ray::" not in Path(f"/proc/{pid}/cmdline").read_bytes():
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(pid, signal.SIGKILL)
    signal.pause()


def right():
    @T.prim_func
    def main(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(256, coalesced_width=T.int32(4)):
                B[i] = A[i]

    return main


def bare():
    @T.prim_func
    def main(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(256, coalesced_width=4):
                B[i] = A[i]

    return main


def leaves():
    os._exit(3)
    @T.prim_func
    def main(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(256, coalesced_width=4):
                B[i] = A[i]

    return main


def crashes():
    os.kill(os.getpid(), signal.SIGSEGV)
    @T.prim_func
    def main(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(256, coalesced_width=4):
                B[i] = A[i]

    return main


def kills_once():
    if not Path(MARKER).exists():
        Path(MARKER).touch()
        kill_worker()
    @T.prim_func
    def main(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(256, coalesced_width=T.int32(2)):
                B[i] = A[i]

    return main


def kills_always():
    with Path(MARKER + ".tries").open("a") as tries:
        tries.write("x")
    kill_worker()
    @T.prim_func
    def main(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(256, coalesced_width=4):
                B[i] = A[i]

    return main


def waits():
    Path(MARKER + ".waiting").write_text(str(os.getpid()))
    signal.pause()
    @T.prim_func
    def main(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(256, coalesced_width=4):
                B[i] = A[i]

    return main
"""

BEGIN = """
import sys
from pathlib import Path
from tl_lint.config import Settings
from tl_lint.source import Source
from tl_lint.verify.cache import plain
from tl_lint.verify.model import Level
from tl_lint.verify.options import VerifyFile, VerifyOptions
from tl_lint.verify.planning import planned
from tl_lint.verify.ray_executor import Cluster

def requests_of(path, names, machine):
    file = VerifyFile(path, path, Source.read(path), Settings(), tuple(names))
    return list(enumerate(planned(VerifyOptions((file,), Level.LOWER), machine)))
"""

COMPARE = """
import json
from dataclasses import replace
from tl_lint.verify.isolation import Isolation
from tl_lint.verify.machine import examined
from tl_lint.verify.proving import prove

path, *names = sys.argv[2:]
rows = {}
with Cluster(sys.argv[1], retries=1) as cluster:
    machine = cluster.machine(None, Level.LOWER)
    requests = requests_of(path, names, machine)
    cluster.run(requests, rows.__setitem__)
with Isolation() as isolation:
    here = examined(isolation, None, Level.LOWER)
    local = [prove(request, isolation) if "kills" not in request.kernel else None for _, request in requests]
result = {"machine": plain(machine), "local_machine": plain(here), "requests": [each.kernel for _, each in requests]}
for key, found in (("ray", [rows[number] for number, _ in requests]), ("local", local)):
    result[key] = [plain(replace(row, seconds=0.0)) if row is not None else None for row in found]
print(json.dumps(result))
"""

WAIT = """
path, *names = sys.argv[2:]
with Cluster(sys.argv[1]) as cluster:
    cluster.run(requests_of(path, names, cluster.machine(None, Level.LOWER)), print)
"""

COMMAND = """
import sys
from tl_lint.cli import main
sys.exit(main(sys.argv[1:]))
"""

CONNECT = """
import sys
from tl_lint.verify.ray_executor import Cluster, VerifyError
try:
    Cluster(*sys.argv[1:])
except VerifyError as error:
    print(error)
"""


@dataclass
class Running:
    """A cluster that runs, and how to run programs that use it."""

    address: str
    environment: dict[str, str]
    python: Path
    folder: str

    def start(self, code: str, *arguments: str, **variables: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.python, "-c", code, *arguments],
            env={**self.environment, "PYTHONPATH": str(ROOT), **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, code: str, *arguments: str, **variables: str) -> tuple[str, str]:
        """Return what the program wrote to standard output and standard error."""
        process = self.start(code, *arguments, **variables)
        try:
            return process.communicate(timeout=240)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def nowhere() -> Iterator[Running]:
    """No cluster, and what a cluster and its programs need."""
    folder = tempfile.mkdtemp(prefix="ray")  # the paths of its sockets must be short
    kept = {key: value for key, value in os.environ.items() if not key.startswith("RAY_") and key != "PYTHONPATH"}
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}  # else it writes one to the home
    yield Running("", {**kept, **token, "RAY_TMPDIR": folder}, interpreter("0.1.15"), folder)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def cluster(nowhere: Running) -> Iterator[Running]:
    """A cluster of two workers."""
    errors = Path(nowhere.folder, "errors.txt")
    with errors.open("w") as stderr:
        process = subprocess.Popen(
            [nowhere.python, "-c", CLUSTER, nowhere.folder],
            cwd=nowhere.folder,
            env=nowhere.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        assert address, errors.read_text()
        yield replace(nowhere, address=address)
    finally:
        process.communicate(timeout=60)


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file with the kernels."""
    folder = tmp_path_factory.mktemp("kernels")
    path = folder / "kernels.py"
    path.write_text(KERNELS.replace("MARKER", repr(str(folder / "marker"))))
    return path


@pytest.fixture(scope="module")
def compared(cluster: Running, kernels: Path) -> dict[str, Any]:
    """The rows of one run on the cluster and of a local one."""
    names = ["right", "bare", "kills_always", "leaves", "kills_once", "crashes"]
    output, errors = cluster.run(BEGIN + COMPARE, cluster.address, str(kernels), *names)
    assert output.startswith("{"), errors
    result: dict[str, Any] = json.loads(output)
    return {**result, "errors": errors}


pytestmark = pytest.mark.long


def test_without_a_cluster_it_says_so(nowhere: Running) -> None:
    """Comes first: Ray looks for one among the processes of the machine."""
    output, errors = nowhere.run(CONNECT)
    assert output.startswith("there is no Ray cluster on this machine: ") and output.count("\n") == 1
    assert errors == ""


def test_without_an_address_it_finds_the_cluster_of_this_machine(cluster: Running) -> None:
    assert cluster.run(CONNECT) == ("", "")


def _row(compared: dict[str, Any], kernel: str, where: str = "ray") -> dict[str, Any]:
    row: dict[str, Any] = compared[where][compared["requests"].index(kernel)]
    return row


def _without_logs(value: Any) -> Any:
    """Return a row without what is never the same twice, addresses and times of day, and without the files' paths."""
    if isinstance(value, dict):
        return {key: _without_logs(each) for key, each in value.items() if key not in ("log", "files")}
    return [_without_logs(each) for each in value] if isinstance(value, list) else value


def test_the_rows_are_those_of_a_local_run(compared: dict[str, Any]) -> None:
    for kernel in ("right", "bare", "leaves", "crashes"):
        assert _without_logs(_row(compared, kernel)) == _without_logs(_row(compared, kernel, "local"))
    assert _row(compared, "right")["verdict"] == "ok"
    assert _row(compared, "bare")["verdict"] == "fix-confirmed"
    assert "exits" in _row(compared, "leaves")["message"]
    assert "SIGSEGV" in _row(compared, "crashes")["message"]


def test_the_machine_is_that_of_a_worker(compared: dict[str, Any]) -> None:
    assert compared["machine"] == compared["local_machine"]
    assert compared["machine"]["tilelang"] == "0.1.15"


def test_the_command_line_asks_for_a_gpu_where_a_kernel_is_to_run_and_writes_json_only(
    cluster: Running, kernels: Path
) -> None:
    """The cluster believes that it has a GPU; TileLang finds none, and the rows say how far they came."""
    devices = kernels.with_name("marker.devices")
    arguments = ["verify", f"{kernels}::bare", "--executor", f"ray:{cluster.address}", "--no-cache"]
    for level, wanted in (("lower", set()), ("best", {"0"})):
        devices.unlink(missing_ok=True)
        output, errors = cluster.run(COMMAND, *arguments, "--output-format", "json", "--level", level)
        assert [(row["kernel"], row["verdict"]) for row in json.loads(output)] == [("bare", "fix-confirmed")], errors
        assert errors == ""
        assert set(devices.read_text().split()) == wanted


def test_a_kernel_whose_worker_is_killed_is_tried_again(compared: dict[str, Any], kernels: Path) -> None:
    assert kernels.with_name("marker").exists()
    assert _row(compared, "kills_once")["verdict"] == "ok"


def test_a_kernel_that_kills_each_worker_has_a_row_and_the_others_go_on(
    compared: dict[str, Any], kernels: Path
) -> None:
    row = _row(compared, "kills_always")
    assert kernels.with_name("marker.tries").read_text() == "xx"
    assert row["verdict"] == "not-reached"
    assert "WorkerCrashedError" in row["message"] and "\n" not in row["message"]
    assert len(compared["ray"]) == 6


def test_nothing_is_written_beside_the_rows_even_of_workers_that_died(compared: dict[str, Any]) -> None:
    assert compared["errors"] == ""


def test_ctrl_c_ends_the_task_and_its_children(cluster: Running, kernels: Path) -> None:
    waiting = kernels.with_name("marker.waiting")
    process = cluster.start(BEGIN + WAIT, cluster.address, str(kernels), "waits")
    try:
        deadline = time.monotonic() + 120
        while not waiting.exists() or not waiting.read_text():
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.05)
        child = Path(f"/proc/{waiting.read_text()}")
        assert child.exists()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode != 0 and "KeyboardInterrupt" in errors
    assert not child.exists()


@pytest.mark.parametrize(
    ("address", "variables", "wanted"),
    [
        ("local", {}, "would start a Ray cluster"),
        ("127.0.0.1:1", {}, "no Ray cluster at 127.0.0.1:1: Connection refused"),
        ("", {"RAY_ADDRESS": "127.0.0.1:1"}, "no Ray cluster at 127.0.0.1:1: Connection refused"),
        ("nonsense", {}, "no Ray cluster at nonsense: "),
    ],
)
def test_what_is_no_cluster_is_one_line(
    cluster: Running, tmp_path: Path, address: str, variables: dict[str, str], wanted: str
) -> None:
    elsewhere = {"RAY_TMPDIR": str(tmp_path), **variables}
    output, errors = cluster.run(CONNECT, address, **elsewhere)
    assert wanted in output and output.count("\n") == 1
    assert errors == ""


def test_a_cluster_that_refuses_the_token_is_one_line(cluster: Running) -> None:
    output, errors = cluster.run(CONNECT, cluster.address, RAY_AUTH_TOKEN=secrets.token_hex(32))
    assert f"no Ray cluster at {cluster.address}: " in output and output.count("\n") == 1
    assert errors == ""


def test_without_ray_it_says_what_to_install(cluster: Running) -> None:
    hidden = "import sys\nsys.modules['ray'] = None\n"
    output, errors = cluster.run(hidden + CONNECT)
    assert output.startswith("Ray cannot be imported") and "pip install 'tl-lint[ray]'" in output
    assert errors == ""
