"""prove(request, isolation): one kernel, each of its versions in children of its own, and what they come to."""

from __future__ import annotations

import dataclasses
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tl_lint.verify.isolation import Isolation, Limits
from tl_lint.verify.model import SURE_SOURCES, Attempt, Level, Outcome, Row, Version
from tl_lint.verify.outcomes import NOT_INSTANTIATED, NOT_REACHED, PASSES, last_line, outcome_of
from tl_lint.verify.pool import Gpus
from tl_lint.verify.requests import KernelRequest
from tl_lint.verify.suspicions import settled
from tl_lint.verify.verdicts import judged

__all__ = ["prove"]

_PERFORM = "tl_lint.verify.child.work:perform"
_RUN = "tl_lint.verify.child.work:run"
_ROW_FACTS = ("oracle", "comparison", "reference", "timing", "gpu", "compiler", "files")
BOUNDARY_CODES = frozenset({"TLC001", "TLC002"})
"""Rules whose fixes do no more than T.Parallel itself could: make an int an IntImm."""


def prove(request: KernelRequest, isolation: Isolation, gpus: Gpus | None = None) -> Row:
    """Return the row of one kernel. Its last level runs on one of `gpus`, by itself; None: on the one that it sees."""
    start = time.monotonic()
    prover = _Prover(request, isolation, gpus or Gpus(()))
    original, fixed, control, attempt = prover.versions()
    verdict = judged(request, original, fixed, control)
    best = fixed or original
    assert best is not None
    facts = {key: best.facts[key] for key in _ROW_FACTS if key in best.facts}
    if request.suspicions and original is not None:
        facts["findings"] = settled(request.suspicions, original.facts.get("annotations"))
    return Row(
        path=request.path,
        kernel=request.kernel,
        verdict=verdict.verdict,
        args=attempt.arguments,
        args_source=attempt.source,
        tilelang=request.machine.tilelang,
        target=f"cuda:{request.machine.architecture}",
        level=best.level,
        original=original,
        fixed=fixed,
        control=control,
        requested_width=_one(best.facts.get("requested_widths")),
        effective_width=_one(best.facts.get("effective_widths")),
        message=verdict.message,
        checks=best.checks,
        seconds=time.monotonic() - start,
        line=request.line,
        facts=facts,
    )


def _one(widths: Sequence[int | None] | None) -> int | list[int | None] | None:
    """Return a width, or all of them where they differ."""
    different = list(dict.fromkeys(widths or ()))
    return None if not different else different[0] if len(different) == 1 else different


class _Prover:
    """Builds the versions of one kernel."""

    def __init__(self, request: KernelRequest, isolation: Isolation, gpus: Gpus) -> None:
        self._request = request
        self._isolation = isolation
        self._gpus = gpus
        self._limits = Limits(request.seconds, request.memory)

    def versions(self) -> tuple[Outcome | None, Outcome | None, Outcome | None, Attempt]:
        """Return original, fixed and control, and the arguments that they were built with."""
        attempts = self._request.attempts or (Attempt("", "defaults"),)
        if not self._request.has_fix:
            original, attempt = self._first_that_builds(Version.ORIGINAL, attempts)
            return self._on_gpu(original, attempt), None, None, attempt
        fixed, attempt = self._first_that_builds(Version.FIXED, attempts)
        if fixed.outcome == NOT_INSTANTIATED:
            return None, fixed, None, attempt
        # The arguments have proved right: what the original does with them is its own doing.
        original = self._built(Version.ORIGINAL, (attempt,))[0]
        control = self._built(Version.CONTROL, (attempt,))[0] if fixed.facts.get("requested_widths") else None
        return original, self._on_gpu(fixed, attempt), control, attempt

    def _first_that_builds(self, version: Version, attempts: Sequence[Attempt]) -> tuple[Outcome, Attempt]:
        """Return the outcome with the first arguments that build it; where guesses don't, go on to the next ones."""
        tried: list[tuple[Outcome, Attempt]] = []
        left = list(attempts)
        while left:
            outcome, number = self._built(version, left)
            attempt = left[number]
            if outcome.facts.get("stage") == "import":
                return self._import_failed(outcome), attempt
            traced = outcome.level >= Level.TRACE
            settled_now = outcome.passes or outcome.outcome == NOT_REACHED or attempt.source in SURE_SOURCES
            if settled_now or (traced and attempt.source != "guess"):
                return outcome, attempt
            tried.append((outcome, attempt))
            left = left[number + 1 :]
        for outcome, attempt in tried:
            if outcome.level >= Level.TRACE:
                return outcome, attempt
        outcome, attempt = tried[0]
        return _not_instantiated(outcome), attempt

    def _import_failed(self, outcome: Outcome) -> Outcome:
        """A file that cannot be imported says nothing of its kernels, but for one that is traced meanwhile."""
        line = outcome.facts.get("failing_line")
        if line is not None and self._request.line <= line <= self._request.end_line and outcome.outcome == "fails":
            return outcome
        return _not_instantiated(outcome)

    def _built(self, version: Version, attempts: Sequence[Attempt]) -> tuple[Outcome, int]:
        """Return the outcome of one child, and the number of the attempt that it ended with."""
        error = self._request.error if version is Version.ORIGINAL else self._request.fixed_error
        if error:  # it was raised where a driver would have built it
            return Outcome(Level.NONE, "fails", last_line(error), error), 0
        with tempfile.TemporaryDirectory(prefix="tl-lint-") as scratch:
            level = min(self._request.level, Level.COMPILE, self._request.machine.highest)
            request = {
                **self._common(version, attempts),
                "level": str(level),
                "scratch": scratch,
                **(self._coerced() if version is Version.FIXED else {}),
                "keep": self._request.keep,
            }
            ended = self._isolation.call(_PERFORM, request, self._limits)
            outcome = outcome_of(ended, level, Path(scratch))
        return outcome, int(outcome.facts.get("attempt", 0))

    def _common(self, version: Version, attempts: Sequence[Attempt]) -> dict[str, Any]:
        fixed = version is not Version.ORIGINAL
        request = self._request
        return {
            "file": request.path,
            "text": request.fixed if fixed and request.fixed is not None else request.original,
            "tir": request.fixed_tir if fixed and request.fixed_tir is not None else request.tir,
            "kernel": request.kernel,
            "attempts": [[attempt.arguments, attempt.source] for attempt in attempts],
            "version": version.value,
            "architecture": request.machine.architecture,
        }

    def _coerced(self) -> dict[str, Any]:
        """Return what the fixed kernel has to equal, where its fixes do no more than T.Parallel itself could."""
        request = self._request
        if not set(request.codes) <= BOUNDARY_CODES:
            return {}
        driven = request.fixed_tir is not None
        return {"coerced_tir": request.coerced_tir} if driven else {"coerced": request.original}

    def _on_gpu(self, outcome: Outcome, attempt: Attempt) -> Outcome:
        """Take a version that came through on to the GPU, if that was asked for and there is one."""
        request = self._request
        if not outcome.passes or min(request.level, request.machine.highest) < Level.RUN:
            return outcome
        version = Version.FIXED if request.has_fix else Version.ORIGINAL
        task = {
            **self._common(version, (attempt,)),
            "settings": {"seed": request.seed, "reference": request.reference},
        }
        with self._gpus.one() as environment:
            ran = outcome_of(self._isolation.call(_RUN, task, self._limits, environment), Level.RUN)
        facts = {**outcome.facts, **ran.facts}
        if ran.outcome == PASSES:
            return dataclasses.replace(outcome, level=Level.RUN, facts=facts, checks=outcome.checks + ran.checks)
        log = outcome.log + ran.log
        return dataclasses.replace(outcome, outcome=ran.outcome, message=ran.message, facts=facts, log=log)


def _not_instantiated(outcome: Outcome) -> Outcome:
    message = outcome.message if outcome.outcome == "fails" else f"{outcome.outcome}: {outcome.message}"
    if outcome.facts.get("stage") == "import":
        message = f"the file cannot be imported: {message}"
    return dataclasses.replace(outcome, outcome=NOT_INSTANTIATED, message=message)
