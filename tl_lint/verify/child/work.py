"""The task of a child: build one version of one kernel, and tell how far it came."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from tl_lint.verify.model import SURE_SOURCES, Check, Level, Version

__all__ = ["agree", "perform", "run"]

Tell = Callable[[dict[str, Any]], None]

_FOREIGN = re.compile(r"\b(hip|rocm|metal|webgpu|llvm|c|cpu|ascend|npu)\b")


def perform(request: dict[str, Any], tell: Tell) -> None:
    """Build the kernel of `request` up to its level, compile at most, and tell facts on the way.

    Of the request: `file` and `text` (what the file is to hold), `kernel`, `attempts` ([arguments, source], tried in
    order until one traces), `version`, `level`, `architecture` ("sm_90"), `scratch` (a folder), `keep` (whether TIR and
    source are wanted); `tir` (JSON of a prim_func that was captured elsewhere) in place of the first four.

    Told: `stage` before each step, `attempt` before each attempt, `reached` with the name of the level after it,
    `checks`, and further facts named in docs/verify.md. What goes wrong is raised.
    """
    with _files_told(request, tell):
        _perform(request, tell)


def _perform(request: dict[str, Any], tell: Tell) -> None:
    from tl_lint.verify.child.lowering import pass_configs

    level = Level.named(request["level"])
    made, prim_func = _traced(request, tell)
    lowered = None
    if level >= Level.LOWER:
        lowered = _lowered(made, prim_func, request, tell)
    if level >= Level.COMPILE and lowered is not None:
        _compile(lowered.source, request, pass_configs(made, prim_func), tell)


def run(request: dict[str, Any], tell: Tell) -> None:
    """Run the fixed kernel and its control on the GPU; `settings` of the request are those of `running.run_step`.

    The rest of the request is as for `perform`.
    """
    with _files_told(request, tell):
        _run(request, tell)


def _run(request: dict[str, Any], tell: Tell) -> None:
    from tl_lint.verify.child import running, tir
    from tl_lint.verify.child.lowering import pass_configs

    made, prim_func = _traced(request, lambda told: None)
    tell({"stage": "run"})
    control = tir.without_widths(prim_func) if tir.requested_widths(prim_func) else None
    settings = {**request["settings"], "pass_configs": pass_configs(made, prim_func)}
    tell(running.run_step(prim_func, control, _target(request), settings))
    tell({"reached": "run"})


def agree(request: dict[str, Any], tell: Tell) -> None:
    """Tell `same`, whether the fixed prim_func is just the original's, and `oracle`, whether it is once ints are right.

    The latter is built while T.Parallel takes ints as its signature says. Of the request, beside that of `perform`:
    `original`, the text, or `original_tir`, JSON of the captured prim_func; `coerced`, whether the oracle is wanted;
    `coerced_tir`, JSON of the prim_func that was captured while its ints were coerced.
    """
    from tl_lint.verify.child import tir

    with _files_told(request, tell):
        prim_func = _traced(request, lambda told: None)[1]
        tell({"stage": "trace"})
        with contextlib.suppress(Exception):
            tell({"same": tir.same(_other(request, "original_tir", False), prim_func)[0]})
        if not request["coerced"]:
            return
        same, message = tir.same(_other(request, "coerced_tir", True), prim_func)
        tell({"oracle": {"equal": same, "message": message}})


def _other(request: dict[str, Any], captured: str, coerce: bool) -> Any:
    """Return the prim_func of the original, with its ints coerced or not."""
    import tilelang

    if request["tir"] is not None:
        return tilelang.tvm.ir.load_json(request[captured])
    return _instantiated(request, request["original"], coerce, lambda told: None)[1]


@contextlib.contextmanager
def _files_told(request: dict[str, Any], tell: Tell) -> Iterator[None]:
    """Tell in the end, whatever that is, which files of the project were imported; keep temporary files together."""
    from tl_lint.verify.child.project_files import project_files

    os.environ["TMPDIR"] = tempfile.tempdir = request["scratch"]
    try:
        yield
    finally:
        tell({"files": project_files()})


def _traced(request: dict[str, Any], tell: Tell) -> tuple[Any, Any]:
    """Return what the kernel's name stands for and its prim_func, without its widths if it is the control."""
    import tilelang

    from tl_lint.verify.child import checks, raw_annotations, tir
    from tl_lint.verify.child.lowering import pass_configs

    tell({"stage": "import", "tilelang": str(tilelang.__version__)})
    if request.get("tir") is not None:
        tell({"stage": "trace"})
        made, prim_func, places = None, tilelang.tvm.ir.load_json(request["tir"]), list[Any]()
    else:
        made, prim_func, places = _instantiated(request, request["text"], False, tell)
    if request["version"] == Version.CONTROL.value:
        prim_func = tir.without_widths(prim_func)
    annotations = tir.annotations(prim_func, places)
    tell({"annotations": annotations, "requested_widths": tir.requested_widths(prim_func)})
    if request.get("keep"):
        tell({"tir": prim_func.script()})
    tell({"reached": "trace"})
    tell(_looked_at(lambda: {"checks": _plain(checks.at_trace(prim_func, pass_configs(made, prim_func)))}))
    if request.get("level") == str(Level.TRACE):  # from the next level on the compiler's own answer counts
        tell({"checks": _plain(raw_annotations.check(annotations))})
    return made, prim_func


def _instantiated(request: dict[str, Any], text: str, coerce: bool, tell: Tell) -> tuple[Any, Any, list[Any]]:
    """Return what the kernel's name stands for, its prim_func and the places of its loops; try all attempts."""
    from tl_lint.verify.child import boundary, devices
    from tl_lint.verify.child.instantiate import BadArguments, NotAKernel, instantiate

    attempts = request["attempts"]
    with boundary.installed(coerce) as places, devices.described(request["architecture"]), _target(request):
        module = _loaded(request["file"], text, tell)
        made = _named(module, request["kernel"])
        for number, (arguments, source) in enumerate(attempts):
            tell({"stage": "trace", "attempt": number})
            try:
                return made, instantiate(module, request["kernel"], arguments), list(places)
            except Exception as error:
                tell({"unbuildable": isinstance(error, (BadArguments, NotAKernel))})
                # Arguments that were guessed may be wrong; those that somebody wrote down are the kernel's own.
                if source in SURE_SOURCES or number + 1 == len(attempts):
                    raise
    raise ValueError(f"no arguments to build {request['kernel']} with")


def _loaded(file: str, text: str, tell: Tell) -> Any:
    """Import the file; of what it raises, tell the line of the file that it came through last."""
    from tl_lint.verify.child.loading import load

    try:
        return load(file, text)
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
        tell({"failing_line": lines[-1] if lines else None})
        raise


def _named(module: Any, name: str) -> Any:
    made = module
    for part in name.split("."):
        made = getattr(made, part, None)
    return made


def _lowered(made: Any, prim_func: Any, request: dict[str, Any], tell: Tell) -> Any:
    from tl_lint.verify.child.lowering import lower, pass_configs

    tell({"stage": "lower"})
    foreign = getattr(made, "target", None)
    if isinstance(foreign, str) and _FOREIGN.match(foreign):
        tell({"not_reached": f"the kernel is written for the target {foreign}"})
        return None
    log_file = str(Path(request["scratch"]) / "compiler.log")
    target, configs = _target(request), pass_configs(made, prim_func)
    lowered = lower(prim_func, target, configs, log_file)
    if request.get("keep"):
        tell({"cuda": lowered.source})
    tell({"reached": "lower"})
    tell(_looked_at(lambda: _widths_and_checks(prim_func, lowered, lambda other: lower(other, target, configs))))
    return lowered


def _widths_and_checks(prim_func: Any, lowered: Any, lower: Callable[[Any], Any]) -> dict[str, Any]:
    from tl_lint.verify.child import checks

    effective = checks.effective_widths(prim_func, lowered.log, lower)
    return {"effective_widths": effective, "checks": _plain(checks.after_lowering(prim_func, lowered, effective))}


def _looked_at(look: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what `look` does; where that fails, the kernel is not to blame, and a check says so."""
    try:
        return look()
    except Exception as error:
        traceback.print_exc()
        message = f"tl-lint could not look at the kernel: {type(error).__name__}: {error}"
        return {"checks": _plain([Check("internal", "warns", message)])}


def _compile(source: str, request: dict[str, Any], configs: dict[str, Any], tell: Tell) -> None:
    from tl_lint.verify.child.compiling import NoCompiler, compile_cuda

    tell({"stage": "compile"})
    try:
        compiled = compile_cuda(source, request["architecture"], configs)
    except NoCompiler as error:
        tell({"not_reached": str(error)})
        raise
    tell({"reached": "compile", "compiler": compiled.compiler})


def _plain(checks: Iterable[Check]) -> list[dict[str, Any]]:
    return [dataclasses.asdict(check) for check in checks]


def _target(request: dict[str, Any]) -> Any:
    from tl_lint.verify.child.lowering import target_object

    return target_object("cuda", request["architecture"])
