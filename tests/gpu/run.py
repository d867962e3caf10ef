"""Runs kernels on a GPU against their controls, and writes what came out as JSON.

    python -m tests.gpu.run FILE.json

It needs a GPU, TileLang and torch. Kernels: those of rules/*/fixed.py that a fix changed; those of kernels.py beside
this; and the pairs of planted.py, which have to be told apart. Ends with 1 if one of them is not as it has to be.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from tl_lint.verify.examples import Example, examples
from tl_lint.verify.isolation import Isolation, Limits

__all__ = ["machine", "planted", "run_kernel"]

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parent.parent
_JOBS = 12
_LIMITS = Limits(seconds=200.0, memory=None)
_REFERENCES = {"copied": True, "copied_in_place": True, "wrong": False}


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
    # Without its guards on memory TileLang lets a kernel write past the end of a buffer.
    settings = {"timing": False, "pass_configs": {"tl.disable_safe_memory_legalize": True}}
    tell(run_step(one, other, target, settings))


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
    with Isolation() as isolation, ThreadPoolExecutor(_JOBS) as pool:
        result: dict[str, Any] = {"machine": _told(isolation, machine, {})}
        print(result["machine"], flush=True)
        rules = {f"{folder.name}::{example.call}": example for folder in _rules() for example in _fixed(folder)}
        kernels = {example.call: example for example in examples(_HERE / "kernels.py")}
        # Compiling takes the time, so many do it at once; the times are taken afterwards, one kernel after the other.
        compared = partial(_kernel, isolation, timing=False)
        result["rules"] = _shown("rules", rules, pool.map(compared, rules.values()))
        result["kernels"] = _shown("kernels", kernels, pool.map(compared, kernels.values()))
        result["references"] = _shown("references", _REFERENCES, pool.map(partial(_referred, isolation), _REFERENCES))
        names = _planted_names()
        result["planted"] = _shown("planted", names, pool.map(partial(_planted, isolation), names))
        for part, items in (("rules", rules), ("kernels", kernels)):
            for name, facts in _shown("times", items, map(partial(_kernel, isolation), items.values())).items():
                result[part][name]["timing"] = facts.get("timing")
    result["faults"] = _faults(result)
    Path(sys.argv[1]).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print("\n".join(result["faults"]) or "all as it has to be")
    return 1 if result["faults"] else 0


def _rules() -> list[Path]:
    return sorted((_ROOT / "rules").iterdir())


def _fixed(folder: Path) -> list[Example]:
    """Return the kernels of a rule's fixed.py whose code its fix changed."""
    if not (folder / "fixed.py").exists():
        return []
    bad = {example.call: example.code for example in examples(folder / "bad.py")}
    return [example for example in examples(folder / "fixed.py") if example.code != bad[example.call]]


def _kernel(isolation: Isolation, example: Example, **settings: Any) -> dict[str, Any]:
    request = {
        "file": str(example.file),
        "text": example.text,
        "name": example.name,
        "arguments": example.arguments,
        "settings": settings,
    }
    return _told(isolation, run_kernel, request)


def _referred(isolation: Isolation, name: str) -> dict[str, Any]:
    rule = _ROOT / "rules" / "tlc001_coalesced_width_not_intimm" / "fixed.py"
    keyword = next(example for example in examples(rule) if example.name == "keyword")
    return _kernel(isolation, keyword, reference=f"tests.gpu.references:{name}", timing=False)


def _planted(isolation: Isolation, name: str) -> dict[str, Any]:
    return _told(isolation, planted, {"name": name})


def _planted_names() -> list[str]:
    text = (_HERE / "planted.py").read_text(encoding="utf-8")
    return [line.split('"')[1] for line in text.partition("\nPLANTED")[2].splitlines() if line.startswith('    "')]


def _told(isolation: Isolation, task: Callable[..., None], request: dict[str, Any]) -> dict[str, Any]:
    started = time.monotonic()
    ended = isolation.call(f"tests.gpu.run:{task.__name__}", request, _LIMITS)
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


def _faults(result: dict[str, Any]) -> list[str]:
    """Return what is not as it has to be: kernels equal their controls; planted pairs and a wrong reference differ."""
    faults = []
    for part in ("rules", "kernels"):
        for name, facts in result[part].items():
            if not (facts.get("comparison") or {}).get("equal") or not facts["comparison"]["written"]:
                faults.append(f"{part}: {name} does not equal its control")
    for name, facts in result["planted"].items():
        if (facts.get("comparison") or {}).get("equal") is not False:
            faults.append(f"planted: {name} was not seen")
    for name, right in _REFERENCES.items():
        if (result["references"][name].get("reference") or {}).get("equal") is not right:
            faults.append(f"references: {name} should be {'equal' if right else 'told apart'}")
    return faults


if __name__ == "__main__":
    sys.exit(main())
