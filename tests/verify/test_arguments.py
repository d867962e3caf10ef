"""arguments.attempts: the sources in their order, and what is read of a file's own calls and tunings."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import pytest

from tl_lint.verify.arguments import attempts, comments
from tl_lint.verify.found import kernels
from tl_lint.verify.model import Attempt

LAZY = """
import itertools, argparse, torch, tilelang, tilelang.language as T

BLOCK = 64

{decorators}
@tilelang.jit(out_idx=[-1])
def matmul({parameters}):
    @T.prim_func
    def main(A: T.Tensor((M,), "float32")):
        pass
    return main
"""

EAGER = """
import torch, tilelang, tilelang.language as T

@tilelang.jit
def scale(A, B, block, factor: T.float32):
    M, N = T.const("M, N")
    A: T.Tensor((M, N), T.float32)
    B: T.Tensor[[M, N], T.float32]
    with T.Kernel(M // block) as bx:
        pass
"""


def _rows(
    text: str, calls: Sequence[str] = (), configured: Sequence[tuple[str, str]] = (), name: str = ""
) -> list[list[Attempt]]:
    found = kernels(text)
    kernel = next(item for item in found if item.name == (name or found[0].name))
    return attempts(text, kernel, calls, configured)


def _first(parameters: str, rest: str = "", decorators: str = "") -> Attempt:
    """Return the first attempt for a lazy factory of these parameters in a file that ends with `rest`."""
    text = LAZY.format(parameters=parameters, decorators=decorators) + textwrap.dedent(rest)
    (row,) = _rows(text, name="matmul")
    return row[0]


def test_the_sources_that_somebody_wrote_down_come_in_order_each_call_as_a_row() -> None:
    text = (
        LAZY.format(parameters="M=4", decorators="") + "# tl-lint: verify matmul(M=16)\n# tl-lint: verify matmul(32)\n"
    )
    configured = [("matmul", "M=8"), ("other", "M=9")]
    assert _rows(text, ["matmul(M=2)", "other(3)", "matmul(M=4)"], configured) == [
        [Attempt("M=2", "call")],
        [Attempt("M=4", "call")],
    ]
    assert _rows(text, ["other(3)"], configured) == [[Attempt("M=8", "pyproject")]]
    assert _rows(text) == [[Attempt("M=16", "comment")], [Attempt("32", "comment")]]


def test_defaults_come_before_the_files_own_calls() -> None:
    assert _first("M=4", "matmul(8)") == Attempt("", "defaults")


@pytest.mark.parametrize(
    ("parameters", "rest", "expected"),
    [
        ("M, N", "matmul(8, N=16)", "M=8, N=16"),
        ("M, N", "matmul.compile(M=8, N=16)", "M=8, N=16"),
        ("M, N", "tilelang.compile(matmul(8, 16))", "M=8, N=16"),
        ("M", "matmul(BLOCK * 2)", "M=BLOCK * 2"),
        ("M, dtype", "matmul(8, T.float16)", "M=8, dtype=T.float16"),
        ("M, N", "def run():\n    m, n = 8, 16\n    matmul(m, n)", "M=8, N=16"),
        ("M", "def run(m=8):\n    matmul(m * 2)", "M=8 * 2"),
        ("M", "def run(m):\n    matmul(m)\nrun(m=8)", "M=8"),
        ("M", "def run(m, n):\n    matmul(n)\nrun(4, 8)", "M=8"),
        ("M", "def run():\n    m = 4\n    m = 8\n    matmul(m)\n    m = 16", "M=8"),
        ("M", "def run(m=8):\n    m = m * 2\n    matmul(m)", "M=8 * 2"),
        ("M", "def run(m):\n    def inner():\n        matmul(m)\nrun(8)", "M=8"),
        ("M", "def run():\n    for m in [8, 16]:\n        matmul(m)", "M=8"),
        ("M", "if __name__ == '__main__':\n    m = 8\n    matmul(m)", "M=8"),
        ("M, N", "def run():\n    sizes = dict(M=8, N=16)\n    matmul(**sizes)", "M=8, N=16"),
        (
            "M, causal",
            """
            if __name__ == "__main__":
                parser = argparse.ArgumentParser()
                parser.add_argument("--m", type=int, default=8)
                parser.add_argument("--is-causal", action="store_true")
                args = parser.parse_args()
                matmul(args.m, args.is_causal)
            """,
            "M=8, causal=False",
        ),
        (
            "M, N",
            """
            import pytest
            @pytest.mark.parametrize("m, n", [(8, 16), (32, 64)])
            def test_it(m, n):
                matmul(m, n)
            """,
            "M=8, N=16",
        ),
    ],
)
def test_a_call_of_the_file_is_resolved(parameters: str, rest: str, expected: str) -> None:
    assert _first(parameters, rest) == Attempt(expected, "file")


@pytest.mark.parametrize(
    "rest",
    [
        "def run(m):\n    matmul(m)",
        "def run(x):\n    m = x.shape[0]\n    matmul(m)",
        "def run():\n    matmul(torch.rand(1))",
    ],
)
def test_what_a_call_leaves_open_is_a_guess(rest: str) -> None:
    assert _first("M", rest) == Attempt("M=1024", "guess")


@pytest.mark.parametrize(
    ("decorator", "rest"),
    [
        ("@tilelang.autotune(configs=[{'block_M': 32, 'threads': 64}, {'block_M': 64, 'threads': 64}])", ""),
        ("@tilelang.autotune(configs=[dict(block_M=32, threads=64)])", ""),
        (
            "@tilelang.autotune(configs=get_configs())",
            """
            def get_configs():
                iter_params = dict(block_M=[32, 64], threads=[64])
                return [dict(zip(iter_params, values)) for values in itertools.product(*iter_params.values())]
            """,
        ),
        (
            "@tilelang.autotune(configs=get_configs)",
            """
            def get_configs():
                sizes = [32, 64]
                return [{"block_M": size, "threads": 64} for size in sizes for _ in sizes] or [
                    {"block_M": sizes, "threads": [64]}
                ]
            """,
        ),
    ],
)
def test_the_first_configuration_of_the_autotuner_is_read(decorator: str, rest: str) -> None:
    found = _first("M, block_M=None, threads=None", f"{textwrap.dedent(rest)}\nmatmul(8)\n", decorator)
    assert found == Attempt("M=8, block_M=32, threads=64", "autotune")


def test_configurations_that_cannot_be_read_are_left_to_the_child() -> None:
    rest = """
        from elsewhere import get_configs
        matmul(8)
    """
    found = _first("M, block_M=None", rest, "@tilelang.autotune(configs=get_configs(BLOCK))")
    assert found.source == "guess"  # block_M may or may not be in there
    text = LAZY.format(parameters="M=8, block_M=None", decorators="@tilelang.autotune(configs=get_configs())")
    (row,) = _rows("from elsewhere import get_configs\n" + text)
    assert any("**get_configs()[0]" in attempt.arguments for attempt in row)


def test_the_tensors_of_an_eager_kernel_are_left_out_and_its_sizes_are_those_passed() -> None:
    call = """
    def run(rows=8):
        a = torch.randn(rows, 16, device="cuda").half()
        scale(a, torch.empty((rows, 16)), 4, 1.0)
    """
    (row,) = _rows(EAGER + textwrap.dedent(call))
    assert row[0] == Attempt("block=4, M=8, N=16", "file")
    (row,) = _rows(EAGER + "def run(M=8):\n    N = 16\n    scale(make(), make(), 4, 1.0)\n")
    assert row[0] == Attempt("block=4, M=8, N=16", "file")


def test_a_factory_of_a_factory_takes_its_second_arguments_after_the_first() -> None:
    text = """
import tilelang, tilelang.language as T

def outer(M):
    @tilelang.jit
    def inner(threads, stages=2):
        @T.prim_func
        def main(A: T.Tensor((M,), "float32")): ...
        return main
    return inner
"""
    (row,) = _rows(text)
    assert row[0] == Attempt("M=1024)(threads=128", "guess")
    (row,) = _rows(text + "outer(8)(threads=64)\n")
    assert row[0] == Attempt("M=8)(threads=64", "file")


def test_an_ordinary_method_that_uses_its_instance_is_given_one() -> None:
    text = """
import tilelang, tilelang.language as T

class Kernels:
    def __init__(self, M, dtype="float16"):
        self.M = M

    def build(self, threads):
        @T.prim_func
        def main(A: T.Tensor((self.M,), "float32")): ...
        return main

    def bare(self, threads):
        @T.prim_func
        def main(A: T.Tensor((4,), "float32")): ...
        return main
"""
    (row,) = _rows(text, name="Kernels.build")
    assert row[0] == Attempt("self=Kernels(M=1024), threads=128", "guess")
    (row,) = _rows(text, name="Kernels.bare")
    assert row[0] == Attempt("threads=128", "guess")


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("assert heads == 3", "heads=3"),
        ("assert heads == BLOCK and True", "heads=BLOCK"),
        ("assert 3 == heads", "heads=3"),
        ("assert heads in (3, 5)", "heads=3"),
        ("if heads != 3:\n        raise ValueError", "heads=3"),
        ("if heads not in [3, 5]:\n        raise ValueError", "heads=3"),
        ("if heads == 3:\n        raise ValueError", "heads=16"),
        ("if True:\n        assert heads == 3", "heads=16"),
        ("assert heads == heads * 2", "heads=16"),
    ],
)
def test_what_the_function_insists_on_goes_before_a_guess(statement: str, expected: str) -> None:
    text = LAZY.format(parameters="heads", decorators="").replace(
        "    @T.prim_func", f"    {statement}\n    @T.prim_func"
    )
    (row,) = _rows(text)
    assert row[0] == Attempt(expected, "guess")


def test_attempts_are_few_and_no_two_the_same() -> None:
    (row,) = _rows(LAZY.format(parameters="M, block_M", decorators=""))
    texts = [attempt.arguments for attempt in row]
    assert len(texts) == len(set(texts)) == 4
    assert {attempt.source for attempt in row} == {"guess"}


def test_a_prim_func_needs_no_arguments() -> None:
    text = "import tilelang.language as T\n@T.prim_func\ndef main(A: T.Tensor((4,), 'float32')): ...\n"
    assert _rows(text) == [[Attempt("", "defaults")]]


def test_only_comments_hold_calls() -> None:
    text = 'x = "# tl-lint: verify a(1)"\ndef f():\n    # tl-lint: verify b(2)\n    pass  # tl-lint: verify c\n'
    assert comments(text) == [("b", "2"), ("c", "")]
    assert comments("# tl-lint: verify 3 + 4\n# tl-lint: verify d(4)\n") == [("d", "4")]
