"""Driver mode: runs the user's own command and gets the kernels that it builds, without being told how to build them.

The command runs as it is, in its folder, under its own interpreter; PYTHONPATH names a folder whose sitecustomize has
every Python process of it watched (child/driver.py), those that pytest, torchrun or multiprocessing start included.
Where there is no GPU, tensors and kernels are stood in for (child/fake_tensors.py, stand_ins.py).
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tl_lint.verify.isolation import Ended, Isolation, Limits
from tl_lint.verify.lines import last_line
from tl_lint.verify.outcomes import signal_name

__all__ = ["Captured", "Drive", "captured", "command_line", "paired"]

_HOOK = Path(__file__).parent / "child" / "hook"


@dataclass(frozen=True)
class Captured:
    """A PrimFunc that reached TileLang's compiler, or a jit factory that failed before it had one.

    `path` (absolute), `name` (dotted) and `line` (from 1, decorators included) are those of the factory, or of the
    prim_func's function where no jit decorator made it. `arguments` is as in a call, tensors shown as "float16[64,
    64]"; "" if not known. `tir` is JSON as of `tvm.ir.save_json`, with the pass configurations as the attribute
    `tilelang_pass_configs`; None if `error` ("Type: message") came instead. `index` counts from 0 what has the same
    path, name and arguments.
    """

    path: str
    name: str
    line: int
    arguments: str
    tir: str | None
    error: str = ""
    index: int = 0

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What the same kernel has in a run with other sources."""
        return self.path, self.name, self.arguments, self.index


@dataclass(frozen=True)
class Drive:
    """What came of running a command.

    `outcome` says how it ended: "ends" (exit status 0), "exits 1", "crashes SIGSEGV", "timeout", "out of memory", "does
    not start". That it fails says nothing about what it built before. `message` says in one line why there are no
    kernels, "" if there are. `log` is the last 64 KiB of what it printed. `stood_in` is whether it had no GPU.
    `left_out` counts, by path and name, the kernels beyond the most that are captured of one name.
    """

    kernels: tuple[Captured, ...]
    outcome: str
    message: str
    log: str
    stood_in: bool
    seconds: float
    left_out: Mapping[tuple[str, str], int] = field(default_factory=dict)


def captured(
    command: str,
    files: Mapping[str, str],
    limits: Limits,
    isolation: Isolation,
    *,
    coerce: bool = False,
    architecture: str = "sm_90",
    stand_in: bool | None = None,
    folder: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Drive:
    """Run `command` in `folder` (default: the current one) and return what it had TileLang compile.

    `files` holds texts by absolute path, to be read in place of those files. `coerce` has T.Parallel make its ints
    IntImm. `stand_in` is whether a GPU is stood in for, one of `architecture`; None: if there is none, or the command
    dies with the real one. `environment` is set beside this process's own. Raises ValueError for an empty command.
    """
    asked = {"replaced": dict(files), "coerce": coerce, "stand_in": stand_in, "architecture": architecture}
    where = folder or str(Path.cwd())
    argv, variables = command_line(command, Path(where))
    given = {**os.environ, **(environment or {}), **variables}
    drive = _run(argv, asked, given, where, limits, isolation)
    if stand_in is None and not drive.stood_in and drive.outcome.startswith(("crashes", "timeout", "out of memory")):
        # A kernel that kills the process, or its GPU, hides those after it.
        again = _run(argv, {**asked, "stand_in": True}, given, where, limits, isolation)
        return again if len(again.kernels) > len(drive.kernels) else drive
    return drive


def command_line(command: str, folder: Path) -> tuple[list[str], dict[str, str]]:
    """Return a command's words and the environment variables set before it (`A=1 python x.py`); no shell reads it.

    `python`, `python3` and `python3.N` without a path mean the interpreter that runs tl-lint, whose TileLang builds the
    kernels; it runs `pytest` too, and a script of `folder` that is not executable. Everything else is run as it is.
    Raises ValueError if there is no command or a quote is not closed.
    """
    words = shlex.split(command, posix=os.name != "nt")
    variables = {}
    while words and (setting := re.fullmatch(r"([A-Za-z_]\w*)=(.*)", words[0], re.DOTALL)):
        variables[setting[1]] = setting[2]
        words.pop(0)
    if not words:
        raise ValueError("the driver command is empty")
    first = words[0]
    if re.fullmatch(r"python(3(\.\d+)?)?(\.exe)?", first):
        words[:1] = [sys.executable]
    elif first in ("pytest", "py.test"):
        words[:1] = [sys.executable, "-m", "pytest"]
    elif first.endswith(".py") and not os.access(folder / first, os.X_OK):
        words[:1] = [sys.executable, first]
    elif shutil.which(first) is None and (folder / first).exists():
        words[0] = str(folder / first)
    return words, variables


def paired(original: Sequence[Captured], other: Sequence[Captured]) -> list[tuple[Captured, Captured | None]]:
    """Return each kernel of a first run with the same one of a run with other sources, None where it is missing.

    Where a fix changes an argument, the kernels of one name are told apart by their order, if there are as many.
    """
    by_key = {kernel.key: kernel for kernel in other}
    first, second = _by_name(original), _by_name(other)
    pairs = []
    for kernel in original:
        own, others = first[kernel.path, kernel.name], second.get((kernel.path, kernel.name), [])
        in_order = others[own.index(kernel)] if len(own) == len(others) else None
        pairs.append((kernel, by_key.get(kernel.key, in_order)))
    return pairs


def _by_name(kernels: Sequence[Captured]) -> dict[tuple[str, str], list[Captured]]:
    found: dict[tuple[str, str], list[Captured]] = {}
    for kernel in kernels:
        found.setdefault((kernel.path, kernel.name), []).append(kernel)
    return found


def _run(
    argv: list[str],
    asked: Mapping[str, object],
    environment: Mapping[str, str],
    folder: str,
    limits: Limits,
    isolation: Isolation,
) -> Drive:
    # A process that outlives the command may still write there; a socket's name, short at most, may stand there.
    with tempfile.TemporaryDirectory(prefix="tl-lint-", ignore_cleanup_errors=True) as scratch:
        spool = Path(scratch) / "spool"
        spool.mkdir()
        (Path(scratch) / "tmp").mkdir()
        settings = Path(scratch) / "settings.json"
        settings.write_text(json.dumps({**asked, "spool": str(spool)}), encoding="utf-8")
        request = {"argv": argv, "folder": folder, "environment": _environment(environment, settings, scratch)}
        ended = isolation.call("tl_lint.verify.child.driver:execute", request, limits)
        kernels = _read(spool)
        left_out = _left_out(spool)
        seen = {path.name.partition("-")[0] for path in spool.iterdir() if not path.suffix}
    outcome = _outcome(ended)
    message = "" if any(kernel.tir for kernel in kernels) else _why_nothing(outcome, ended, seen, kernels)
    return Drive(tuple(kernels), outcome, message, ended.log, "standing" in seen, ended.seconds, left_out)


def _environment(environment: Mapping[str, str], settings: Path, scratch: str) -> dict[str, str]:
    """Return the command's environment: with the hook first, and all that is written on the way in `scratch`."""
    temporary = str(Path(scratch) / "tmp")
    before = environment.get("PYTHONPATH")
    options = f"{environment.get('PYTEST_ADDOPTS', '')} -p no:cacheprovider --assert=plain".strip()
    return {
        **environment,
        "TL_LINT_DRIVER": str(settings),
        "PYTHONPATH": os.pathsep.join([str(_HOOK), before] if before else [str(_HOOK)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        # pytest rewrites asserts of files that it reads itself, past what replaces them.
        "PYTEST_ADDOPTS": options,
        "TILELANG_DISABLE_CACHE": "1",
        "TILELANG_AUTO_TUNING_DISABLE_CACHE": "1",
        "TILELANG_CACHE_DIR": str(Path(scratch) / "cache"),
        "TILELANG_TMP_DIR": temporary,
        "TORCHINDUCTOR_CACHE_DIR": str(Path(scratch) / "cache" / "inductor"),
        "TRITON_CACHE_DIR": str(Path(scratch) / "cache" / "triton"),
        "TMPDIR": temporary,
        "TEMP": temporary,
        "TMP": temporary,
    }


def _read(spool: Path) -> list[Captured]:
    """Return what was captured, in the order in which it was."""
    count: dict[tuple[str, str, str, int], int] = {}
    found = []
    for file in sorted(spool.glob("*.json")):
        kernel = Captured(**json.loads(file.read_text(encoding="utf-8")))
        index = count[kernel.key] = count.get(kernel.key, -1) + 1
        found.append(replace(kernel, index=index))
    return found


def _left_out(spool: Path) -> dict[tuple[str, str], int]:
    """Return how many kernels of a path and name were not captured, over all processes of the command."""
    count: Counter[tuple[str, str]] = Counter()
    for file in sorted(spool.glob("left-*[0-9]")):
        for path, name, number in json.loads(file.read_text(encoding="utf-8")):
            count[path, name] += number
    return dict(count)


def _outcome(ended: Ended) -> str:
    if ended.timed_out:
        return "timeout"
    if ended.out_of_memory:
        return "out of memory"
    if ended.error:
        return "does not start"
    if ended.signal:
        return f"crashes {signal_name(ended.signal)}"
    status = next((told["exit_status"] for told in ended.told if "exit_status" in told), ended.exit_status or 0)
    if status < 0:
        return f"crashes {signal_name(-status)}"
    return f"exits {status}" if status else "ends"


def _why_nothing(outcome: str, ended: Ended, seen: set[str], kernels: Sequence[Captured]) -> str:
    if outcome == "does not start":
        return f"the driver command cannot be started: {ended.error}"
    last = last_line(ended.log)
    how = f"; it {outcome}{': ' if last else ''}{last}" if outcome != "ends" else ""
    if outcome in ("timeout", "out of memory"):
        how = f"; it was ended: {outcome}"
    if "python" not in seen:
        return f"the driver command ran no Python that takes PYTHONPATH{how}"
    if "tilelang" not in seen:
        return f"the driver command did not import TileLang{how}"
    if kernels:
        return f"no kernel of the driver command could be traced; the last: {kernels[-1].error.splitlines()[-1]}"
    return f"the driver command compiled no kernel{how}"
