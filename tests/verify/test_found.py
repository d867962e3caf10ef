"""found.kernels on every form of kernel that occurs, and on what is none."""

from __future__ import annotations

import textwrap

import pytest

from tl_lint.verify.found import kernels
from tl_lint.verify.model import FoundKernel, Parameter


def _found(text: str) -> list[FoundKernel]:
    return kernels(textwrap.dedent(text), "kernels.py")


def _forms(text: str) -> dict[str, str]:
    return {kernel.name: kernel.form for kernel in _found(text)}


LAZY = """
    def main(A: T.Tensor((M,), "float32")):
        with T.Kernel(1) as bx:
            pass
    return main
"""


def _factory(decorator: str, imports: str, nested: str = "@T.prim_func") -> str:
    body = textwrap.indent(f"{nested}{textwrap.dedent(LAZY)}", "    ")
    return f"{imports}\n\n{decorator}\ndef factory(M):\n{body}"


@pytest.mark.parametrize(
    ("imports", "decorator", "expected"),
    [
        ("import tilelang\nimport tilelang.language as T", "@tilelang.jit", "jit"),
        ("import tilelang\nimport tilelang.language as T", "@tilelang.jit(out_idx=[-1])", "jit"),
        ("import tilelang as tl\nimport tilelang.language as T", "@tl.jit", "jit"),
        ("from tilelang import jit, language as T", "@jit", "jit"),
        ("from tilelang import jit as compiled, language as T", "@compiled(out_idx=-1)", "jit"),
        ("from tilelang.autotuner import *\nimport tilelang.language as T", "@jit", "jit"),
        ("from .compat import tilelang, T", "@tilelang.jit", "jit"),
        ("import tilelang, functools\nfrom tilelang import language as T", "@functools.lru_cache(None)", "factory"),
        ("import tilelang\nfrom tilelang import language as T", "@tilelang.autotune(configs=[])\n@tilelang.jit", "jit"),
        ("import tilelang\nimport tilelang.language as T\njit = tilelang.jit(out_idx=[-1])", "@jit", "jit"),
        (
            "import tilelang, functools\nimport tilelang.language as T\njit = functools.partial(tilelang.jit)",
            "@jit",
            "jit",
        ),
        ("import tilelang.language as T\nfrom .wrappers import logged", "@logged", "factory"),
        ("import numba\nimport tilelang.language as T", "@numba.jit", "factory"),
    ],
)
def test_a_factory_is_found_under_any_decorator_and_spelling(imports: str, decorator: str, expected: str) -> None:
    assert _forms(_factory(decorator, imports)) == {"factory": expected}


def test_a_jit_of_another_project_makes_no_kernel() -> None:
    assert _forms("import triton\nimport tilelang\n@triton.jit\ndef f(x):\n    return x") == {}
    assert _forms("from numba import jit\nimport tilelang\n@jit\ndef f(x):\n    return x") == {}


def test_a_prim_func_of_the_module_is_found_and_what_is_in_it_is_not() -> None:
    text = """
        import tilelang.language as T

        @T.prim_func
        def copy(A: T.Tensor((4,), "float32")):
            with T.Kernel(1) as bx:
                pass

        if True:
            @T.prim_func
            def second(A: T.Tensor((4,), "float32")):
                pass
    """
    assert _forms(text) == {"copy": "prim_func", "second": "prim_func"}


def test_an_eager_kernel_is_a_jit_function() -> None:
    text = """
        import tilelang, tilelang.language as T

        @tilelang.jit
        def scale(A, block: int = 64):
            M = T.const("M")
            A: T.Tensor((M,), T.float32)
            with T.Kernel(M // block) as bx:
                pass
    """
    (kernel,) = _found(text)
    assert kernel == FoundKernel("scale", "jit", (Parameter("A"), Parameter("block", "int", "64")), 4, 9)


@pytest.mark.parametrize(
    "returned",
    ["kernel", "tilelang.compile(kernel, out_idx=[-1])", "kernel, 4", "made"],
)
def test_a_factory_returns_its_kernel_or_something_made_of_it(returned: str) -> None:
    text = f"""
        import tilelang, tilelang.language as T

        def factory(M):
            @T.prim_func
            def kernel(A: T.Tensor((M,), "float32")):
                pass
            made = tilelang.compile(kernel)
            return {returned}
    """
    assert _forms(text) == {"factory": "factory"}


def test_a_function_that_only_uses_a_kernel_is_none() -> None:
    text = """
        import tilelang, tilelang.language as T

        def factory(M):
            @T.prim_func
            def kernel(A: T.Tensor((M,), "float32")):
                pass
            tilelang.compile(kernel)
            return M

        def caller(M):
            return factory(M)
    """
    assert _forms(text) == {}


def test_a_factory_may_return_a_jit_function_or_another_factory() -> None:
    text = """
        import functools, tilelang, tilelang.language as T

        @functools.lru_cache(maxsize=32)
        def outer(M):
            @tilelang.jit(out_idx=[-1])
            def inner(threads):
                @T.prim_func
                def main(A: T.Tensor((M,), "float32")):
                    pass
                return main
            return inner

        def tuned(M):
            def build(block):
                @T.prim_func
                def main(A: T.Tensor((M,), "float32")):
                    pass
                return main
            def kernel(block=64):
                return build(block)
            return kernel
    """
    assert _forms(text) == {"outer": "factory", "tuned": "factory"}


def test_methods_are_found_without_their_self() -> None:
    text = """
        import tilelang, tilelang.language as T

        class Kernels:
            @staticmethod
            @tilelang.jit
            def static(M, *, block=64):
                @T.prim_func
                def main(A: T.Tensor((M,), "float32")): ...
                return main

            @classmethod
            def of_class(cls, M):
                @T.prim_func
                def main(A: T.Tensor((M,), "float32")): ...
                return main

            def ordinary(self, M):
                @T.prim_func
                def main(A: T.Tensor((M,), "float32")): ...
                return main

            class Inner:
                @T.prim_func
                def main(A: T.Tensor((4,), "float32")): ...

            def plain(self):
                return 1
    """
    found = {kernel.name: tuple(item.name for item in kernel.parameters) for kernel in _found(text)}
    assert found == {
        "Kernels.static": ("M", "block"),
        "Kernels.of_class": ("M",),
        "Kernels.ordinary": ("M",),
        "Kernels.Inner.main": (),
    }


def test_macros_and_host_functions_are_none() -> None:
    text = """
        import tilelang, tilelang.language as T

        @T.macro
        def macro(A):
            T.clear(A)

        @tilelang.jit
        def host_factory(M):
            @T.prim_func
            def main(A: T.Tensor((M,), "float32")): ...
            return main
    """
    assert _forms(text) == {}


def test_of_two_functions_of_one_name_the_last_counts() -> None:
    text = """
        import tilelang.language as T

        @T.prim_func
        def main(A: T.Tensor((4,), "float32")): ...

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")): ...
    """
    (kernel,) = _found(text)
    assert (kernel.line, kernel.end_line) == (7, 8)


def test_what_is_no_python_is_a_syntax_error_of_the_file() -> None:
    with pytest.raises(SyntaxError) as caught:
        kernels("def (:", "folder/broken.py")
    assert caught.value.filename == "folder/broken.py"
