"""The child's side of driver mode on the real TileLang: what is captured of scripts that want a GPU, without one."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.front import ROOT
from tests.tilelang_environment import interpreter
from tl_lint.verify.driving import Captured, Drive, captured
from tl_lint.verify.isolation import Isolation, Limits

pytestmark = pytest.mark.long

RELEASES = ("0.1.13", "0.1.15")
NEWEST = RELEASES[-1]

HEADER = """
import torch
import tilelang
import tilelang.language as T


def copy_of(n, block, dtype="float32", width=None):
    @T.prim_func
    def main(a: T.Tensor((n,), dtype), b: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, block), threads=64) as bx:
            for i in T.Parallel(block, coalesced_width=width):
                b[bx * block + i] = a[bx * block + i]

    return main


@tilelang.jit(out_idx=[1])
def lazy(n, block=256, dtype="float32", width=None):
    return copy_of(n, block, dtype, width)
"""

MANY = """
import os
import threading

import helper
from helper import T, copy_of, lazy, tilelang, torch


@tilelang.jit(out_idx=-1, pass_configs={"tl.disable_tma_lower": True})
def dynamic(dtype):
    n = T.dynamic("n")

    @T.prim_func
    def main(a: T.Tensor((n, 64), dtype), b: T.Tensor((n * 2, 64), dtype)):
        with T.Kernel(n, threads=64) as bx:
            for i in T.Parallel(64):
                b[bx, i] = a[bx, i]

    return main


@tilelang.jit
def eager(a, block: int = 64):
    n = T.const("n")
    a: T.Tensor[[n], T.float32]
    b = T.empty([n], T.float32)
    with T.Kernel(T.ceildiv(n, block), threads=64) as bx:
        for i in T.Parallel(block):
            b[bx * block + i] = a[bx * block + i]
    return b


@tilelang.autotune(configs=[{"block": 128}, {"block": 64}])
@tilelang.jit(out_idx=[1])
def tuned(n, block=256):
    return copy_of(n, block)


@tilelang.jit
def broken(n):
    raise KeyError("of the factory")


class Double(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return lazy(1024)(x)

    @staticmethod
    def backward(context, gradient):
        return lazy(1024, 128)(gradient)


def in_a_thread():
    x = torch.randn(64, device="cuda").cuda()
    helper.shown = (x.device, lazy(64, 64)(x).shape)


if __name__ == "__main__":
    x = torch.randn(1024, device="cuda", requires_grad=True)
    Double.apply(x).sum().backward()
    assert x.grad.shape == x.shape and x.grad.is_cuda
    y = dynamic("float16")(torch.randn(5, 64).half().cuda())
    assert (y.shape, y.dtype, y.device) == ((10, 64), torch.float16, torch.device("cuda:0")), y
    assert eager(x.detach()).shape == (1024,)
    assert tuned(512).config == {"block": 128}
    kernel = tilelang.compile(copy_of(256, 64), out_idx=[1])
    assert isinstance(kernel, tilelang.JITKernel) and kernel.get_kernel_source() == ""
    kernel.get_profiler().assert_allclose(lambda a: a)
    assert kernel.get_profiler().do_bench() == 1.0
    lazy(64, 64, T.float16)
    lazy.par_compile([{"n": 2048}, {"n": 4096}])
    tilelang.lower(copy_of(128, 128), target="cuda")
    assert tilelang.tvm.cuda(0).exist and tilelang.tvm.cuda(0).compute_version == "9.0"
    thread = threading.Thread(target=in_a_thread)
    thread.start()
    thread.join()
    assert helper.shown == (torch.device("cuda:0"), (64,)), helper.shown
    lazy(1024)(x.detach())
    torch.testing.assert_close(kernel(torch.randn(256, device="cuda")), torch.randn(256, device="cuda"))
    try:
        broken(3)
    except KeyError:
        print("the end")
    lazy(1024, 512)
    os.kill(os.getpid(), 8)
"""


@pytest.fixture(scope="module")
def isolation() -> Iterator[Isolation]:
    with Isolation(preload=()) as made:
        yield made


@pytest.fixture(scope="module", params=RELEASES)
def release(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def many(release: str, isolation: Isolation, tmp_path_factory: pytest.TempPathFactory) -> Drive:
    folder = tmp_path_factory.mktemp("many")
    (folder / "helper.py").write_text(HEADER)
    (folder / "main.py").write_text(MANY)
    result = run(isolation, release, "main.py", folder)
    assert sorted(path.name for path in folder.iterdir()) == ["helper.py", "main.py"], "it wrote beside the sources"
    return result


def run(isolation: Isolation, release: str, arguments: str, folder: Path, **settings: object) -> Drive:
    files = settings.pop("files", {})
    limits = Limits(120)
    command = f"'{interpreter(release)}' {arguments}"
    return captured(command, files, limits, isolation, folder=str(folder), stand_in=True, **settings)  # type: ignore[arg-type]


def lowered(release: str, kernels: list[Captured]) -> list[dict[str, Any]]:
    """Return, for each kernel, "widths" of its TIR with their Python types, "configs", "source" and "error"."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    texts = json.dumps([kernel.tir for kernel in kernels])
    done = subprocess.run(
        [str(interpreter(release)), "-c", LOWER],
        input=texts,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    answers: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return answers


LOWER = """
import json, sys
import tilelang
from tl_lint.verify.child.lowering import lower, pass_configs, target_object
from tl_lint.verify.child.tir import annotations

answers = []
for text in json.load(sys.stdin):
    kernel = tilelang.tvm.ir.load_json(text)
    widths = [[found["value"], found["raw"]] for found in annotations(kernel) if found["key"] == "coalesced_width"]
    answer = {"widths": widths, "configs": pass_configs(None, kernel), "source": "", "error": ""}
    try:
        answer["source"] = lower(kernel, target_object("cuda", "sm_90"), answer["configs"]).source
    except Exception as error:
        answer["error"] = str(error).strip().splitlines()[-1]
    answers.append(answer)
print(json.dumps(answers, default=str))
"""


def test_every_way_to_the_compiler_is_captured_in_order(many: Drive) -> None:
    assert many.outcome == "crashes SIGFPE", many.log
    assert "the end" in many.log
    assert [(Path(kernel.path).name, kernel.name, kernel.arguments) for kernel in many.kernels] == [
        ("helper.py", "lazy", "n=1024"),
        ("helper.py", "lazy", "n=1024, block=128"),
        ("main.py", "dynamic", "dtype='float16'"),
        ("main.py", "eager", "a=float32[1024]"),
        ("main.py", "tuned", "n=512, block=128"),
        ("helper.py", "copy_of", ""),
        ("helper.py", "lazy", "n=64, block=64, dtype='float16'"),
        ("helper.py", "lazy", "n=2048"),
        ("helper.py", "lazy", "n=4096"),
        ("helper.py", "copy_of", ""),
        ("helper.py", "lazy", "n=64, block=64"),
        ("main.py", "broken", "n=3"),
        ("helper.py", "lazy", "n=1024, block=512"),
    ]
    assert [kernel.index for kernel in many.kernels if kernel.name == "copy_of"] == [0, 1]
    assert many.message == ""
    assert many.stood_in


def test_lines_are_those_of_the_functions(many: Drive) -> None:
    lines = {kernel.name: kernel.line for kernel in many.kernels}
    assert HEADER.splitlines()[lines["lazy"] - 1] == "@tilelang.jit(out_idx=[1])"
    assert HEADER.splitlines()[lines["copy_of"] - 1].strip() == "@T.prim_func"
    assert MANY.splitlines()[lines["eager"] - 1] == "@tilelang.jit"


def test_a_factory_that_fails_is_captured_with_its_error(many: Drive) -> None:
    (broken,) = (kernel for kernel in many.kernels if kernel.name == "broken")
    assert (broken.tir, broken.error) == (None, "KeyError: 'of the factory'")


def test_what_was_captured_lowers_with_its_own_configuration(release: str, many: Drive) -> None:
    kernels = [kernel for kernel in many.kernels if kernel.tir]
    for kernel, answer in zip(kernels, lowered(release, kernels), strict=True):
        assert answer["error"] == "", kernel
        assert "__global__" in answer["source"]
        assert answer["configs"] == ({"tl.disable_tma_lower": True} if kernel.name == "dynamic" else {})


def test_bare_ints_survive_and_fixed_and_coerced_runs_pair_up(isolation: Isolation, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text(HEADER)
    main = "from helper import lazy, torch\nfor n in (256, 512):\n    lazy(n, width={})(torch.empty(n).cuda())\n"
    (tmp_path / "main.py").write_text(main.format(4))
    fixed = {str(tmp_path / "main.py"): "from tilelang.language import int32\n" + main.format("int32(4)")}
    first = run(isolation, NEWEST, "main.py", tmp_path).kernels
    second = run(isolation, NEWEST, "-m main", tmp_path, files=fixed).kernels
    third = run(isolation, NEWEST, "main.py", tmp_path, coerce=True).kernels
    assert [len(kernels) for kernels in (first, second, third)] == [2, 2, 2]
    assert [kernel.key for kernel in first] == [kernel.key for kernel in second] == [kernel.key for kernel in third]
    answers = lowered(NEWEST, [*first, *second, *third])
    assert [answer["widths"] for answer in answers] == [[["4", True]]] * 2 + [[["4", False]]] * 4
    abort = "coalesced_width should be an IntImmNode."
    assert [abort in answer["error"] for answer in answers] == [True] * 2 + [False] * 4


def test_kernels_beyond_the_most_of_one_name_are_counted(isolation: Isolation, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text(HEADER)
    sizes = "for n in (*range(64, 64 * 68, 64), 64, 64 * 67):\n    lazy(n, 64)\n"
    last = "if os.fork() == 0:\n    lazy(64 * 68, 64)\n    os._exit(0)\nos.wait()\n"
    (tmp_path / "main.py").write_text(f"import os\nfrom helper import lazy\n{sizes}lazy(64, 32)\n{last}")
    result = run(isolation, NEWEST, "main.py", tmp_path)
    assert len(result.kernels) == 64, result.log
    # Three sizes, another block and what the forked process built; what was seen before is not counted again.
    assert result.left_out == {(str(tmp_path / "helper.py"), "lazy"): 5}


def test_a_script_that_compiles_nothing_is_said(isolation: Isolation, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("import tilelang\n")
    assert run(isolation, NEWEST, "main.py", tmp_path).message == "the driver command compiled no kernel"


FAKES = """
import threading
import torch
from tl_lint.verify.child import fake_cuda, fake_tensors

fake_tensors.install()
fake_cuda.install("sm_100")
cuda = torch.device("cuda:0")
x = torch.randn(4, 4, device="cuda", requires_grad=True)
assert x.device == cuda and x.is_cuda and x.to("cuda") is x and x.cuda() is x and x.cpu().device.type == "cpu"
x.view(2, 8)[:, :3].sum().backward()
assert x.grad.device == cuda
assert torch.empty(4, device=torch.cuda.current_device()).uniform_().device == cuda
layer = torch.nn.Linear(4, 4).cuda().half()
assert layer.weight.is_cuda and layer(x.half()).dtype == torch.float16
query = torch.randn(2, 4, 16, 8, device="cuda", dtype=torch.float16, requires_grad=True)
torch.nn.functional.scaled_dot_product_attention(query, query, query).sum().backward()
assert query.grad.shape == query.shape
assert torch.device(0) == cuda
labels = torch.tensor([1, 2, 3, 0], device="cuda")
assert torch.nn.functional.cross_entropy(x, labels).dim() == 0
# Small ints keep their values, through everything that is done to them.
lengths = torch.tensor([3, 5, 4], dtype=torch.int32, device="cuda")
offsets = torch.nn.functional.pad(lengths.cumsum(0), (1, 0)).int()
assert offsets.tolist() == [0, 3, 8, 12] and lengths.max().item() == 5 and int(lengths.sum()) == 12
assert lengths[lengths > 3].tolist() == [5, 4] and torch.nonzero(lengths > 3).shape == (2, 1)
assert torch.tensor([0, lengths[1], lengths[2]], device="cuda").tolist() == [0, 5, 4]
lengths[0] = 7
assert lengths.cpu().numpy().tolist() == [7, 5, 4]
# What was never computed is close to whatever is expected.
huge = torch.empty(40000, 40000, device="cuda")
assert torch.allclose(huge, huge * 2) and huge.abs().max().item() < 1e-3 and bool((huge > 0).all())
torch.testing.assert_close(huge, huge + 1)
generator = torch.Generator(device="cuda").manual_seed(1)
assert torch.randn(3, device="cuda", generator=generator).shape == (3,)
start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
with torch.cuda.stream(torch.cuda.Stream()), torch.cuda.device(0):
    start.record()
torch.cuda.synchronize()
assert start.elapsed_time(end) > 0
assert torch.cuda.get_device_capability() == (10, 0) and torch.cuda.get_device_properties(0).multi_processor_count
torch.set_default_device("cuda")
assert torch.ones(3).device == cuda and torch.tensor([4, 5])[1].item() == 5
with torch.device("cpu"):
    assert torch.ones(3).device.type == "cpu"
seen = []
thread = threading.Thread(target=lambda: seen.append(torch.ones(3, device="cuda").cuda().device))
thread.start()
thread.join()
assert seen == [cuda]
print("all of it")
"""


def test_tensors_behave_as_on_a_gpu() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [str(interpreter(NEWEST)), "-c", FAKES]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "all of it\n", done.stderr
