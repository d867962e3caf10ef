"""`tl-lint doctor`: what this environment has, what is wrong with it, and which rules hold here, measured."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tl_lint.registry import RegistryError, load_rules
from tl_lint.releases import ReleaseError, Target
from tl_lint.rule import Rule
from tl_lint.verify.ailments import Problem, problems
from tl_lint.verify.examples import Example, of_rule
from tl_lint.verify.isolation import Isolation
from tl_lint.verify.machine import VerifyError, examined
from tl_lint.verify.measuring import contradictions, measure
from tl_lint.verify.model import Level
from tl_lint.verify.requests import Machine
from tl_lint.verify.surroundings import Surroundings, look_around

__all__ = ["Report", "RuleReport", "as_json", "as_text", "examine", "main", "run"]

_SAMPLE = {"bad.py": 2, "fixed.py": 1, "good.py": 1}
"""How many kernels of each file are measured: the first ones, which are the plain cases."""

_OK, _PROBLEMS, _FAILED = 0, 1, 2


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


def run(arguments: argparse.Namespace) -> int:
    """Print the report as `arguments.output_format` says ("text" or "json"), and return the exit code.

    0: nothing serious was found; 1: something was; 2: it could not work, and standard error says why.
    """
    try:
        report = examine()
    except (RegistryError, RuntimeError) as error:  # the latter is tl-lint's own failure in a child
        print(f"error: {error}", file=sys.stderr)
        return _FAILED
    sys.stdout.write(as_json(report) if arguments.output_format == "json" else as_text(report))
    return _OK if report.healthy else _PROBLEMS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the doctor with a command line of its own."""
    parser = argparse.ArgumentParser(prog="python -m tl_lint.verify.doctor", description=__doc__)
    parser.add_argument("--output-format", choices=("text", "json"), default="text")
    return run(parser.parse_args(arguments))


def as_json(report: Report) -> str:
    """Return the report as one JSON object, on lines."""
    around, machine = report.around, report.machine
    data: dict[str, Any] = {
        **dataclasses.asdict(around),
        "machine": None if machine is None else _machine_json(machine),
        "rules": [dataclasses.asdict(rule) for rule in report.rules],
        "problems": [dataclasses.asdict(problem) for problem in report.problems],
    }
    return json.dumps(data, indent=2) + "\n"


def _machine_json(machine: Machine) -> dict[str, Any]:
    limits = {str(level): reason for level, reason in machine.limits.items()}
    return {**dataclasses.asdict(machine), "limits": limits, "highest": str(machine.highest)}


def as_text(report: Report) -> str:
    """Return the report for people."""
    lines = [f"{label:<10} {value}" for label, value in _facts(report.around, report.machine)]
    lines += ["", "Rules:", *(f"  {rule.code}  {_said(rule)}" for rule in report.rules)]
    if report.problems:
        lines += ["", "Found:"]
    for problem in report.problems:
        lines.append(f"  {'problem' if problem.serious else 'note'}: {problem.message}")
        if problem.remedy:
            lines.append(f"    {problem.remedy}")
    lines += ["", "Nothing is wrong here." if report.healthy else "Something is wrong here, see above."]
    return "\n".join(lines) + "\n"


def _facts(around: Surroundings, machine: Machine | None) -> list[tuple[str, str]]:
    versions = [f"{name} {version}" for name, version in around.versions.items() if name not in ("tilelang", "torch")]
    facts = [
        ("TileLang", around.versions.get("tilelang", "not installed")),
        ("Python", f"{around.python}, {around.executable}"),
        ("torch", _torch(around)),
        ("with", ", ".join(versions)),
        ("GPU", ", ".join(around.gpus) or "none that nvidia-smi lists"),
    ]
    if machine is not None:
        facts.append(("compiler", machine.compiler or machine.limits.get(Level.COMPILE, "none")))
        facts.append(("verify", f"up to level {machine.highest}, for {machine.architecture}"))
    theirs = around.tilelang.facts.get("cache") if around.tilelang is not None else None
    caches = [_short(around.cache)] if around.cache else []
    caches += [f"TileLang's {_short(theirs)}"] if theirs else []
    facts.append(("cache", ", ".join(caches) or "none"))
    return facts


def _torch(around: Surroundings) -> str:
    if around.torch is None:
        return "not installed"
    cuda = around.torch.facts.get("cuda")
    return f"{around.versions['torch']}, {f'CUDA {cuda}' if cuda else 'without CUDA'}"


def _short(path: str) -> str:
    home = str(Path.home())
    return f"~{path[len(home) :]}" if path.startswith(home) else path


def _said(rule: RuleReport) -> str:
    declared = {None: "", True: " holds for this release", False: " does not concern this release"}[rule.declared]
    seen = {None: "not measured", True: "holds here", False: "does not hold here"}[rule.measured]
    of = f" ({rule.kernels} kernels)" if rule.kernels else ""
    return f"{seen}{of};{declared or ' declared'} ({rule.releases})  {rule.name}"


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


if __name__ == "__main__":
    sys.exit(main())
