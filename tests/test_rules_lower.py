"""The example kernels of every rule, lowered for CUDA sm_90 by the real compiler: bad fails, good and fixed lower."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import lowering
from tests.lowering import Compiler, Kernel, Outcome, kernels

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="a kernel is lowered in a fork of a process"),
]

_RULES = Path(__file__).resolve().parent.parent / "rules"
_NEWEST, _OLDER = "0.1.15", "0.1.13"
_RELEASES = [_NEWEST, _OLDER]
_REFUSED = "Invalid for loop"
"""What 0.1.13 says, while it traces, to a loop over a tuple or a list; the newest release unrolls it."""

_Lower = Callable[[str, Kernel], Outcome]


@pytest.fixture(scope="module")
def lower() -> Iterator[_Lower]:
    """Return what gives a kernel's outcome under a release."""
    compilers = {release: Compiler(release) for release in (_NEWEST, _OLDER)}
    yield lambda release, kernel: compilers[release].outcome(kernel)
    for compiler in compilers.values():
        compiler.close()


def _kernels(file: str, rule: str = "*") -> list[Kernel]:
    return [kernel for path in sorted(_RULES.glob(f"{rule}/{file}.py")) for kernel in kernels(path)]


def _label(kernel: Kernel) -> str:
    return f"{kernel.file.parent.name.partition('_')[0]}-{kernel.call}"


_BAD = {(kernel.file.parent, kernel.call, kernel.text) for kernel in _kernels("bad")}


def _unfixed(kernel: Kernel) -> bool:
    return (kernel.file.parent, kernel.call, kernel.text) in _BAD


@pytest.mark.parametrize("release", _RELEASES)
@pytest.mark.parametrize("kernel", _kernels("bad"), ids=_label)
def test_bad_fails(kernel: Kernel, release: str, lower: _Lower) -> None:
    outcome = lower(release, kernel)
    assert outcome.fault, f"{kernel.call} lowers:\n{outcome.source}"
    assert outcome.stage != "import", outcome.log


@pytest.mark.parametrize("release", _RELEASES)
@pytest.mark.parametrize("kernel", _kernels("good"), ids=_label)
def test_good_lowers(kernel: Kernel, release: str, lower: _Lower) -> None:
    _assert_lowers(lower(release, kernel), release)


@pytest.mark.parametrize("release", _RELEASES)
@pytest.mark.parametrize("kernel", _kernels("fixed"), ids=_label)
def test_what_a_fix_changed_lowers_and_the_rest_fails_again(kernel: Kernel, release: str, lower: _Lower) -> None:
    outcome = lower(release, kernel)
    if _unfixed(kernel):
        assert outcome.fault, f"{kernel.call} lowers and was not fixed:\n{outcome.source}"
        assert outcome.stage != "import", outcome.log
    else:
        _assert_lowers(outcome, release)


def _assert_lowers(outcome: Outcome, release: str) -> None:
    if release == _OLDER and outcome.stage == "trace" and _REFUSED in outcome.error:
        return
    assert not outcome.fault, f"{outcome.fault}\n{outcome.log}"


@pytest.mark.parametrize("release", _RELEASES)
@pytest.mark.parametrize("kernel", _kernels("bad", "tlc00[12]_*"), ids=_label)
def test_a_width_that_is_no_int_imm_aborts_with_the_words_of_the_page(
    kernel: Kernel, release: str, lower: _Lower
) -> None:
    outcome = lower(release, kernel)
    if release == _OLDER and _REFUSED in outcome.error:
        return
    assert (outcome.stage, outcome.signal) == ("lower", 0)
    assert "coalesced_width should be an IntImmNode." in outcome.error


@pytest.mark.parametrize("name", ["zero", "copy_of_zero", "asynchronous_copy", "copy_to_a_cluster"])
def test_zero_killed_the_process_and_aborts_today(name: str, lower: _Lower) -> None:
    kernel = next(item for item in _kernels("bad", "tlc003_*") if item.name == name)
    assert lower(_OLDER, kernel).signal == signal.SIGFPE
    assert "coalesced_width must be a positive integer, but got 0" in lower(_NEWEST, kernel).error


def test_every_rule_has_kernels_and_as_many_near_misses() -> None:
    folders = [path.parent for path in sorted(_RULES.glob("*/rule.py"))]
    assert folders
    for folder in folders:
        bad, good = kernels(folder / "bad.py"), kernels(folder / "good.py")
        assert 0 < len(bad) <= len(good), folder.name
        if (folder / "fixed.py").exists():
            assert [item.call for item in kernels(folder / "fixed.py")] == [item.call for item in bad], folder.name


def _write(folder: Path, text: str, name: str = "example.py") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


_KERNEL = """
import os
import signal
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.Parallel(256, coalesced_width=T.int32(4)):
            B[bx * 256 + i] = A[bx * 256 + i]
"""


@pytest.fixture
def small_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Compiler]:
    """Return a compiler with little patience, whose cache is tmp_path/cache."""
    monkeypatch.setattr(lowering, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(lowering, "_LIMIT", 5.0)
    compiler = Compiler(_NEWEST)
    yield compiler
    compiler.close()


def test_a_child_that_dies_hangs_or_raises_is_an_outcome(tmp_path: Path, small_compiler: Compiler) -> None:
    text = (
        "def dies():\n    os.kill(os.getpid(), signal.SIGSEGV)\n"
        "def hangs():\n    while True:\n        pass\n"
        "def raises():\n    raise KeyError('here')\n"
        "def returns():\n    return 4\n"
    )
    found = kernels(_write(tmp_path, _KERNEL + text))
    fine, dies, hangs, raises, returns = map(small_compiler.outcome, found)
    assert (fine.fault, fine.asked) == ("", (("loop", 4),))
    assert (dies.signal, dies.stage) == (signal.SIGSEGV, "trace")
    assert hangs.timed_out and hangs.fault
    assert "KeyError" in raises.fault
    assert "not a prim_func" in returns.fault
    assert not list(tmp_path.rglob("*.json")), "what a time limit ended depends on the machine, so it is not kept"

    (broken,) = kernels(_write(tmp_path, _KERNEL + "raise ValueError('no module')\n", "broken.py"))
    assert small_compiler.outcome(broken).stage == "import"
    assert "no module" in small_compiler.outcome(broken).fault
    assert len(list(tmp_path.rglob("*.json"))) == 1


def test_a_width_that_does_not_show_is_a_fault() -> None:
    def outcome(width: int | str, source: str, place: str = "loop") -> str:
        return Outcome("done", "", 0, False, ((place, width),), source, "").fault

    assert not outcome(4, "*(float4*)(B + 1)")
    assert not outcome(2, "*(float2*)(B + 1)")
    assert not outcome(1, "B[1] = A[1]; float* C")
    assert not outcome(4, "tl::cp_async_gs<16>(a, b)", "copy")
    assert outcome(4, "tl::cp_async_gs<16>(a, b)")
    assert outcome(4, "*(float2*)(B + 1)")
    assert outcome(1, "*(float4*)(B + 1)")
    assert outcome(3, "*(float2*)(B + 1)")
    assert outcome(0, "B[1] = A[1]")


def test_what_is_lowered_of_a_file(tmp_path: Path) -> None:
    text = (
        "import tilelang.language as T\n"
        "OPTIONS = {}\n"
        "OPTIONS['coalesced_width'] = 4\n"
        "OPTIONS.update(other=T.int32(4))\n"
        "WIDTH = T.int32(4)\n"
        "# tl-lint: verify two(vec=4)\n"
        "# tl-lint: verify two(vec='#)')\n"
        "def two(vec):\n    pass\n"
        "def host_helper():\n    pass\n"
        "@T.macro\ndef move(a):\n    pass\n"
        "def uses():\n    return T.Parallel(4, **OPTIONS)\n"
    )
    found = kernels(_write(tmp_path, text))
    assert [item.call for item in found] == ["two(vec=4)", "two(vec='#)')", "uses"]
    assert found[2].text.count("OPTIONS") == 4
    assert "WIDTH" not in found[2].text
    assert "OPTIONS" not in found[0].text
    with pytest.raises(ValueError, match="missing"):
        kernels(_write(tmp_path, "# tl-lint: verify missing(1)\n"))
