"""prove(request, isolation): one kernel, each of its versions in children of its own, and what they come to."""

from __future__ import annotations

import dataclasses
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tl_lint.verify.isolation import Isolation, Limits
from tl_lint.verify.lines import last_line
from tl_lint.verify.model import SURE_SOURCES, Attempt, Level, Outcome, Row, Version
from tl_lint.verify.outcomes import NOT_INSTANTIATED, NOT_REACHED, PASSES, outcome_of
from tl_lint.verify.pool import Gpus
from tl_lint.verify.requests import KernelRequest
from tl_lint.verify.suspicions import settled
from tl_lint.verify.verdicts import judged

__all__ = ["prove"]

_PERFORM = "tl_lint.verify.child.work:perform"
_RUN = "tl_lint.verify.child.work:run"
_AGREE = "tl_lint.verify.child.work:agree"
_ROW_FACTS = ("oracle", "comparison", "control", "reference", "timing", "no_timing", "not_run", "gpu", "compiler")
_DEPEND_ON_ARGUMENTS = ("no store", "parameter dropped")
_BOUNDARY_CODES = frozenset({"TLC001", "TLC002"})
"""Rules whose fixes do no more than T.Parallel itself could: make an int an IntImm."""


def prove(request: KernelRequest, isolation: Isolation, gpus: Gpus | None = None) -> Row:
    """Return the row of one kernel. All its children see one of `gpus`; None: those that this process sees."""
    start = time.monotonic()
    with (gpus or Gpus(())).one() as environment:
        prover = _Prover(request, isolation, environment)
        original, fixed, control, attempt = prover.versions()
    verdict = judged(request, original, fixed, control)
    best = fixed or original
    assert best is not None
    facts = {key: best.facts[key] for key in _ROW_FACTS if key in best.facts} | {"files": prover.files}
    if request.suspicions and original is not None:
        sure = attempt.source != "guess"
        facts["findings"] = settled(request.suspicions, original.facts.get("annotations") if sure else None)
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
        message=verdict.message or str(facts.get("not_run", "")),
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
    """Builds the versions of one kernel; `files` are those of the project that its children imported."""

    def __init__(self, request: KernelRequest, isolation: Isolation, environment: Mapping[str, str]) -> None:
        self._request = request
        self._isolation = isolation
        self._environment = environment
        self._limits = Limits(request.seconds, request.memory)
        self.files: list[str] = []

    def versions(self) -> tuple[Outcome | None, Outcome | None, Outcome | None, Attempt]:
        """Return original, fixed and control, and the arguments that they were built with."""
        attempts = self._request.attempts or (Attempt("", "defaults"),)
        if not self._request.has_fix:
            original, attempt = self._first_that_builds(Version.ORIGINAL, attempts)
            return self._on_gpu(Version.ORIGINAL, original, attempt), None, None, attempt
        fixed, attempt = self._first_that_builds(Version.FIXED, attempts)
        if fixed.outcome == NOT_INSTANTIATED:  # the same holds of the original
            return fixed, None, None, attempt
        # The arguments have proved right: what the original does with them is its own doing.
        original = self._built(Version.ORIGINAL, (attempt,))[0]
        if original.facts.get("stage") == "import" and not original.passes:
            original = self._import_failed(original)
        original = self._on_gpu(Version.ORIGINAL, original, attempt)
        control = self._built(Version.CONTROL, (attempt,))[0] if fixed.facts.get("requested_widths") else None
        fixed = self._on_gpu(Version.FIXED, self._with_oracle(fixed, attempt), attempt)
        if control is not None and control.passes and _ran_with_control(fixed):
            control = dataclasses.replace(control, level=Level.RUN)
        return original, fixed, control, attempt

    def _first_that_builds(self, version: Version, attempts: Sequence[Attempt]) -> tuple[Outcome, Attempt]:
        """Return the outcome with the first arguments that build it; where guesses don't, go on to the next ones."""
        tried: list[tuple[Outcome, Attempt]] = []
        left = list(attempts)
        while left:
            outcome, number = self._built(version, left)
            attempt = left[number]
            if outcome.facts.get("stage") == "import":
                return self._import_failed(outcome), attempt
            if outcome.facts.get("unbuildable") and outcome.level is Level.NONE and number + 1 == len(left):
                return _not_instantiated(outcome), attempt
            traced = outcome.level >= Level.TRACE
            settled_now = outcome.passes or outcome.outcome == NOT_REACHED or attempt.source in SURE_SOURCES
            if settled_now or (traced and attempt.source != "guess"):
                return outcome, attempt
            tried.append((outcome, attempt))
            left = left[number + 1 :]
        for outcome, attempt in tried:
            if outcome.level >= Level.TRACE and not self._may_be_the_guess(outcome):
                return outcome, attempt
        outcome, attempt = tried[0]
        return _not_instantiated(outcome), attempt

    def _may_be_the_guess(self, outcome: Outcome) -> bool:
        """Whether a kernel that a rule doubts fails for a value that was guessed: the doubt is about that value."""
        raw = any(item["raw"] for item in outcome.facts.get("annotations") or ())
        return bool(self._request.suspicions) and raw

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
        level = min(self._request.level, Level.COMPILE, self._request.machine.highest)
        task = self._task(version, attempts) | {"level": str(level), "keep": self._request.keep}
        outcome = self._ask(_PERFORM, task, level)
        number = int(outcome.facts.get("attempt", 0))
        return (self._softened(outcome) if attempts[number].source == "guess" else outcome), number

    def _ask(self, name: str, task: dict[str, Any], level: Level) -> Outcome:
        """Return the outcome of one child that is to reach `level`; what it writes to its scratch folder goes."""
        with tempfile.TemporaryDirectory(prefix="tl-lint-", ignore_cleanup_errors=True) as scratch:
            ended = self._isolation.call(name, task | {"scratch": scratch}, self._limits, self._environment)
            outcome = outcome_of(ended, level, Path(scratch))
        self.files = sorted({*self.files, *outcome.facts.pop("files", ())})
        return outcome

    def _softened(self, outcome: Outcome) -> Outcome:
        """With guessed arguments a loop may run zero times, and a value that a rule only doubts may be the guess."""
        names = _DEPEND_ON_ARGUMENTS + (("raw annotation",) if self._request.suspicions else ())
        checks = [
            dataclasses.replace(check, verdict="warns", message=f"{check.message} (with guessed arguments)")
            if check.name in names and check.verdict == "fails"
            else check
            for check in outcome.checks
        ]
        return dataclasses.replace(outcome, checks=tuple(checks))

    def _task(self, version: Version, attempts: Sequence[Attempt]) -> dict[str, Any]:
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

    def _with_oracle(self, fixed: Outcome, attempt: Attempt) -> Outcome:
        """Compare the fixed TIR with the original's: as it is, and coerced where the fixes do no more than that."""
        request = self._request
        if fixed.level < Level.TRACE:
            return fixed
        coerced = set(request.codes) <= _BOUNDARY_CODES and (request.tir is None or request.coerced_tir is not None)
        originals = {"original": request.original, "original_tir": request.tir, "coerced_tir": request.coerced_tir}
        task = self._task(Version.FIXED, (attempt,)) | originals | {"coerced": coerced}
        said = self._ask(_AGREE, task, Level.NONE)
        facts = fixed.facts | {"same": said.facts.get("same", False)}
        if coerced and not facts["same"]:
            unknown = {"equal": None, "message": f"{said.outcome}: {said.message}"}
            facts["oracle"] = said.facts.get("oracle", unknown)
        return dataclasses.replace(fixed, facts=facts)

    def _on_gpu(self, version: Version, outcome: Outcome, attempt: Attempt) -> Outcome:
        """Take a version that came through on to the GPU, if that was asked for and there is one."""
        request = self._request
        if not outcome.passes or min(request.level, request.machine.highest) < Level.RUN:
            return outcome
        settings = {"seed": request.seed, "reference": request.reference}
        if version is Version.ORIGINAL and request.has_fix:
            settings |= {"reference": None, "timing": False}
        ran = self._ask(_RUN, self._task(version, (attempt,)) | {"settings": settings}, Level.RUN)
        facts = outcome.facts | ran.facts
        if ran.outcome == NOT_REACHED and not request.wanted:
            # As far as the machine allows: what was reached before stands.
            facts["not_run"] = f"not run: {ran.message}"
            return dataclasses.replace(outcome, facts=facts)
        if ran.outcome == PASSES:
            return dataclasses.replace(outcome, level=Level.RUN, facts=facts, checks=outcome.checks + ran.checks)
        log = outcome.log + ran.log
        return dataclasses.replace(outcome, outcome=ran.outcome, message=ran.message, facts=facts, log=log)


def _ran_with_control(outcome: Outcome) -> bool:
    return outcome.level is Level.RUN and (outcome.facts.get("comparison") or {}).get("against") == "control"


def _not_instantiated(outcome: Outcome) -> Outcome:
    said = (outcome.message if outcome.outcome == "fails" else outcome.outcome, outcome.message)
    message = ": ".join(dict.fromkeys(part for part in said if part))
    if outcome.level >= Level.TRACE:
        message = f"with guessed arguments it fails, which may be their doing: {message}"
    if outcome.facts.get("stage") == "import":
        message = f"the file cannot be imported: {message}"
    return dataclasses.replace(outcome, outcome=NOT_INSTANTIATED, message=message)
