"""Runs kernels on a GPU against their controls, and writes what came out as JSON.

    python -m tests.gpu.run FILE.json

It needs a GPU, TileLang and torch. Kernels: those of rules/*/fixed.py that a fix changed; those of kernels.py beside
this; the pairs of planted.py, which have to be told apart; those of untimed.py; and what the real command does with
some. Ends with 1 if one of them is not as it has to be.
"""

from __future__ import annotations

import ast
import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from tests.gpu import command
from tests.gpu.measured import REFERENCES, digests, faults, own_kernels, rule_kernels
from tl_lint.verify.examples import Example
from tl_lint.verify.isolation import Isolation, Limits
from tl_lint.verify.pool import Gpus, visible_devices

__all__ = ["machine", "planted", "run_kernel", "untimed"]

_HERE = Path(__file__).resolve().parent
_JOBS = 12
_LIMITS = Limits(seconds=200.0, memory=None)
_UNGUARDED = {"tl.disable_safe_memory_legalize": True}
"""Without its guards on memory TileLang lets a kernel reach past the end of a buffer."""


def run_kernel(request: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Tell the facts of one kernel; a task of a child."""
    from tl_lint.verify.child import tir
    from tl_lint.verify.child.instantiate import instantiate
    from tl_lint.verify.child.loading import load
    from tl_lint.verify.child.lowering import pass_configs
    from tl_lint.verify.child.running import run_step

    module = load(request["file"], request["text"])
    made = getattr(module, request["name"])
    with _target() as target:
        prim_func = instantiate(module, request["name"], request["arguments"])
    widths = tir.requested_widths(prim_func)
    control = tir.without_widths(prim_func) if widths else None
    settings = {"pass_configs": pass_configs(made, prim_func), **request.get("settings", {})}
    tell({"widths": widths, **run_step(prim_func, control, target, settings)})


def planted(request: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Tell the facts of one pair of planted.py; a task of a child."""
    from tests.gpu.planted import PLANTED
    from tl_lint.verify.child.running import run_step

    with _target() as target:
        one, other = PLANTED[request["name"]]()
    settings = {"timing": False, "pass_configs": _UNGUARDED}
    tell(run_step(one, other, target, settings))


def untimed(request: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Tell the facts of one kernel of untimed.py; a task of a child."""
    from tests.gpu.untimed import UNTIMED
    from tl_lint.verify.child import tir
    from tl_lint.verify.child.running import run_step

    with _target() as target:
        prim_func = UNTIMED[request["name"]]()
    settings = {"pass_configs": _UNGUARDED}
    tell(run_step(prim_func, tir.without_widths(prim_func), target, settings))


def machine(_request: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Tell what is installed here; a task of a child."""
    import tilelang
    import torch

    from tl_lint.verify.child.compiling import compiler, detected_architecture

    tell(
        {
            "gpu": torch.cuda.get_device_name(),
            "architecture": detected_architecture(),
            "tilelang": str(tilelang.__version__),
            "torch": str(torch.__version__),
            "compiler": compiler(),
        }
    )


@contextlib.contextmanager
def _target() -> Iterator[Any]:
    from tl_lint.verify.child.compiling import detected_architecture
    from tl_lint.verify.child.lowering import target_object

    with target_object("cuda", detected_architecture() or "sm_90") as target:
        yield target


def main() -> int:
    """Run everything, print a line for each, and write the file."""
    started = time.monotonic()
    # Compiling takes the time, so many do it at once; they take turns to launch.
    gpu = Gpus(visible_devices(1), share=_JOBS)
    with Isolation() as isolation, ThreadPoolExecutor(_JOBS) as pool:
        ask = partial(_told, isolation, gpu)
        result: dict[str, Any] = {"machine": ask(machine, {}), "digests": digests()}
        print(result["machine"], flush=True)
        for part, requests in _requests().items():
            task = {"planted": planted, "untimed": untimed}.get(part, run_kernel)
            result[part] = _shown(part, requests, pool.map(partial(ask, task), requests.values()))
    result["command"] = command.rows(_JOBS)
    for name, row in result["command"].items():
        print("command", name, row, flush=True)
    result["faults"] = faults(result)
    Path(sys.argv[1]).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print("\n".join(result["faults"]) or "all as it has to be", f"after {time.monotonic() - started:.0f} s")
    return 1 if result["faults"] else 0


def _requests() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the requests of each part by name."""
    rules = rule_kernels()
    keyword = rules["tlc001_coalesced_width_not_intimm::keyword"]
    return {
        "rules": {name: _kernel(example) for name, example in rules.items()},
        "kernels": {name: _kernel(example) for name, example in own_kernels().items()},
        "references": {
            name: _kernel(keyword, reference=f"tests.gpu.references:{name}", timing=False) for name in REFERENCES
        },
        "planted": {name: {"name": name} for name in _keys("PLANTED", "planted.py")},
        "untimed": {name: {"name": name} for name in _keys("UNTIMED", "untimed.py")},
    }


def _kernel(example: Example, **settings: Any) -> dict[str, Any]:
    return {
        "file": str(example.file),
        "text": example.text,
        "name": example.name,
        "arguments": example.arguments,
        "settings": settings,
    }


def _keys(name: str, file: str) -> list[str]:
    """Return the keys of a dict of a file that cannot be imported here, where TileLang is not to be."""
    tree = ast.parse((_HERE / file).read_text(encoding="utf-8"))
    dicts = [node.value for node in tree.body if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == name]
    return [ast.literal_eval(key) for found in dicts if isinstance(found, ast.Dict) for key in found.keys if key]


def _told(isolation: Isolation, gpu: Gpus, task: Callable[..., None], request: dict[str, Any]) -> dict[str, Any]:
    started = time.monotonic()
    with gpu.one() as environment:
        ended = isolation.call(f"tests.gpu.run:{task.__name__}", request, _LIMITS, environment)
    facts = {key: value for told in ended.told for key, value in told.items()}
    if not ended.told:
        facts["error"] = ended.error or f"signal {ended.signal}, timed out: {ended.timed_out}"
        facts["log"] = ended.log[-3000:]
    return {**facts, "seconds": round(time.monotonic() - started, 2)}


def _shown(part: str, names: Iterable[str], results: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Print a line for each result as it comes, and return them by name."""
    shown = {}
    for name, facts in zip(names, results, strict=True):
        comparison = facts.get("comparison") or {}
        said = facts.get("error") or facts.get("not_reached") or comparison.get("message") or comparison.get("how")
        print(
            part, name, facts.get("widths"), comparison.get("equal"), said, _times(facts), facts["seconds"], flush=True
        )
        shown[name] = facts
    return shown


def _times(facts: dict[str, Any]) -> str:
    timing = facts.get("timing") or {}
    return " ".join(
        f"{name} {timing[name]['median_us']} [{timing[name]['lower_quartile_us']}, {timing[name]['upper_quartile_us']}]"
        for name in ("fixed", "control")
        if name in timing
    )


if __name__ == "__main__":
    sys.exit(main())
