"""child.instantiate on the real TileLang: every form of kernel, what is raised, and that nothing is compiled."""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.tilelang_environment import interpreter

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parent.parent.parent

KERNELS = """
import functools
import tilelang
import tilelang.language as T
import torch
from tilelang.autotuner import AutoTuner

SIZE = 256


def build(M, block=64, dtype="float32"):
    @T.prim_func
    def main(A: T.Tensor((M,), dtype), B: T.Tensor((M,), dtype)):
        with T.Kernel(T.ceildiv(M, block), threads=64) as bx:
            for i in T.Parallel(block):
                B[bx * block + i] = A[bx * block + i] + 1.0
    return main


plain = build(SIZE)
lazy = tilelang.jit(out_idx=[-1])(build)
cached = functools.lru_cache(maxsize=4)(lazy)
tuned = tilelang.autotune(configs=[{"block": 32}])(lazy)
wrapped = functools.wraps(lazy)(lambda *args, **kwargs: lazy(*args, **kwargs))


@tilelang.jit
def eager(A, B, block: int):
    M = T.const("M")
    A: T.Tensor((M,), T.float32)
    B: T.Tensor((M,), T.float32)
    with T.Kernel(T.ceildiv(M, block), threads=64) as bx:
        for i in T.Parallel(block):
            B[bx * block + i] = A[bx * block + i] + 1.0


def compiles(M):
    return tilelang.compile(build(M), out_idx=[-1])


def compiles_in_secret(M):
    try:
        kernel = lazy(M)
    except Exception:
        return None
    return lambda x: kernel(x)


def tunes(M):
    def kernel(block=None):
        return build(M, block)
    return AutoTuner.from_kernel(kernel=kernel, configs=[{"block": 32}]).run(warmup=1, rep=1)


def outer(M):
    @tilelang.jit(out_idx=[-1])
    def inner(block=64):
        return build(M, block)
    return inner


def pair(M):
    return build(M), "a name"


def asks_for_the_gpu(blocks=None):
    major, minor = torch.cuda.get_device_capability()
    count = torch.cuda.get_device_properties(0).multi_processor_count
    assert not torch.cuda.is_available()
    return build(count * 64 * major)


class Kernels:
    def __init__(self, M):
        self.M = M

    def ordinary(self, block):
        return build(self.M, block)

    def bare(self, M):
        return build(M)

    @staticmethod
    def static(M):
        return build(M)

    @classmethod
    def of_class(cls, M):
        return build(M)

    @staticmethod
    @tilelang.jit
    def compiled(M):
        return build(M)


def number(M):
    return M


def fails(M):
    raise LookupError("no such M")
"""

# A kernel, its arguments, and how many elements its first buffer has, or the error.
CASES: list[tuple[str, str, int | str]] = [
    ("plain", "", 256),
    ("build", "512", 512),
    ("build", "M=SIZE * 2, dtype=T.float16", 512),
    ("lazy", "M=512, block=32", 512),
    ("cached", "512", 512),
    ("tuned", "M=512, block=128", 512),
    ("tuned", "512, **{'block': 32}", 512),
    ("wrapped", "512", 512),
    ("eager", "block=64, M=512", 512),
    ("compiles", "512", 512),
    ("compiles_in_secret", "512", 512),
    ("tunes", "512", 512),
    ("outer", "512", 512),
    ("outer", "M=512)(block=32", 512),
    ("pair", "512", 512),
    ("asks_for_the_gpu", "", 132 * 64 * 9),
    ("Kernels.ordinary", "self=Kernels(M=512), block=32", 512),
    ("Kernels.bare", "512", 512),
    ("Kernels.static", "M=512", 512),
    ("Kernels.of_class", "512", 512),
    ("Kernels.compiled", "M=512", 512),
    ("number", "512", "NotAKernel: number makes a int, not a prim_func"),
    ("fails", "512", "LookupError: no such M"),
    ("build", "", "BadArguments: "),
    ("build", "M=", "BadArguments: the arguments can't be read: "),
    ("missing", "", "NotAKernel: the file has no missing "),
    ("lazy", "M=UNKNOWN", "BadArguments: the arguments can't be evaluated: NameError: "),
]

CHILD = """
import json, sys, types
import torch, tilelang
from tl_lint.verify.child.instantiate import instantiate
from tl_lint.verify.child.loading import load

request = json.load(sys.stdin)
module = load(request["file"], request["text"])
before = (torch.cuda.get_device_capability, sys.modules["tilelang.jit"].cached)
answers = []
for name, arguments in request["cases"]:
    with tilelang.tvm.target.Target({"kind": "cuda", "arch": request["architecture"]}):
        try:
            made = instantiate(module, name, arguments)
            answers.append(int(made.buffer_map[made.params[0]].shape[0]))
        except Exception as error:
            answers.append(f"{type(error).__name__}: {error}")
after = (torch.cuda.get_device_capability, sys.modules["tilelang.jit"].cached)
print("\\n" + json.dumps({"answers": answers, "restored": before == after}))
"""


@cache
def _answers(release: str, folder: str, architecture: str = "sm_90") -> tuple[list[int | str], bool]:
    request = {
        "file": str(Path(folder) / "kernels.py"),
        "text": KERNELS,
        "cases": [(name, arguments) for name, arguments, _ in CASES],
        "architecture": architecture,
    }
    # A compiler that can't be found proves that none was asked for.
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "CUDA_VISIBLE_DEVICES": ""}
    ended = subprocess.run(
        [interpreter(release), "-c", CHILD], input=json.dumps(request), capture_output=True, text=True, env=environment
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    told = json.loads(ended.stdout.splitlines()[-1])
    return told["answers"], told["restored"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("kernels"))


@pytest.mark.parametrize("release", ["0.1.13", "0.1.15"])
@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{name}({arguments})" for name, arguments, _ in CASES])
def test_a_prim_func_comes_out_or_what_the_code_raises(release: str, number: int, folder: str) -> None:
    expected = CASES[number][2]
    answer = _answers(release, folder)[0][number]
    if isinstance(expected, str):
        assert isinstance(answer, str) and answer.startswith(expected)
    else:
        assert answer == expected


def test_what_was_replaced_meanwhile_is_put_back(folder: str) -> None:
    assert _answers("0.1.15", folder)[1]


def test_the_gpu_that_is_described_is_that_of_the_target(folder: str) -> None:
    number = [name for name, _, _ in CASES].index("asks_for_the_gpu")
    assert _answers("0.1.15", folder, "sm_80")[0][number] == 108 * 64 * 8
