"""[tool.tl-lint.verify] of pyproject.toml, and the values that it shares with the command line of `tl-lint verify`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from tl_lint.globs import FilePattern
from tl_lint.messages import one_line
from tl_lint.tables import ConfigError, Reader

__all__ = [
    "KERNEL_KEYS", "LEVELS", "NOT_CONFIGURED", "VERIFY_KEYS", "KernelEntry", "VerifyConfig", "kernel_call", "level",
    "memory_size", "reference", "target", "verify_config",
]  # fmt: skip

Value = TypeVar("Value")

_SECTION = "[tool.tl-lint.verify]"
_KERNELS_SECTION = "[[tool.tl-lint.verify.kernels]]"
VERIFY_KEYS = ("level", "target", "timeout", "memory", "seed", "reference", "strict", "kernels")
KERNEL_KEYS = ("path", "name", "args", "reference")
LEVELS = ("trace", "lower", "compile", "run", "best")
_TARGET = re.compile(r"cuda(:sm_[1-9][0-9]+[af]?)?")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)
_REFERENCE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


@dataclass(frozen=True)
class KernelEntry:
    """What [[tool.tl-lint.verify.kernels]] says of the kernel `name` in files that `path` matches.

    `args` is the text of a call's arguments, `reference` is "module:function"; None where there is none.
    """

    path: FilePattern
    name: str
    args: str | None = None
    reference: str | None = None


@dataclass(frozen=True)
class VerifyConfig:
    """What the table says; None where it says nothing. `timeout` is in seconds, `memory` in bytes."""

    level: str | None = None
    target: str | None = None
    timeout: float | None = None
    memory: int | None = None
    seed: int | None = None
    reference: str | None = None
    strict: bool = False
    kernels: tuple[KernelEntry, ...] = ()


NOT_CONFIGURED = VerifyConfig()


def level(text: str) -> str:
    """Return `text` if it is the name of a level or "best". Raises ValueError."""
    if text not in LEVELS:
        raise ValueError(f"{text!r} is not a level; there are {', '.join(LEVELS)}")
    return text


def target(text: str) -> str:
    """Return `text` if it is "cuda", or "cuda:" and an architecture such as "sm_90". Raises ValueError."""
    if not _TARGET.fullmatch(text):
        raise ValueError(f"{text!r} is not a target; write cuda, or cuda:sm_90 for another architecture")
    return text


def memory_size(text: str) -> int:
    """Return how many bytes `text`, such as "8G" or "512M", stands for; units go by 1024. Raises ValueError."""
    match = _SIZE.fullmatch(text.strip())
    size = int(float(match[1]) * 1024 ** " kmgt".index(match[2].lower() or " ")) if match and len(text) < 40 else 0
    if size < 1:
        raise ValueError(f"{text!r} is not a size; write 8G or 512M")
    return size


def reference(text: str) -> str:
    """Return `text` if it is written as "module:function". Raises ValueError."""
    if not _REFERENCE.fullmatch(text):
        raise ValueError(f"{text!r} does not name a reference; write module:function")
    return text


def kernel_call(text: str) -> tuple[str, str]:
    """Return the name and the arguments of the call `text`, such as ("gemm", "M=1024") of "gemm(M=1024)".

    The name may be dotted, and what it returns may be called again: "f(1)(2)" gives "1)(2". Only the syntax is looked
    at. Raises ValueError.
    """
    import ast

    wrong = f"{text!r} is not a call of a kernel; write 'NAME(M=1024, N=1024)'"
    try:
        node = ast.parse(text.strip(), mode="eval").body
        called = node
        while isinstance(called, ast.Call):
            called = called.func
        name = ast.unparse(called)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"{wrong} ({one_line(getattr(error, 'msg', error))})") from None
    if not isinstance(node, ast.Call) or not re.fullmatch(r"\w+(\.\w+)*", name):
        raise ValueError(wrong)
    return name, text.strip().partition("(")[2].rstrip()[:-1].strip()


def verify_config(file: str, table: object, root: str) -> VerifyConfig:
    """Return what the value of `verify` in `file` says; relative paths start at `root`. Raises ConfigError."""
    if not isinstance(table, dict):
        raise ConfigError(f"{file}: `verify` in [tool.tl-lint] has to be a table")
    read = Reader(file, _SECTION, table)
    read.check_keys(VERIFY_KEYS)
    timeout, seed = read.number("timeout"), read.number("seed")
    if timeout is not None and timeout <= 0:
        raise read.wrong("timeout", "a number of seconds above 0")
    if seed is not None and not (isinstance(seed, int) and seed >= 0):
        raise read.wrong("seed", "a whole number, 0 or above")
    entries = table.get("kernels", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise read.wrong("kernels", f"tables, each one headed {_KERNELS_SECTION}")
    return VerifyConfig(
        level=_read(read, "level", level),
        target=_read(read, "target", target),
        timeout=None if timeout is None else float(timeout),
        memory=_read(read, "memory", memory_size),
        seed=seed,
        reference=_read(read, "reference", reference),
        strict=read.boolean("strict"),
        kernels=tuple(_entry(Reader(file, _KERNELS_SECTION, entry), root) for entry in entries),
    )


def _read(read: Reader, key: str, parse: Callable[[str], Value]) -> Value | None:
    text = read.string(key)
    try:
        return None if text is None else parse(text)
    except ValueError as error:
        raise ConfigError(f"{read.file}: `{key}` in {read.section}: {error}") from None


def _entry(read: Reader, root: str) -> KernelEntry:
    read.check_keys(KERNEL_KEYS)
    path, name, arguments = read.string("path"), read.string("name"), read.string("args")
    if not path or "\0" in path:
        raise read.wrong("path", "there: a glob of the files that hold the kernel")
    if not name or not all(part.isidentifier() for part in name.split(".")):
        raise read.wrong("name", "there: the name of a kernel, dotted for a method")
    if arguments is not None:
        try:
            kernel_call(f"{name}({arguments})")
        except ValueError:
            raise read.wrong("args", f"the arguments of a call, such as 'M=1024, N=1024', not {arguments!r}") from None
    return KernelEntry(read.pattern("path", path, root), name, arguments, _read(read, "reference", reference))
