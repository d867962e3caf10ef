"""The arguments of `tl-lint verify` and `tl-lint doctor`. Where `check` has the same option, it means the same."""

from __future__ import annotations

import argparse
import math
import shlex

from tl_lint.argument_groups import add_codes, add_configuration, add_excludes, path, positive, value
from tl_lint.verify_config import LEVELS, kernel_call, memory_size, reference, target

__all__ = ["add_doctor", "add_verify"]


def add_doctor(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `doctor`."""
    parser.add_argument("--output-format", choices=("text", "json"), default="text", help="default: text")


def add_verify(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `verify`. Those that [tool.tl-lint.verify] knows too are None where they are not given."""
    parser.add_argument(
        "paths",
        nargs="*",
        type=path,
        metavar="PATH[::KERNEL]",
        help="files and folders with kernels, or single kernels; KERNEL may hold * and ? (default: .)",
    )
    parser.add_argument("--fix", action="store_true", help="write the fixes that were confirmed or proved harmless")
    parser.add_argument(
        "--unsafe-fixes", action=argparse.BooleanOptionalAction, default=None, help="try the unsafe fixes too"
    )
    _add_proof(parser.add_argument_group("what to prove"))
    _add_arguments_of_kernels(parser.add_argument_group("arguments of the kernels"))
    _add_limits(parser.add_argument_group("limits and workers"))
    add_codes(parser.add_argument_group("rules whose fixes are tried"))
    _add_output(parser.add_argument_group("output"))
    files = parser.add_argument_group("files")
    add_excludes(files)
    files.add_argument("-n", "--no-cache", action="store_true", help="build everything anew")
    add_configuration(files)


def _add_proof(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--level",
        choices=LEVELS,
        help="trace builds the TIR, lower the CUDA source, compile a cubin, run compares results on a GPU; each one "
        "implies those before it; best is as far as this machine allows (default: best)",
    )
    group.add_argument(
        "--target",
        type=value(target),
        metavar="cuda[:sm_90]",
        help="the architecture to build for (default: that of the GPU)",
    )
    group.add_argument(
        "--reference",
        type=value(reference),
        metavar="MODULE:FUNCTION",
        help="compare results with this function's too, at the level run",
    )
    group.add_argument("--seed", type=_seed, metavar="N", help="seed of the random inputs (default: 0)")
    group.add_argument(
        "--strict", action="store_true", help="let kernels that could not be built or judged make the exit code 1"
    )


def _add_arguments_of_kernels(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--call",
        action="append",
        default=[],
        type=value(_call),
        metavar="'NAME(M=1024, ...)'",
        help="build the kernel NAME with these arguments; may be given several times",
    )
    group.add_argument(
        "--driver",
        type=value(_driver),
        default=(),
        metavar="COMMAND",
        help="run this command, such as 'python example.py', and verify the kernels that it has TileLang compile",
    )


def _add_limits(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--timeout", type=_seconds, metavar="SECONDS", help="what one version of a kernel may take (default: 120)"
    )
    group.add_argument(
        "--memory",
        type=value(memory_size),
        metavar="SIZE",
        help="what one child may use, such as 8G (default: no limit)",
    )
    group.add_argument("-j", "--jobs", type=positive, metavar="N", help="kernels built at once (default: as it pays)")
    group.add_argument("--shard", type=value(_shard), metavar="I/N", help="verify the I-th of N parts of the kernels")
    group.add_argument(
        "--executor",
        type=value(_executor),
        default="local",
        metavar="local|ray[:ADDRESS]",
        help="where kernels are built: here, or on a Ray cluster (default: local)",
    )


def _add_output(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--output-format", choices=("text", "json", "junit"), default="text", help="default: text")
    group.add_argument("-o", "--output-file", type=path, metavar="FILE", help="write the results to FILE")
    group.add_argument(
        "--keep",
        type=path,
        metavar="FOLDER",
        help="keep messages, TIR, CUDA source and fixed text of every kernel there",
    )
    group.add_argument("-q", "--quiet", action="store_true", help="print the results and nothing else")


def _call(text: str) -> str:
    kernel_call(text)
    return text.strip()


def _driver(text: str) -> tuple[str, ...]:
    parts = tuple(shlex.split(text))
    if not parts:
        raise ValueError("a command cannot be empty")
    return parts


def _shard(text: str) -> tuple[int, int]:
    number, slash, count = text.partition("/")
    if not (slash and number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise ValueError(f"{text!r} is not a shard; write 1/4 for the first of four")
    return int(number), int(count)


def _executor(text: str) -> str:
    kind, colon, address = text.partition(":")
    if kind not in ("local", "ray") or (colon and (kind == "local" or not address)):
        raise ValueError(f"{text!r} is not an executor; write local, ray or ray:ADDRESS")
    return text


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not (seconds > 0 and math.isfinite(seconds)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number of seconds")
    return seconds


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, 0 or above")
    return int(text)
