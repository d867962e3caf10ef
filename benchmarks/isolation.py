"""Prints what it costs to build each kernel in a process of its own, as a ratio that does not depend on the machine.

    python benchmarks/isolation.py [--kernels N] [--jobs N] [--rounds N]

Needs TileLang. Small kernels are lowered by one plain process that imports TileLang and lowers one after the other, and
then by the verifier's own task, each in a process of its own, with two jobs, start-up included. The bar is 1.5. Both
are timed from outside, one after the other, in rounds; the ratio is the median over the rounds. Beside it: what the
first and the further children cost.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tl_lint.verify.isolation import Isolation, Limits  # noqa: E402
from tl_lint.verify.pool import run  # noqa: E402

ARCHITECTURE = "sm_90"
BAR = 1.5

KERNEL = """
def kernel_{number}():
    @T.prim_func
    def main(A: T.Tensor(({size}, 256), "float32"), B: T.Tensor(({size}, 256), "float32")):
        with T.Kernel({size}, threads=64) as bx:
            for i in T.Parallel(256):
                B[bx, i] = A[bx, i] * {number}.0 + 1.0
    return main
"""


def main() -> int:
    """Print the ratio and whether it stays under the bar."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kernels.py"
        write_kernels(file, arguments.kernels)
        rounds = [measure(file, arguments.kernels, arguments.jobs) for _ in range(arguments.rounds)]
    ratio = statistics.median(ours / plain for plain, ours in rounds)
    for plain, ours in rounds:
        print(f"one process {plain:.2f} s, {arguments.jobs} jobs {ours:.2f} s, ratio {ours / plain:.2f}")
    print(f"{arguments.kernels} kernels: {ratio:.2f}, bar {BAR}: {'under' if ratio < BAR else 'OVER'}")
    return 0 if ratio < BAR else 1


def write_kernels(file: Path, count: int) -> None:
    """Write a module of `count` different kernels, each made by a function."""
    kernels = [KERNEL.format(number=number, size=8 + number) for number in range(count)]
    file.write_text("import tilelang.language as T\n" + "".join(kernels), encoding="utf-8")


def measure(file: Path, count: int, jobs: int) -> tuple[float, float]:
    """Return the seconds that one process takes, and those that the isolation takes."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from benchmarks.isolation import lower_all"
    command = [sys.executable, "-c", f"{code}; lower_all({str(file)!r}, {count})"]
    before = processor_time()
    plain = timed(lambda: subprocess.run(command, check=True))
    between = processor_time()
    ours, first, rest = apart(file, count, jobs)
    after = processor_time()
    print(f"processor time: one process {between - before:.2f} s, apart {after - between:.2f} s")
    print(f"first child {first:.2f} s, further ones {statistics.median(rest):.3f} s each, {jobs} at once")
    return plain, ours


def apart(file: Path, count: int, jobs: int) -> tuple[float, float, list[float]]:
    """Lower all kernels apart; return the seconds that took, those of the first child and those of each further one."""
    start = time.perf_counter()
    with Isolation() as isolation:
        first = timed(lambda: lower_apart(isolation, file, 0))
        rest = run(range(1, count), lambda number: timed(lambda: lower_apart(isolation, file, number)), jobs)
    return time.perf_counter() - start, first, rest


def processor_time() -> float:
    """Return the seconds that this process and its ended children have computed."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def timed(work: Callable[[], Any]) -> float:
    """Return the seconds that `work` takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def lower_apart(isolation: Isolation, file: Path, number: int) -> None:
    """Have the verifier's own task take one kernel to level "lower", with all that it looks at on the way."""
    request = {
        "file": str(file),
        "text": file.read_text(encoding="utf-8"),
        "kernel": f"kernel_{number}",
        "attempts": [["", "defaults"]],
        "version": "original",
        "level": "lower",
        "architecture": ARCHITECTURE,
        "scratch": str(make_folder(file.parent / str(number))),
    }
    ended = isolation.call("tl_lint.verify.child.work:perform", request, Limits(60.0, 8 << 30))
    if not any(told.get("reached") == "lower" for told in ended.told):
        raise RuntimeError(f"kernel {number}: {ended}")


def make_folder(folder: Path) -> Path:
    """Return `folder`, made if need be."""
    folder.mkdir(exist_ok=True)
    return folder


def lower_all(file: str, count: int) -> None:
    """What a plain script does."""
    module = load(file)
    for number in range(count):
        lower(module, number)


def load(file: str) -> Any:
    """Import a file that is in no package."""
    specification = importlib.util.spec_from_file_location("kernels", file)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


def lower(module: Any, number: int) -> str:
    """Return the CUDA source of a kernel."""
    import tilelang
    from tilelang.engine.lower import lower as lower_prim_func

    target = tilelang.tvm.target.Target({"kind": "cuda", "arch": ARCHITECTURE})
    with target:
        return str(lower_prim_func(getattr(module, f"kernel_{number}")(), target=target).kernel_source)


if __name__ == "__main__":
    sys.exit(main())
