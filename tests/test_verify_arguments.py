"""The options of `verify`: what they come to, over the configuration, and what is refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.front import tl_lint
from tl_lint.arguments import parse
from tl_lint.verify.model import Level
from tl_lint.verify.options import VerifyOptions
from tl_lint.verify_command import options_of
from tl_lint.verify_config import VerifyConfig


def options(*arguments: str, configured: VerifyConfig | None = None) -> VerifyOptions:
    return options_of(parse(["verify", *arguments]), configured or VerifyConfig(), ())


def test_the_defaults() -> None:
    assert options() == VerifyOptions()
    assert options().level is None and options().timeout == 120


def test_every_option_arrives() -> None:
    given = options(
        "a.py::k", "--level", "run", "--target", "cuda:sm_80", "--call", "k(M=1, N=2)", "--call", "l()", "--fix",
        "--unsafe-fixes", "--timeout", "1.5", "--memory", "2G", "-j", "3", "--shard", "2/4",
        "--driver", "python 'my example.py' --n 4", "--executor", "ray:10.0.0.1:6379", "--keep", "kept", "--no-cache",
        "--seed", "9", "--reference", "refs:k",
    )  # fmt: skip
    assert given == VerifyOptions(
        level=Level.RUN, target="cuda -arch=sm_80", calls=("k(M=1, N=2)", "l()"), fix=True, timeout=1.5,
        memory=2 << 30, jobs=3, shard=(2, 4), driver=("python", "my example.py", "--n", "4"), ray="10.0.0.1:6379",
        keep="kept", cache=False, seed=9, reference="refs:k",
    )  # fmt: skip
    assert options("--executor", "ray").ray == ""
    assert options("--executor", "local").ray is None


def test_the_command_line_goes_before_the_configuration() -> None:
    configured = VerifyConfig("compile", "cuda:sm_80", 30.0, 1 << 30, 7, "refs:k")
    said = options(configured=configured)
    assert (said.level, said.target, said.timeout, said.memory) == (Level.COMPILE, "cuda -arch=sm_80", 30.0, 1 << 30)
    assert (said.seed, said.reference) == (7, "refs:k")
    changed = options("--level", "best", "--target", "cuda", "--timeout", "5", "--memory", "1M", "--seed", "0",
                      "--reference", "other:k", configured=configured)  # fmt: skip
    assert (changed.level, changed.target, changed.timeout, changed.memory) == (None, "cuda", 5.0, 1 << 20)
    assert (changed.seed, changed.reference) == (0, "other:k")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--level", "ptx"), "argument --level: invalid choice: 'ptx'"),
        (("--target", "hip"), "argument --target: 'hip' is not a target; write cuda, or cuda:sm_90"),
        (("--call", "k"), "argument --call: 'k' is not a call of a kernel; write 'NAME(M=1024, N=1024)'"),
        (("--timeout", "0"), "argument --timeout: '0' is not a positive number of seconds"),
        (("--timeout", "nan"), "argument --timeout: 'nan' is not a positive number of seconds"),
        (("--memory", "x"), "argument --memory: 'x' is not a size; write 8G or 512M"),
        (("--jobs", "0"), "argument -j/--jobs: '0' is not a positive number"),
        (("--shard", "3/2"), "argument --shard: '3/2' is not a shard; write 1/4 for the first of four"),
        *(
            (("--shard", text), f"argument --shard: '{text}' is not a shard")
            for text in ("0/2", "1", "1/", "/2", "1/0", "1/2/3", "a/b", "1.0/2", "²/3")
        ),
        (("--driver", " "), "argument --driver: a command cannot be empty"),
        (("--driver", "python 'a"), "argument --driver: No closing quotation"),
        (("--executor", "slurm"), "argument --executor: 'slurm' is not an executor; write local, ray or ray:ADDRESS"),
        (("--executor", "ray:"), "argument --executor: 'ray:' is not an executor"),
        (("--seed", "-1"), "argument --seed: "),
        (("--reference", "f"), "argument --reference: 'f' does not name a reference; write module:function"),
        (("",), "a path cannot be empty"),
    ],
)
def test_mistakes_are_one_line(arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(["verify", *arguments])
    printed = capsys.readouterr().err
    assert ended.value.code == 2
    assert message in printed and printed.count("\n") == 1 and printed.startswith("tl-lint: error: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-",), "verify reads files only, not standard input"),
        (("--fix", "--shard", "1/2"), "--fix and --shard exclude each other"),
        (("a.py::nothing",), "a.py::nothing: no such kernel; no kernel was found there"),
        (("--config", "absent.toml"), "absent.toml: no such file"),
        (("--output-file", "absent/x"), "cannot write absent/x: "),
        (("--keep", "a.py/kept"), "cannot write a.py/kept: "),
        (("--keep", "/proc/kept"), "cannot write /proc/kept: "),
        (("--select", "TLC999"), "unknown rule code 'TLC999'"),
    ],
)
def test_what_cannot_be_done_is_one_line_too(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    (tmp_path / "a.py").write_text("import tilelang\n")
    done = tl_lint(tmp_path, "verify", *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith("tl-lint: error: ") and message in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_nothing_to_verify_needs_no_tilelang(tmp_path: Path) -> None:
    done = tl_lint(tmp_path, "verify")
    assert (done.returncode, done.stdout) == (0, b"No kernels found.\n")
    assert done.stderr == b"warning: No Python files found under the given path(s)\n"
    (tmp_path / "a.py").write_text("print('no kernel')\n")
    done = tl_lint(tmp_path, "verify", "-q", "--output-format", "json")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"[]\n", b"")
