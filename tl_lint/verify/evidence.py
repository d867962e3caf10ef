"""Writes down what the installed TileLang does with the example kernels of every rule.

    python -m tl_lint.verify.evidence [--check] [--jobs N] [CODE ...]

brings the column of the installed release in each rule's evidence.json up to date, or says with --check whether it is.
Exit 0: it is, and nothing contradicts the rules; 1: it is not, or something does; 2: it could not work.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from packaging.version import Version

from tl_lint.registry import load_rules
from tl_lint.releases import installed_release
from tl_lint.rule import Rule
from tl_lint.verify.examples import Example, folder_of, of_rule
from tl_lint.verify.isolation import Isolation
from tl_lint.verify.measuring import Measured, contradictions, measure

__all__ = ["Column", "Evidence", "digest", "evidence_of", "main"]


@dataclass(frozen=True)
class Column:
    """What one release did: `kernels` by their keys, measured under `python` ("3.11").

    `examples` is the digest of the kernels that were measured; another one than today's means that they have changed.
    """

    python: str
    examples: str
    kernels: dict[str, Measured]


@dataclass(frozen=True)
class Evidence:
    """The contents of a rule's evidence.json: its columns by release."""

    rule: str
    releases: dict[str, Column] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path, rule: str) -> Evidence:
        """Return what `file` holds, or evidence without columns if it does not exist.

        Raises ValueError if it holds something else.
        """
        if not file.exists():
            return cls(rule)
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            return cls(data["rule"], {release: _column(column) for release, column in data["releases"].items()})
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{file} is no evidence: {error}") from None

    def text(self) -> str:
        """Return the contents of the file: sorted, one kernel a line, so that a difference is a line."""
        columns = ",\n".join(map(self._column_text, sorted(self.releases, key=Version)))
        return f'{{\n"rule": {json.dumps(self.rule)},\n"releases": {{\n{columns}\n}}\n}}\n'

    def _column_text(self, release: str) -> str:
        column = self.releases[release]
        head = f'{json.dumps(release)}: {{"python": {json.dumps(column.python)}, "examples": "{column.examples}"'
        kernels = ",\n".join(
            f"{json.dumps(key)}: {json.dumps(column.kernels[key].json)}" for key in sorted(column.kernels)
        )
        return f'{head}, "kernels": {{\n{kernels}\n}}}}'


def evidence_of(rule: Rule) -> Evidence:
    """Return the evidence in the folder of a rule; raises ValueError if the file there is broken."""
    return Evidence.read(_file(rule), rule.code)


def digest(examples: Iterable[Example]) -> str:
    """Return a digest of the code of `examples`, the same in every Python; comments and blank lines don't count."""
    lines = (line for example in examples for line in (example.key, *example.text.splitlines()))
    code = [line for line in (re.sub(r"\s*(#.*)?$", "", line) for line in lines) if line]
    return hashlib.sha256("\n".join(code).encode()).hexdigest()[:16]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and write or check; see the module."""
    parser = argparse.ArgumentParser(
        prog="python -m tl_lint.verify.evidence", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("codes", nargs="*", metavar="CODE", help="rules to measure; all if none is given")
    parser.add_argument("--check", action="store_true", help="write nothing; say whether the evidence is up to date")
    parser.add_argument("--jobs", type=int, metavar="N", help="kernels at a time (default: the number of processors)")
    options = parser.parse_args(arguments)
    release = installed_release()
    if release is None:
        return _failed("TileLang is not installed in this environment")
    rules = [rule for rule in load_rules() if not options.codes or rule.code in options.codes]
    if len(rules) < len(set(options.codes)):
        return _failed(f"no such rule among {', '.join(options.codes)}")
    wrong = False
    with Isolation() as isolation:
        for rule in rules:
            try:
                wrong |= _one_rule(rule, str(release), isolation, options)
            except (OSError, RuntimeError, ValueError) as error:
                return _failed(str(error))
    return int(wrong)


def _one_rule(rule: Rule, release: str, isolation: Isolation, options: argparse.Namespace) -> bool:
    """Measure one rule, write or check its file, say what was found; return whether something is wrong."""
    before = evidence_of(rule)
    examples = of_rule(rule)
    kernels = measure(examples, release, isolation, jobs=options.jobs)
    against = contradictions(rule, release, examples, kernels)
    changed = _difference(before.releases.get(release), kernels)
    column = Column(".".join(platform.python_version_tuple()[:2]), digest(examples), kernels)
    # Another Python alone is no news.
    same = not changed and before.releases[release].examples == column.examples
    if not same and not options.check:
        text = Evidence(rule.code, {**before.releases, release: column}).text()
        _file(rule).write_text(text, encoding="utf-8", newline="\n")
    print(f"{rule.code} on TileLang {release}: {_summary(kernels)}; {'up to date' if same else 'new or changed'}")
    for line in [*(f"changed: {key}" for key in changed if before.releases.get(release)), *against]:
        print(f"  {line}")
    sys.stdout.flush()
    return bool(against) or (options.check and not same)


def _difference(column: Column | None, kernels: Mapping[str, Measured]) -> list[str]:
    before = column.kernels if column is not None else {}
    return sorted(key for key in {*before, *kernels} if before.get(key) != kernels.get(key))


def _summary(kernels: Mapping[str, Measured]) -> str:
    lowered = sum(not result.fails for result in kernels.values())
    refused = sum(result.refused for result in kernels.values())
    failed = len(kernels) - lowered - refused
    return f"{lowered} kernels lower, {failed} fail, {refused} are refused before"


def _column(data: Mapping[str, Any]) -> Column:
    kernels = {key: Measured.of_json(result) for key, result in data["kernels"].items()}
    return Column(data["python"], data["examples"], kernels)


def _file(rule: Rule) -> Path:
    return folder_of(rule) / "evidence.json"


def _failed(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
