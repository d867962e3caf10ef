"""Looks at an environment: what it has, what is wrong with it, and which rules hold here, measured."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from tl_lint.registry import load_rules
from tl_lint.releases import ReleaseError, Target
from tl_lint.rule import Rule
from tl_lint.verify.ailments import Problem, problems
from tl_lint.verify.examples import Example, of_rule
from tl_lint.verify.isolation import Isolation
from tl_lint.verify.machine import VerifyError, examined
from tl_lint.verify.measuring import contradictions, measure
from tl_lint.verify.requests import Machine
from tl_lint.verify.surroundings import Surroundings, look_around

__all__ = ["Report", "RuleReport", "examine"]

_SAMPLE = {"bad.py": 2, "fixed.py": 1, "good.py": 1}
"""How many kernels of each file are measured: the first ones, which are the plain cases."""


@dataclass(frozen=True)
class RuleReport:
    """A rule here: whether it says of itself that it holds for the installed release, and whether it was seen to.

    `measured` is None where nothing could be; `kernels` is how many were; `contradictions` are what was seen and is not
    what the rule says, a line each.
    """

    code: str
    name: str
    releases: str
    declared: bool | None
    measured: bool | None = None
    kernels: int = 0
    contradictions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """Everything that the doctor says. `machine` is None where TileLang could not be asked."""

    around: Surroundings
    machine: Machine | None
    rules: tuple[RuleReport, ...]
    problems: tuple[Problem, ...]

    @property
    def healthy(self) -> bool:
        """Whether nothing serious was found."""
        return not any(problem.serious for problem in self.problems)


def examine() -> Report:
    """Look at the environment of the running Python, and measure each rule in it on a few of its own kernels.

    Raises tl_lint.registry.RegistryError if a rule cannot be loaded, RuntimeError if measuring itself fails.
    """
    around = look_around()
    machine, rules = None, tuple(_declared(rule, around.versions.get("tilelang")) for rule in load_rules())
    found: list[Problem] = []
    if around.tilelang is not None and not around.tilelang.error:
        with Isolation() as isolation:
            try:
                machine = examined(isolation, None, None)
            except VerifyError as error:
                found.append(Problem("tilelang-fails", str(error)))
            else:
                rules = tuple(_measured(rule, around.versions["tilelang"], isolation) for rule in load_rules())
    found += problems(around, machine)
    found += [Problem("rule-contradicted", line, _REPORT) for rule in rules for line in rule.contradictions]
    return Report(around, machine, rules, tuple(found))


_REPORT = "this is a mistake of tl-lint's: please report it"


def _declared(rule: Rule, release: str | None) -> RuleReport:
    holds = None
    if release is not None:
        with contextlib.suppress(ReleaseError):  # such as a version that PEP 440 does not know
            holds = Target.parse(release).holds(rule.releases)
    return RuleReport(rule.code, rule.name, rule.releases, holds)


def _measured(rule: Rule, release: str, isolation: Isolation) -> RuleReport:
    examples = _sample(of_rule(rule))
    found = measure(examples, release, isolation)
    bad = [found[example.key].fails for example in examples if example.file.name == "bad.py"]
    report = _declared(rule, release)
    against = contradictions(rule, release, examples, found) if report.declared else []
    if bad and all(bad) and report.declared is False:
        against.append(f"{rule.code} holds in {release}, which is none of its {rule.releases}")
    holds = all(bad) if bad else None
    return dataclasses.replace(report, measured=holds, kernels=len(examples), contradictions=tuple(against))


def _sample(examples: Sequence[Example]) -> list[Example]:
    chosen = []
    for file, count in _SAMPLE.items():
        chosen += [example for example in examples if example.file.name == file][:count]
    return chosen
