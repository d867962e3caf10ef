"""Lowers example kernels for CUDA, each in a process of its own. Run by tests/lowering.py under a Python with TileLang.

Standard input: one JSON object a line, {"file": path, "calls": ["NAME" or "NAME(vec=4)", ...], "limit": seconds}, the
limit being that of one kernel. Standard output: for each, one line {"outcomes": [outcome, ...]} in the order of the
calls; tests/lowering.py says what an outcome holds.

TileLang is imported once and a file's module once; each kernel is built in a fork of that process, because some inputs
kill it.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import json
import os
import select
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

__all__ = ["serve"]

_TARGET = {"kind": "cuda", "arch": "sm_90"}
_Tell = Callable[[dict[str, Any]], None]


def serve() -> None:
    """Answer requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what TileLang prints is no answer
    _warm_up()
    for line in sys.stdin:
        request = json.loads(line)
        answers.write(json.dumps({"outcomes": _file(request["file"], request["calls"], request["limit"])}) + "\n")
        answers.flush()


def _warm_up() -> None:
    """Do once, before the first fork, what every child would have to: the imports, and reading TVM's debug symbols."""
    import tilelang.engine.lower

    with contextlib.suppress(ValueError):
        tilelang.language.IntImm("float32", 4)  # the first error makes TVM read them, which takes more than a second


def _file(file: str, calls: list[str], limit: float) -> list[dict[str, Any]]:
    """Import a file in a process of its own, and lower each kernel in a fork of that."""

    def work(tell: _Tell) -> None:
        with _target():
            module = _load(file)
            for call in calls:
                tell({"done": _in_a_fork(partial(_lower, module, call), limit)})

    told = _in_a_fork(work, limit * (len(calls) + 1))
    outcomes = [stage["done"] for stage in told["told"] if "done" in stage]
    rest = {**told, "stage": "import", "told": []}
    return [_flat(outcome, call) for outcome, call in zip(outcomes + [rest] * len(calls), calls, strict=False)]


def _flat(outcome: dict[str, Any], call: str) -> dict[str, Any]:
    result = {"call": call, "asked": [], "source": "", **{key: outcome[key] for key in outcome if key != "told"}}
    for stage in outcome["told"]:
        result.update(stage)
    return result


def _in_a_fork(work: Callable[[_Tell], None], limit: float) -> dict[str, Any]:
    """Run `work` in a child process; that it raises, dies or runs past `limit` seconds is an outcome too."""
    with tempfile.TemporaryFile() as log:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            _child(work, writing, log.fileno())
        os.close(writing)
        data, timed_out = _read(reading, time.monotonic() + limit)
        os.close(reading)
        if timed_out:
            os.kill(child, 9)
        status = os.waitpid(child, 0)[1]
        log.seek(max(0, log.seek(0, os.SEEK_END) - 4000))
        printed = log.read().decode(errors="replace")
    told = [json.loads(line) for line in data.decode().splitlines(keepends=True) if line.endswith("\n")]
    died = os.WTERMSIG(status) if os.WIFSIGNALED(status) and not timed_out else 0
    error = next((stage.pop("error") for stage in told if "error" in stage), "")
    return {"told": told, "error": error, "signal": died, "timed_out": timed_out, "log": printed}


def _read(reading: int, end: float) -> tuple[bytes, bool]:
    """Read until the writer is gone; return what came, and whether the time `end` was reached before."""
    data = b""
    while (left := end - time.monotonic()) > 0:
        if select.select([reading], [], [], left)[0]:
            chunk = os.read(reading, 1 << 16)
            if not chunk:
                return data, False
            data += chunk
    return data, True


def _child(work: Callable[[_Tell], None], writing: int, log: int) -> None:
    """Work in this process, what it prints going to `log` and what it tells to `writing`, and end it."""
    os.dup2(log, 1)
    os.dup2(log, 2)

    def tell(stage: dict[str, Any]) -> None:
        line = json.dumps(stage).encode() + b"\n"
        while line:
            line = line[os.write(writing, line) :]

    try:
        work(tell)
    except BaseException as error:
        traceback.print_exc()
        tell({"error": f"{type(error).__name__}: {error}"})
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _lower(module: Any, call: str, tell: _Tell) -> None:
    """Tell how far it came, the widths asked for and, at the end, the CUDA source."""
    from tilelang.engine.lower import lower

    tell({"stage": "trace"})
    kernel = _kernel(module, call)
    tell({"stage": "lower", "asked": _asked(kernel)})
    with _target() as target:
        source = lower(kernel, target=target).kernel_source
    tell({"stage": "done", "source": str(source)})


def _target() -> Any:
    import tilelang

    return tilelang.tvm.target.Target(_TARGET)


def _load(file: str) -> Any:
    """Import a file under a name of its own, registered, because TileLang reads the source of its functions."""
    specification = importlib.util.spec_from_file_location(f"kernels_{Path(file).stem}", file)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


def _kernel(module: Any, call: str) -> Any:
    """Return the prim_func that `call` names, or that it makes with its arguments, read in the module's scope."""
    import tilelang

    prim_func = tilelang.tvm.tirx.PrimFunc
    node = ast.parse(call, mode="eval").body
    name = ast.unparse(node.func if isinstance(node, ast.Call) else node)
    made = getattr(module, name)
    if not isinstance(made, prim_func):
        arguments = call[len(name) :] or "()"
        made = eval(f"made{arguments}", {**vars(module), "made": getattr(made, "get_tir", made)})
    if hasattr(made, "get_tir"):
        made = made.get_tir()
    if not isinstance(made, prim_func):
        raise TypeError(f"{call} is a {type(made).__name__}, not a prim_func")
    return made


def _asked(kernel: Any) -> list[list[Any]]:
    """Return ["loop" or "copy", width] for each coalesced_width in the TIR that is read: no layout overrules it."""
    import tilelang

    tirx = tilelang.tvm.tirx
    found: list[list[Any]] = []

    def visit(node: Any) -> None:
        annotations = getattr(node, "annotations", None)
        if annotations is None or "coalesced_width" not in annotations or "parallel_loop_layout" in annotations:
            return
        loop = isinstance(node, tirx.For)
        if loop and int(node.kind) != int(tirx.ForKind.PARALLEL):
            return
        width = annotations["coalesced_width"]
        width = getattr(width, "value", width)
        found.append(["loop" if loop else "copy", int(width) if isinstance(width, int) else repr(width)])

    tirx.stmt_functor.post_order_visit(kernel.body, visit)
    return found


if __name__ == "__main__":
    serve()
