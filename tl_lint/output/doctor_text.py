"""What the doctor found, for people."""

from __future__ import annotations

from pathlib import Path

from tl_lint.verify.doctor import Report, RuleReport
from tl_lint.verify.model import Level
from tl_lint.verify.requests import Machine
from tl_lint.verify.surroundings import Surroundings

__all__ = ["as_text"]


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
    if "torch" not in around.versions:
        return "not installed"
    if around.torch is None or around.torch.error:
        return around.versions["torch"]
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
