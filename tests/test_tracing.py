"""Which functions TileLang traces, and what its tracer makes of the names in them (measured on 0.1.13 and 0.1.15)."""

from __future__ import annotations

import libcst as cst
import pytest

from tests.support import clean, expected, file_of, findings, probe

HEADER = "import tilelang\nimport tilelang.language as T\nfrom tilelang.language import macro, prim_func\n"
KERNEL = "    with T.Kernel(1): pass\n"


def _name(node: cst.CSTNode) -> str:
    return node.name.value if isinstance(node, cst.FunctionDef) else ""


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        ("def f(): pass", None),
        ("@other\ndef f(): pass", None),
        ("@T.other\ndef f(): pass", None),
        ("@prim_func.other\ndef f(): pass", None),
        ("@T.prim_func\ndef f(): pass", "PRIM_FUNC"),
        ("@prim_func\ndef f(): pass", "PRIM_FUNC"),
        ("@T.prim_func(private=True)\ndef f(): pass", "PRIM_FUNC"),
        ("@other\n@T.prim_func\ndef f(): pass", "PRIM_FUNC"),
        ("@T.macro\ndef f(): pass", "MACRO"),
        ("@macro\ndef f(): pass", "MACRO"),
        ("@tilelang.jit\ndef f(): return g()", None),
        (f"@tilelang.jit\ndef f():\n{KERNEL}", "EAGER"),
        (f"@tilelang.jit(out_idx=[-1])\ndef f():\n{KERNEL}", "EAGER"),
        (f"@tilelang.jit\ndef f():\n    @T.prim_func\n    def main():\n    {KERNEL}    return main", None),
        (f"@tilelang.jit\ndef f():\n    @prim_func\n    def main():\n    {KERNEL}    return main", None),
    ],
)
def test_what_is_traced(function: str, kind: str | None) -> None:
    file = file_of(HEADER + function)
    (node,) = [each for each in file.tree.nodes(cst.FunctionDef) if _name(each) == "f"]
    found = file.tracing.kind(node)
    assert (found.name if found is not None else None) == kind


def test_nothing_else_is_a_function() -> None:
    file = file_of("class A: pass\n")
    assert file.tracing.kind(file.tree.module.body[0]) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("probe(x)", None),
        ("def f(): probe(x)", None),
        ("@T.prim_func\ndef f(): probe(x)", "f"),
        ("@T.prim_func\ndef f(a=probe(x)): pass", None),
        ("@T.prim_func\ndef f():\n    def g(): probe(x)", None),
        ("@T.prim_func\ndef f():\n    lambda: probe(x)", None),
        ("@T.prim_func\ndef f():\n    [probe(x) for a in b]", "f"),
        ("@T.prim_func\ndef f():\n    @T.macro\n    def g(): probe(x)", "g"),
    ],
)
def test_the_traced_function_around(text: str, name: str | None) -> None:
    file = file_of(HEADER + text)
    found = file.kernel(probe(file.tree))
    assert (found[0].name.value if found is not None else None) == name


MEASURED = {
    "before the launch an expression stays what it is": """
        @T.prim_func
        def kernel(A: T.Tensor((256,), "float32")):
            a = T.int32(4)
            b: T.int32 = T.int32(4)
            c, d = T.int32(4), 2
            a2 = T.int64(4)
            a2 += 0
            e = 4
            g: T.int32 = 4
            with T.Kernel(1):
                T.Parallel(256, coalesced_width=a)
                T.Parallel(256, coalesced_width=b)
                T.Parallel(256, coalesced_width=c)
                T.Parallel(256, coalesced_width=a2)
                T.Parallel(256, coalesced_width=d)  # expect: TLC001
                T.Parallel(256, coalesced_width=e)  # expect: TLC001
                T.Parallel(256, coalesced_width=g)  # expect: TLC001
        """,
    "after it an IntImm becomes an int": """
        @T.prim_func
        def kernel(A: T.Tensor((256,), "float32")):
            with T.Kernel(1):
                a = T.int32(4)
                b = c = T.min(4, 8)
                d = a
                e, g = T.int32(4), 2
                h = T.int32(2) * 2
                T.Parallel(256, coalesced_width=a)  # expect: TLC001
                T.Parallel(256, coalesced_width=b)  # expect: TLC001
                T.Parallel(256, coalesced_width=c)  # expect: TLC001
                T.Parallel(256, coalesced_width=d)  # expect: TLC001
                T.Parallel(256, coalesced_width=e)  # expect: TLC001
                T.Parallel(256, coalesced_width=g)  # expect: TLC001
                T.Parallel(256, coalesced_width=h)  # expect: TLC001
                T.Parallel(256, coalesced_width=T.int32(a))
                T.Parallel(256, coalesced_width=T.IntImm("int32", a))
                T.Parallel(256, coalesced_width=T.min(a, 2))
                T.Parallel(256, coalesced_width=(i := T.int32(4)))
                T.Parallel(256, coalesced_width=i)
        """,
    "an IntImm of another type becomes a variable": """
        @T.prim_func
        def kernel(A: T.Tensor((256,), "float32")):
            with T.Kernel(1):
                a = T.int64(4)
                T.Parallel(256, coalesced_width=a)  # expect: TLC001
                T.Parallel(256, coalesced_width=T.int32(a))  # expect: TLC001
        """,
    "containers keep what is in them": """
        @T.prim_func
        def kernel(A: T.Tensor((256,), "float32")):
            with T.Kernel(1):
                a = (T.int32(4), 4)
                b = {"coalesced_width": T.int32(4)}
                c = {"coalesced_width": 4}
                T.Parallel(256, coalesced_width=a[0])
                T.Parallel(256, coalesced_width=a[1])  # expect: TLC001
                T.Parallel(256, annotations=b)
                T.Parallel(256, **c)  # expect: TLC001
        """,
    "loops": """
        @T.prim_func
        def kernel(A: T.Tensor((256,), "float32")):
            with T.Kernel(1):
                for a in range(4, 5):
                    T.Parallel(256, coalesced_width=a)  # expect: TLC001
                    T.Parallel(256, coalesced_width=T.int32(a))  # expect: TLC001
                for b, c in T.grid(4, 4):
                    T.Parallel(256, coalesced_width=c)  # expect: TLC001
                for d in T.serial(4):
                    T.Parallel(256, coalesced_width=d)  # expect: TLC001
                for e in (2, 4):
                    T.Parallel(256, coalesced_width=e)  # expect: TLC001
                    T.Parallel(256, coalesced_width=T.int32(e))
                for g in [T.int32(4)]:
                    T.Parallel(256, coalesced_width=g)  # expect: TLC001
                    T.Parallel(256, coalesced_width=T.int32(g))
        """,
    "what the kernel is given": """
        @T.prim_func
        def kernel(A: T.Tensor((256,), "float32"), n: T.int32, i: int, m=4):
            with T.Kernel(1) as bx:
                T.Parallel(256, coalesced_width=n)  # expect: TLC001
                T.Parallel(256, coalesced_width=T.int32(n))  # expect: TLC001
                T.Parallel(256, coalesced_width=i)  # expect: TLC001
                T.Parallel(256, coalesced_width=m)  # expect: TLC001
                T.Parallel(256, coalesced_width=T.int32(m))
                T.Parallel(256, coalesced_width=bx)  # expect: TLC001
                T.Parallel(256, coalesced_width=T.cast(bx, "int32"))  # expect: TLC001
        """,
    "conditions": """
        @T.prim_func
        def kernel(A: T.Tensor((256,), "float32"), q=4):
            with T.Kernel(1) as bx:
                T.Parallel(256, coalesced_width=T.int32(4) if q else T.int32(2))
                T.Parallel(256, coalesced_width=T.int32(4) if q else None)
                T.Parallel(256, coalesced_width=T.int32(4) if bx > 1 else T.int32(2))  # expect: TLC001
                T.Parallel(256, coalesced_width=T.int32(4) or T.int32(2))  # expect: TLC001
                T.Parallel(256, coalesced_width=None or T.int32(4))
                T.Parallel(256, coalesced_width=0 or T.int32(4))
                T.Parallel(256, coalesced_width=1 and T.int32(4))
                T.Parallel(256, coalesced_width=None and T.int32(4))  # expect: TLC001
        """,
    "a factory and what it closes over": """
        def factory(width=T.int32(4), lanes=4):
            own = T.int32(4)

            @T.macro
            def part(A):
                T.Parallel(256, coalesced_width=own)
                T.Parallel(256, coalesced_width=width)

            @T.prim_func
            def kernel(A: T.Tensor((256,), "float32")):
                with T.Kernel(1):
                    T.Parallel(256, coalesced_width=own)
                    T.Parallel(256, coalesced_width=width)
                    T.Parallel(256, coalesced_width=lanes)  # expect: TLC001
                    again = own
                    T.Parallel(256, coalesced_width=again)  # expect: TLC001

            return kernel
        """,
    "macros": """
        @T.macro
        def part(v, w=4, x=None, y=T.int32(4)):
            T.Parallel(256, coalesced_width=v)  # expect: TLC002
            T.Parallel(256, coalesced_width=T.int32(v))
            T.Parallel(256, coalesced_width=w)  # expect: TLC001
            T.Parallel(256, coalesced_width=y)  # expect: TLC001
            T.Parallel(256, coalesced_width=T.int32(y))
            z = T.int32(4)
            T.Parallel(256, coalesced_width=z)  # expect: TLC001
        """,
    "an eager kernel": """
        @tilelang.jit
        def kernel(A: T.Tensor((256,), "float32"), n: T.int32, v: int, w=T.int32(4), x=4):
            outer = T.int32(4)
            with T.Kernel(1):
                inner = T.int32(4)
                T.Parallel(256, coalesced_width=n)  # expect: TLC001
                T.Parallel(256, coalesced_width=T.int32(n))  # expect: TLC001
                T.Parallel(256, coalesced_width=v)  # expect: TLC001
                T.Parallel(256, coalesced_width=w)
                T.Parallel(256, coalesced_width=x)  # expect: TLC001
                T.Parallel(256, coalesced_width=outer)
                T.Parallel(256, coalesced_width=inner)  # expect: TLC001
        """,
    "a lazy factory runs as plain Python": """
        @tilelang.jit(out_idx=[-1])
        def factory(n):
            width = T.int32(4)
            for lanes in range(4, 5):
                width = T.int32(lanes)

            @T.prim_func
            def kernel(A: T.Tensor((256,), "float32")):
                with T.Kernel(1):
                    T.Parallel(n, coalesced_width=width)

            return kernel
        """,
    "a plain helper": """
        def helper():
            width = T.int32(4)
            for lanes in range(4, 5):
                T.Parallel(256, coalesced_width=lanes)  # expect: TLC001
                T.Parallel(256, coalesced_width=T.int32(lanes))
            T.Parallel(256, coalesced_width=width)
            T.Parallel(256, coalesced_width=width or 2)
        """,
}


@pytest.mark.parametrize("text", MEASURED.values(), ids=MEASURED)
def test_what_was_measured(text: str) -> None:
    text = HEADER + clean(text)
    assert findings(text) == expected(text)
