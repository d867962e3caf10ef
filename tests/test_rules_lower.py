"""The example kernels of every rule, lowered for CUDA sm_90 by the real compiler: bad fails, good and fixed lower."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.front import ROOT, environment
from tests.tilelang_environment import interpreter
from tl_lint.registry import load_rules
from tl_lint.rule import Rule
from tl_lint.verify.evidence import evidence_of
from tl_lint.verify.examples import Example, examples, folder_of, of_rule

RULES = load_rules()
NEWEST, OLDER = "0.1.15", "0.1.13"

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
each_release = pytest.mark.parametrize("release", [OLDER, NEWEST])


@pytest.mark.long
@each_release
def test_all_kernels_do_what_the_evidence_and_the_rules_say(release: str) -> None:
    """The rest of this module asks the evidence; here it is the compiler's answer of today."""
    command = [str(interpreter(release)), "-m", "tl_lint.verify.evidence", "--check"]
    ran = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=600, check=False)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    said = re.findall(r"^(\w+) on TileLang (\S+): .*; up to date$", ran.stdout, re.MULTILINE)
    assert said == [(rule.code, release) for rule in RULES]


@each_release
@each_rule
def test_bad_fails_and_good_lowers_with_the_width_asked_for(rule: Rule, release: str) -> None:
    kernels = evidence_of(rule).releases[release].kernels
    for example in of_rule(rule):
        result = kernels[example.key]
        if example.file.name == "bad.py":
            assert result.fails, example.key
        elif example.file.name == "good.py" and not _is_too_new(example, rule, release):
            assert not result.fails, (example.key, result)


@each_release
@each_rule
def test_what_a_fix_changed_lowers_and_the_rest_fails_again(rule: Rule, release: str) -> None:
    kernels = evidence_of(rule).releases[release].kernels
    bad = {example.code for example in _of(rule, "bad.py")}
    for example in _of(rule, "fixed.py"):
        result = kernels[example.key]
        if example.code in bad:
            assert result.fails, f"{example.key} lowers and was not fixed"
        elif not _is_too_new(example, rule, release):
            assert not result.fails, (example.key, result)


@each_release
@pytest.mark.parametrize(
    "rule", [rule for rule in RULES if rule.code in ("TLC001", "TLC002")], ids=lambda rule: rule.code
)
def test_a_width_that_is_no_int_imm_aborts_with_the_words_of_the_page(rule: Rule, release: str) -> None:
    for example in _of(rule, "bad.py"):
        if not _is_too_new(example, rule, release):
            result = evidence_of(rule).releases[release].kernels[example.key]
            assert (result.outcome, result.level) == ("fails", "trace"), example.key
            assert result.message == "InternalError: coalesced_width should be an IntImmNode."


@pytest.mark.parametrize("name", ["zero", "copy_of_zero", "asynchronous_copy", "copy_to_a_cluster"])
def test_zero_killed_the_process_and_aborts_today(name: str) -> None:
    [rule] = [rule for rule in RULES if rule.code == "TLC003"]
    releases = evidence_of(rule).releases
    assert releases[OLDER].kernels[f"bad.py::{name}"].outcome == "crashes SIGFPE"
    assert (
        "coalesced_width must be a positive integer, but got 0" in releases[NEWEST].kernels[f"bad.py::{name}"].message
    )


@each_rule
def test_every_rule_has_kernels_and_as_many_near_misses(rule: Rule) -> None:
    bad, good = _of(rule, "bad.py"), _of(rule, "good.py")
    assert 0 < len(bad) <= len(good)
    if (folder_of(rule) / "fixed.py").exists():
        assert [example.call for example in _of(rule, "fixed.py")] == [example.call for example in bad]


def _of(rule: Rule, name: str) -> list[Example]:
    file = folder_of(rule) / name
    return examples(file) if file.exists() else []


def _is_too_new(example: Example, rule: Rule, release: str) -> bool:
    """Whether a release before the newest refuses, while it traces, what a kernel needs: a loop over a tuple."""
    result = evidence_of(rule).releases[release].kernels[example.key]
    return release != NEWEST and result.refused and "Invalid for loop" in result.message
