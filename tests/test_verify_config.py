"""[tool.tl-lint.verify], and the values that it shares with the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tl_lint.config import ConfigError, Options, read_options
from tl_lint.verify.model import Level
from tl_lint.verify_config import LEVELS, VerifyConfig, kernel_call, memory_size, reference, target

KERNEL = "[[tool.tl-lint.verify.kernels]]"


def options(folder: Path, *lines: str) -> Options:
    file = folder / "pyproject.toml"
    file.write_text("\n".join((*lines, "")))
    found = read_options(str(file))
    assert found is not None
    return found


def error(folder: Path, *lines: str) -> str:
    with pytest.raises(ConfigError) as caught:
        options(folder, *lines)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(folder / "pyproject.toml"))
    return message


def test_every_key(tmp_path: Path) -> None:
    config = options(
        tmp_path,
        "[tool.tl-lint.verify]",
        "level = 'compile'",
        "target = 'cuda:sm_80'",
        "timeout = 30",
        "memory = '4G'",
        "seed = 7",
        "reference = 'pkg.refs:gemm'",
        "strict = true",
        KERNEL,
        "path = 'src/*.py'",
        "name = 'Gemm.build'",
        "args = 'M=1024, dtype=\"float16\"'",
        "reference = 'refs:other'",
    ).verify
    assert (config.level, config.target, config.timeout, config.memory) == ("compile", "cuda:sm_80", 30.0, 4 << 30)
    assert (config.seed, config.reference, config.strict) == (7, "pkg.refs:gemm", True)
    [entry] = config.kernels
    assert (entry.name, entry.args, entry.reference) == ("Gemm.build", 'M=1024, dtype="float16"', "refs:other")
    assert entry.path.matches(str(tmp_path / "src" / "a.py"), "a.py")
    assert not entry.path.matches(str(tmp_path / "a.py"), "a.py")


def test_nothing_said_is_nothing_configured(tmp_path: Path) -> None:
    assert options(tmp_path, "[tool.tl-lint]").verify == VerifyConfig()


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("levle = 'run'",), "unknown key 'levle' in [tool.tl-lint.verify]; did you mean 'level'?"),
        (("level = 'ptx'",), "`level` in [tool.tl-lint.verify]: 'ptx' is not a level; there are trace, lower"),
        (("target = 'hip'",), "`target` in [tool.tl-lint.verify]: 'hip' is not a target; write cuda"),
        (("timeout = 0",), "`timeout` in [tool.tl-lint.verify] has to be a number of seconds above 0"),
        (("timeout = true",), "`timeout` in [tool.tl-lint.verify] has to be a number"),
        (("timeout = nan",), "`timeout` in [tool.tl-lint.verify] has to be a number"),
        (("memory = 4",), "`memory` in [tool.tl-lint.verify] has to be a string"),
        (("memory = 'much'",), "'much' is not a size; write 8G or 512M"),
        (("seed = -1",), "`seed` in [tool.tl-lint.verify] has to be a whole number"),
        (("seed = 1.5",), "`seed` in [tool.tl-lint.verify] has to be a whole number"),
        (("strict = 'yes'",), "`strict` in [tool.tl-lint.verify] has to be true or false"),
        (("kernels = 'all'",), "`kernels` in [tool.tl-lint.verify] has to be tables"),
        ((KERNEL, "name = 'f'"), "`path` in [[tool.tl-lint.verify.kernels]] has to be there"),
        ((KERNEL, "path = '*.py'"), "`name` in [[tool.tl-lint.verify.kernels]] has to be there"),
        ((KERNEL, "path = '*.py'", "name = 'a-b'"), "`name` in [[tool.tl-lint.verify.kernels]] has to be there"),
        (
            (KERNEL, "path = '*.py'", "name = 'f'", "args = '1)]('"),
            "`args` in [[tool.tl-lint.verify.kernels]] has to be",
        ),
        ((KERNEL, "path = '*.py'", "name = 'f'", "arg = '1'"), "unknown key 'arg' in [[tool.tl-lint.verify.kernels]]"),
        ((KERNEL, "path = '[*.py'", "name = 'f'"), "`path` in [[tool.tl-lint.verify.kernels]]: "),
    ],
)
def test_mistakes_say_where_and_what_to_write(tmp_path: Path, lines: tuple[str, ...], expected: str) -> None:
    head = () if lines[0] == KERNEL else ("[tool.tl-lint.verify]",)
    assert expected in error(tmp_path, *head, *lines)


def test_a_table_is_expected(tmp_path: Path) -> None:
    assert "`verify` in [tool.tl-lint] has to be a table" in error(tmp_path, "[tool.tl-lint]", "verify = 3")


def test_the_levels_are_those_of_the_verifier() -> None:
    assert (*(str(level) for level in Level if level > Level.NONE), "best") == LEVELS


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("512", 512),
        ("2k", 2048),
        ("1M", 1 << 20),
        ("1.5G", 3 << 29),
        ("8GiB", 8 << 30),
        ("8 GB", 8 << 30),
        ("1T", 1 << 40),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert memory_size(text) == size


@pytest.mark.parametrize("text", ["", "G", "-1G", "0", "1X", "1e9", "9" * 400])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="is not a size"):
        memory_size(text)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("gemm(M=1024, N=64)", ("gemm", "M=1024, N=64")),
        (" Kernels.build(M=8, dtype='float16') ", ("Kernels.build", "M=8, dtype='float16'")),
        ("outer(M=8)(threads=64)", ("outer", "M=8)(threads=64")),
        (" Gemm.build( (1, 2), dtype='f(16)' ) ", ("Gemm.build", "(1, 2), dtype='f(16)'")),
        ("f()", ("f", "")),
        ("f(1)(n=2)", ("f", "1)(n=2")),
        ("f(*[1], **{'a': 2})", ("f", "*[1], **{'a': 2}")),
    ],
)
def test_calls(text: str, call: tuple[str, str]) -> None:
    assert kernel_call(text) == call


@pytest.mark.parametrize("text", ["", "gemm", "gemm(", "f(1) + 1", "f()[0]", "[f](1)", "f(1); g(2)", "f(\0)"])
def test_what_is_no_call(text: str) -> None:
    with pytest.raises(ValueError, match="is not a call of a kernel"):
        kernel_call(text)


@pytest.mark.parametrize("text", ["cuda", "cuda:sm_90", "cuda:sm_90a", "cuda:sm_120"])
def test_targets(text: str) -> None:
    assert target(text) == text


@pytest.mark.parametrize("text", ["", "hip", "cuda:", "cuda:90", "cuda:sm_", "cuda:sm_9", "cuda:sm_90x", "CUDA"])
def test_what_is_no_target(text: str) -> None:
    with pytest.raises(ValueError, match="is not a target"):
        target(text)


def test_references() -> None:
    assert reference("pkg.mod:Class.method") == "pkg.mod:Class.method"
    for text in ("", "mod", "mod:", ":f", "a.py:f(1)", "a b:c", "mod:f:g"):
        with pytest.raises(ValueError, match="does not name a reference"):
            reference(text)
