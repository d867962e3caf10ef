"""Measures how many kernels of given folders are instantiated with no help.

Run under a Python that has TileLang, from the root of a checkout:

    python benchmarks/instantiation.py [--only jit] [--seconds 20] [--every 1] [--lower] [--json FILE] FOLDER ...

Each file is imported in a fork of one warm process, each kernel is traced in a fork of that, with a limit in seconds.
Printed: for each folder how many kernels were found, how many traced, by which source of arguments, and the reasons for
the rest. A file that can't be imported is counted by itself: its kernels are found, and never instantiated.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tl_lint.verify.arguments import attempts
from tl_lint.verify.found import form, inner, kernels
from tl_lint.verify.model import FoundKernel
from tl_lint.verify.reading import File

_TARGET = {"kind": "cuda", "arch": "sm_90"}
_MOST_ATTEMPTS = 12


def main(words: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--only", choices=["jit", "all"], default="jit", help="jit functions alone, or all kernels")
    parser.add_argument("--seconds", type=float, default=20, help="limit of one kernel")
    parser.add_argument("--every", type=int, default=1, help="only each Nth file, for a sample")
    parser.add_argument("--lower", action="store_true", help="lower for CUDA too what was traced")
    parser.add_argument("--json", help="write one object a kernel to this file")
    options = parser.parse_args(words)
    _warm_up()
    results = []
    with open(options.json or os.devnull, "w", encoding="utf-8") as stream:  # noqa: PTH123
        for folder in options.folders:
            sys.path.append(str(Path(folder).resolve()))  # a project's files are run from its root
            rows = []
            for file in list(_files(Path(folder)))[:: options.every]:
                new = _file(file, options)
                stream.write("".join(json.dumps({"folder": folder, **row}) + "\n" for row in new))
                stream.flush()
                rows += new
            results += rows
            sys.path.pop()
            print(_summary(folder, rows), flush=True)
    if len(options.folders) > 1:
        print(_summary("all", results))


def _warm_up() -> None:
    import tilelang.engine.lower
    import torch  # noqa: F401

    with contextlib.suppress(ValueError):
        tilelang.language.IntImm("float32", 4)  # the first error makes TVM read its debug symbols


def _files(folder: Path) -> Iterator[Path]:
    found = [folder] if folder.is_file() else sorted(folder.rglob("*.py"))
    yield from (path for path in found if b"tilelang" in path.read_bytes())


def _file(path: Path, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return a row for each kernel of a file."""
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        found = [item for item in kernels(text, str(path)) if options.only == "all" or _is_jit(text, item)]
    except SyntaxError:
        return []
    if not found:
        return []

    def work(tell: Callable[[Any], None]) -> None:
        from tl_lint.verify.child import devices
        from tl_lint.verify.child.loading import load

        os.chdir(path.parent)
        sys.argv = [str(path)]
        with devices.described():
            module = load(str(path.resolve()), text)
        for kernel in found:
            tell(_kernel(module, text, kernel, options))

    started = time.monotonic()
    told, how = _in_a_fork(work, options.seconds * (len(found) + 2))
    rows = [{"file": str(path), **row} for row in told if "kernel" in row]
    why = next((row["error"] for row in told if "error" in row), how)
    for kernel in found[len(rows) :]:
        rows.append({"file": str(path), "kernel": kernel.name, "form": kernel.form, "stage": "import", "error": why})
    print(f"{path} {time.monotonic() - started:.1f}s", file=sys.stderr, flush=True)
    return rows


def _is_jit(text: str, kernel: FoundKernel) -> bool:
    """Whether a kernel is a jit function, or a factory that hands one out."""
    file = File(text)
    function = file.function(kernel.name)
    node = function.node if function else None
    while node is not None:
        if form(file, node) == "jit":
            return True
        node = inner(file, node)
    return False


def _kernel(module: Any, text: str, kernel: FoundKernel, options: argparse.Namespace) -> dict[str, Any]:
    row: dict[str, Any] = {"kernel": kernel.name, "form": kernel.form, "stage": "trace"}
    tried = attempts(text, kernel)[0][:_MOST_ATTEMPTS]
    told, how = _in_a_fork(lambda tell: _trace(module, kernel, tried, options.lower, tell), options.seconds)
    for part in told:
        row.update(part)
    if "source" not in row and how:
        row["error"] = how
    if options.lower and row.get("stage") == "lower" and how:
        row["lowering"] = how
    return row


def _trace(module: Any, kernel: FoundKernel, tried: Sequence[Any], lower: bool, tell: Callable[[Any], None]) -> None:
    import tilelang

    from tl_lint.verify.child.instantiate import instantiate

    errors: list[str] = []
    with tilelang.tvm.target.Target(_TARGET) as target:
        for attempt in tried:
            try:
                prim_func = instantiate(module, kernel.name, attempt.arguments)
            except Exception as error:
                errors.append(f"{type(error).__name__}: {str(error)[-300:]} [{attempt.arguments[:200]}]")
                tell({"error": errors[0], "errors": errors})
                continue
            tell({"source": attempt.source, "arguments": attempt.arguments, "attempt": len(errors), "errors": errors})
            break
        else:
            return
        if lower:
            tell({"stage": "lower"})
            from tilelang.engine.lower import lower as lowered

            try:
                lowered(prim_func, target=target)
                tell({"lowering": "passes"})
            except Exception as error:
                tell({"lowering": f"{type(error).__name__}: {str(error)[-300:]}"})


def _in_a_fork(work: Callable[[Callable[[Any], None]], None], limit: float) -> tuple[list[dict[str, Any]], str]:
    """Return what `work` told in a child process, and how it ended: "" if well."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.setpgid(0, 0)
        _child(work, writing)
    os.close(writing)
    data, end = b"", time.monotonic() + limit
    timed_out = False
    while True:
        if not select.select([reading], [], [], max(0.0, end - time.monotonic()))[0]:
            timed_out = True
            break
        chunk = os.read(reading, 1 << 16)
        if not chunk:
            break
        data += chunk
    os.close(reading)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    told = [json.loads(line) for line in data.decode().splitlines(keepends=True) if line.endswith("\n")]
    if timed_out:
        return told, "timeout"
    ended = any("ended" in item for item in told)
    return [item for item in told if "ended" not in item], "" if ended else f"died with status {status}"


def _child(work: Callable[[Callable[[Any], None]], None], writing: int) -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)

    def tell(told: Any) -> None:
        os.write(writing, json.dumps(told).encode() + b"\n")

    try:
        work(tell)
    except BaseException as error:
        tell({"error": f"{type(error).__name__}: {str(error)[:300]}"})
    tell({"ended": True})
    os._exit(0)


def _summary(folder: str, rows: Sequence[dict[str, Any]]) -> str:
    traced = [row for row in rows if "source" in row]
    unread = [row for row in rows if row["stage"] == "import"]
    files = {row["file"] for row in rows}
    lines = [
        f"{folder}: {len(traced)} of {len(rows)} kernels instantiated ({100 * len(traced) / max(1, len(rows)):.0f} %) "
        f"in {len(files)} files; {len(unread)} kernels in {len({row['file'] for row in unread})} files fail at import"
    ]
    rest = len(rows) - len(unread)
    lines.append(f"  without those: {100 * len(traced) / max(1, rest):.0f} % of {rest}")
    lines.append(f"  by source: {dict(collections.Counter(row['source'] for row in traced).most_common())}")
    lowered = [row for row in traced if "lowering" in row]
    if lowered:
        passed = collections.Counter(row["source"] for row in lowered if row["lowering"] == "passes")
        lines.append(f"  lowered: {sum(passed.values())} of {len(lowered)}, by source: {dict(passed)}")
    failures = collections.Counter(_reason(row) for row in rows if "source" not in row)
    lines += [f"  {number:4} {reason}" for reason, number in failures.most_common(25)]
    return "\n".join(lines)


def _reason(row: dict[str, Any]) -> str:
    return (
        f"{row['stage']}: {row.get('error', '?').partition(' [')[0].splitlines()[0][:120] if row.get('error') else '?'}"
    )


if __name__ == "__main__":
    main()
