from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tl_lint.config import Settings
from tl_lint.source import Source
from tl_lint.verify.machine import VerifyError
from tl_lint.verify.model import Level
from tl_lint.verify.options import ConfiguredKernel, VerifyFile, VerifyOptions
from tl_lint.verify.planning import planned, unknown_names
from tl_lint.verify.requests import KernelRequest, Machine, Suspicion

MACHINE = Machine("0.1.15", "sm_90")
TEXT = """
import tilelang
import tilelang.language as T


@T.prim_func
def bare(a: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64, coalesced_width=4):
            a[i] = 0.0


@tilelang.jit
def made(n, width=None):
    @T.prim_func
    def main(a: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64, coalesced_width=width):
                a[i] = 0.0

    return main


@T.prim_func
def sound(a: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            a[i] = 0.0
"""


def file(text: str = TEXT, kernels: tuple[str, ...] = (), configured: tuple[ConfiguredKernel, ...] = ()) -> VerifyFile:
    path = str(Path("/project/kernels.py"))
    return VerifyFile(path, "kernels.py", Source.from_text(path, text), Settings(), kernels, configured)


def plan(*files: VerifyFile, **options: object) -> list[KernelRequest]:
    return planned(replace(VerifyOptions(files=files), **options), MACHINE)  # type: ignore[arg-type]


def test_a_file_without_kernels_asks_for_nothing() -> None:
    assert plan(file("import tilelang.language as T\n")) == []


def test_kernels_come_in_the_order_of_the_file_with_their_lines() -> None:
    requests = plan(file())
    assert [(each.kernel, each.line, each.end_line) for each in requests] == [
        ("bare", 6, 10),
        ("made", 13, 21),
        ("sound", 24, 28),
    ]


def test_only_the_kernel_that_a_fix_touches_has_a_fixed_text() -> None:
    bare, made, sound = plan(file())
    assert bare.has_fix and bare.codes == ("TLC001",)
    assert bare.fixed == TEXT.replace("coalesced_width=4", 'coalesced_width=T.IntImm("int32", 4)')
    assert not made.has_fix and not sound.has_fix
    assert bare.original == made.original == TEXT


def test_a_finding_that_says_may_goes_with_its_kernel() -> None:
    text = TEXT.replace("width=None", "width")
    bare, made, sound = plan(file(text))
    assert made.suspicions == (Suspicion("TLC002", 18, 18, fixable=True),)
    assert bare.suspicions == sound.suspicions == ()


def test_patterns_choose_kernels() -> None:
    assert [each.kernel for each in plan(file(kernels=("s*", "made")))] == ["made", "sound"]


def test_a_call_that_fits_nothing_is_a_mistake() -> None:
    with pytest.raises(VerifyError, match="did you mean 'made'"):
        plan(file(), calls=("mode(n=4)",))


def test_calls_come_before_pyproject() -> None:
    configured = (ConfiguredKernel("made", "n=256"), ConfiguredKernel("bare", None, "references:zero"))
    bare, made, _ = plan(file(configured=configured))
    assert [(each.arguments, each.source) for each in made.attempts] == [("n=256", "pyproject")]
    assert bare.reference == "references:zero"
    one, two = (each for each in plan(file(), calls=("made(n=64)", "made(n=128)")) if each.kernel == "made")
    assert [each.attempts[0].arguments for each in (one, two)] == ["n=64", "n=128"]


def test_the_level_asked_for_is_told_from_the_best_one() -> None:
    assert [(each.level, each.wanted) for each in plan(file(kernels=("sound",)))] == [(Level.RUN, False)]
    assert [(each.level, each.wanted) for each in plan(file(kernels=("sound",)), level=Level.LOWER)] == [
        (Level.LOWER, True)
    ]


def test_a_file_that_does_not_parse_is_named() -> None:
    with pytest.raises(VerifyError, match=r"kernels\.py: "):
        plan(file("import tilelang.language as T\ndef f(:\n"))


def test_a_name_that_is_no_kernel_s_is_told() -> None:
    text = TEXT + "\n# tl-lint: verify mode(n=4)\n# tl-lint: verify made(n=4)\n"
    configured = (ConfiguredKernel("sounds", "n=4"), ConfiguredKernel("sound", None, "a:b"))
    said = unknown_names(VerifyOptions(files=(file(text, configured=configured),)))
    assert said == [
        "kernels.py: a comment names mode, which is no kernel of this file; did you mean 'made'?",
        "kernels.py: pyproject.toml names sounds, which is no kernel of this file; did you mean 'sound'?",
    ]
    assert unknown_names(VerifyOptions(files=(file(),))) == []


@pytest.mark.parametrize("written", ["3 + 4", "made(n=", "made(n=4) please"])
def test_a_comment_that_is_no_call_is_told_and_passed_over(written: str) -> None:
    text = f"{TEXT}\n# tl-lint: verify {written}\n"
    assert [each.kernel for each in plan(file(text))] == ["bare", "made", "sound"]
    (said,) = unknown_names(VerifyOptions(files=(file(text),)))
    assert said == f"kernels.py: a comment is no call of a kernel, such as NAME(M=1024): {written}"
