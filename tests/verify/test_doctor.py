"""The doctor finds what is wrong with environments that really are broken, and measures in those that are not."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from tests.front import environment
from tests.tilelang_environment import cache_folder, interpreter
from tl_lint.output.doctor_json import as_json
from tl_lint.output.doctor_text import as_text
from tl_lint.releases import KNOWN
from tl_lint.verify.ailments import problems
from tl_lint.verify.doctor import Report, RuleReport
from tl_lint.verify.model import Level
from tl_lint.verify.requests import Machine
from tl_lint.verify.surroundings import OWN_REQUIREMENTS, Import, Surroundings, Unmet
from tl_lint.verify.tvm_ffi import WORKING

ROOT = Path(__file__).resolve().parent.parent.parent
KERNELS = str(ROOT / "rules" / "tlc001_coalesced_width_not_intimm" / "good.py")
OF_THE_MACHINE = {"no-compiler", "torch-without-cuda", "gpu-not-seen"}
"""Problems that a sound environment may have, by where it is."""


# real environments

_COPIED = ("tilelang", "tvm_ffi", "z3")
"""Packages whose libraries look for others beside themselves: a link would lead them back to where they come from."""


class Clone:
    """An environment with packages of that of the newest release."""

    def __init__(self, folder: Path) -> None:
        original = interpreter(str(KNOWN[-1]))
        subprocess.run([str(original), "-m", "venv", "--without-pip", str(folder)], check=True)
        self.python = folder / "bin" / "python"
        self.packages = _packages(self.python)
        self._source = _packages(original)
        self.put()

    def put(self, *wanted: str) -> None:
        """Put packages in, those of the original; all of them where none is named."""
        for entry in sorted(self._source.iterdir()):
            if wanted and _package(entry) not in wanted:
                continue
            if entry.name in _COPIED or entry.suffix == ".dist-info":
                shutil.copytree(entry, self.packages / entry.name, copy_function=_linked, dirs_exist_ok=True)
            else:
                (self.packages / entry.name).symlink_to(entry)

    def remove(self, *unwanted: str) -> None:
        """Take packages out, and what says that they are installed."""
        for entry in list(self.packages.iterdir()):
            if _package(entry) in unwanted:
                if entry.is_symlink() or not entry.is_dir():
                    entry.unlink()
                else:
                    shutil.rmtree(entry)

    def install(self, *distributions: str) -> None:
        """Put distributions in, by themselves; what was downloaded once is kept."""
        version = f"py{sys.version_info.major}.{sys.version_info.minor}"
        for distribution in distributions:
            folder = cache_folder() / "distributions" / version / distribution
            if not folder.exists():
                partial = folder.with_name(f"{folder.name}.{os.getpid()}")
                pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(partial)]
                subprocess.run([*pip, distribution], check=True, stdout=sys.stderr)
                partial.rename(folder)
            for entry in folder.iterdir():
                if entry.name != "bin":  # no other may be there: it could be a link to the original's
                    shutil.copytree(entry, self.packages / entry.name)


def _package(entry: Path) -> str:
    return re.split(r"-\d", entry.name)[0]


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)


def _packages(python: Path) -> Path:
    command = "import sysconfig; print(sysconfig.get_path('platlib'))"
    return Path(subprocess.check_output([str(python), "-c", command], text=True).strip())


def tl_lint(python: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(python), "-m", "tl_lint", *arguments],
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def doctor(python: Path, **variables: str) -> tuple[int, dict[str, Any]]:
    ran = tl_lint(python, "doctor", "--output-format", "json", **variables)
    assert ran.stderr == ""
    return ran.returncode, json.loads(ran.stdout)


def found(report: dict[str, Any], name: str) -> list[str]:
    return [problem["message"] for problem in report["problems"] if problem["name"] == name]


def remedies(report: dict[str, Any], name: str) -> list[str]:
    return [problem["remedy"] for problem in report["problems"] if problem["name"] == name]


@pytest.mark.long
def test_in_a_sound_environment_every_rule_is_measured_and_holds() -> None:
    code, report = doctor(interpreter("0.1.13"))
    assert {problem["name"] for problem in report["problems"]} <= OF_THE_MACHINE
    assert code == any(problem["serious"] for problem in report["problems"])
    assert [(rule["declared"], rule["measured"]) for rule in report["rules"]] == [(True, True)] * 3
    assert all(rule["kernels"] >= 3 for rule in report["rules"])
    assert report["versions"]["tilelang"] == report["machine"]["tilelang"] == "0.1.13"
    assert report["machine"]["highest"] in ("lower", "compile", "run")


@pytest.mark.long
def test_a_release_that_no_rule_knows_beside_another_tvm_without_a_compiler(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "env")
    clone.install("apache-tvm==0.25.0")
    newest = str(KNOWN[-1])
    [metadata] = clone.packages.glob("tilelang-*.dist-info/METADATA")
    text = metadata.read_text(encoding="utf-8")
    metadata.unlink()  # it is a link to the original's
    metadata.write_text(text.replace(f"\nVersion: {newest}\n", "\nVersion: 0.1.99\n", 1), encoding="utf-8")
    empty = tmp_path / "empty"
    empty.mkdir()
    code, report = doctor(clone.python, CUDA_HOME=str(empty), PATH=f"{clone.python.parent}:{empty}")
    assert code == 1
    assert found(report, "unknown-release") == [f"no rule was measured on TileLang 0.1.99; known are 0.1.8 to {newest}"]
    assert found(report, "no-compiler")[0].startswith("no nvcc")
    assert report["machine"]["highest"] == "lower"
    assert "undefined symbol" in found(report, "another-tvm")[0]
    assert all(rule["measured"] for rule in report["rules"]), "it is measured all the same"


@pytest.mark.long
def test_what_an_environment_may_lack(tmp_path: Path) -> None:
    """One environment loses one thing after the other; nothing can be measured in it, which keeps this quick."""
    clone = Clone(tmp_path / "env")

    clone.remove("z3", "z3_solver", "flake8", "libcst")
    clone.install("flake8==5.0.4", "libcst==1.8.6")
    code, report = doctor(clone.python)
    assert code == 1
    assert "libz3.so" in found(report, "tilelang-fails")[0]
    assert found(report, "no-libz3")[0].endswith("/z3/lib, and it is not there")
    unmet = found(report, "requirement")
    assert any(line.endswith(" requires z3-solver<4.15.5,>=4.13.0, which is not installed") for line in unmet)
    assert "tl-lint requires flake8<8,>=6, and 5.0.4 is installed" in unmet
    assert "tl-lint requires libcst<2,>=1.9, and 1.8.6 is installed" in unmet
    assert [rule["measured"] for rule in report["rules"]] == [None] * 3

    clone.put("z3", "z3_solver")
    clone.remove("tvm_ffi", "apache_tvm_ffi")
    clone.install("apache-tvm-ffi==0.1.8.post2")
    code, report = doctor(clone.python)
    assert code == 1
    assert "tvm_ffi" in found(report, "tilelang-fails")[0]
    assert "pip install apache-tvm-ffi==0.1.12" in remedies(report, "tilelang-fails")[0]
    assert any(
        "requires apache-tvm-ffi<0.1.13,>=0.1.11, and 0.1.8.post2" in line for line in found(report, "requirement")
    )

    clone.remove("psutil")
    code, report = doctor(clone.python)
    assert code == 1
    assert found(report, "no-psutil")[0].startswith("psutil is not installed in this environment")
    assert remedies(report, "no-psutil") == ["pip install psutil"]
    assert not found(report, "torch-fails") and not found(report, "tilelang-fails"), "neither was tried"
    said = tl_lint(clone.python, "verify", KERNELS)
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr.startswith("tl-lint: error: psutil is not installed") and said.stderr.count("\n") == 1

    clone.remove("tilelang", "torch")
    ran = tl_lint(clone.python, "doctor")
    assert (ran.returncode, ran.stderr) == (1, "")
    assert "problem: TileLang is not installed\n    pip install 'tl-lint[verify]'\n" in ran.stdout
    assert "torch      not installed\n" in ran.stdout
    assert ran.stdout.count("not measured") == 3
    for psutil in (False, True):
        if psutil:
            clone.put("psutil")
        said = tl_lint(clone.python, "verify", KERNELS)
        assert (said.returncode, said.stdout) == (2, "")
        assert said.stderr.startswith("tl-lint: error: TileLang is not installed") and "'verify'" in said.stderr
        assert said.stderr.count("\n") == 1


# what is said


def around(**changes: Any) -> Surroundings:
    facts: dict[str, Any] = {
        "python": "3.11.7",
        "executable": "/usr/bin/python3",
        "versions": {"tilelang": "0.1.15", "torch": "2.13.0", "apache-tvm-ffi": "0.1.12"},
        "torch": Import(facts={"version": "2.13.0", "cuda": "13.0", "hip": None}),
        "tilelang": Import(facts={"version": "0.1.15", "cache": str(Path.home() / "cache")}),
        "cache": "/var/cache/tl-lint",
    }
    return Surroundings(**{**facts, **changes})


MACHINE = Machine("0.1.15", "sm_90", compiler="nvcc 13.0", gpu="NVIDIA H200", gpus=1)
BLIND = Machine("0.1.15", "sm_90", compiler="nvcc 13.0", limits={Level.RUN: "torch sees no CUDA GPU"})
CPU_TORCH = Import(facts={"version": "2.13.0+cpu", "cuda": None, "hip": None})


def names(around: Surroundings, machine: Machine | None) -> list[tuple[str, bool]]:
    return [(problem.name, problem.serious) for problem in problems(around, machine)]


def test_what_is_wrong_depends_on_what_the_machine_could_do() -> None:
    assert names(around(gpus=("NVIDIA H200",)), MACHINE) == []
    assert names(around(), BLIND) == []
    assert names(around(gpus=("NVIDIA H200",)), BLIND) == [("gpu-not-seen", True)]
    assert names(around(torch=CPU_TORCH), BLIND) == [("torch-without-cuda", False)]
    assert names(around(torch=CPU_TORCH, gpus=("NVIDIA H200",)), BLIND) == [("torch-without-cuda", True)]
    assert names(around(torch=Import("OSError: libcudart")), None) == [("torch-fails", True)]


def test_where_no_task_can_be_run_nothing_else_is_said_of_imports() -> None:
    here = around(torch=None, tilelang=None, unsupervised="psutil is not installed")
    assert names(here, None) == [("no-psutil", True)]
    assert "TileLang   0.1.15\n" in (text := as_text(Report(here, None, (), ()))) and "torch      2.13.0\n" in text


def test_the_remedy_names_the_tvm_ffi_that_works() -> None:
    versions = {"tilelang": "0.1.9", "apache-tvm-ffi": "0.1.12"}
    [problem] = problems(around(versions=versions, tilelang=Import("AttributeError: no")), None)
    assert problem.message == "importing TileLang fails: AttributeError: no"
    assert problem.remedy.endswith("pip install apache-tvm-ffi==0.1.8.post2")
    assert set(WORKING) == {str(release) for release in KNOWN}


def test_a_tvm_that_does_no_harm_is_a_note() -> None:
    versions = {"tilelang": "0.1.15", "torch": "2.13.0", "apache-tvm": "0.30.0"}
    assert names(around(versions=versions, after_tvm=Import()), MACHINE) == [("another-tvm", False)]
    assert names(around(after_tvm=Import("OSError: undefined symbol")), MACHINE) == [("another-tvm", True)]


def test_the_text_is_for_people_and_the_json_has_it_all() -> None:
    here = around(unmet=(Unmet("tl-lint", "flake8<8,>=6", None),), gpus=("NVIDIA H200",))
    rules = (
        RuleReport("TLC001", "first", ">=0.1.8", True, True, 4),
        RuleReport("TLC002", "second", ">=0.1.16", False, False, 3, ("TLC002 bad.py::x lowers",)),
    )
    report = Report(here, MACHINE, rules, tuple(problems(here, MACHINE)))
    assert as_text(report) == (
        "TileLang   0.1.15\n"
        "Python     3.11.7, /usr/bin/python3\n"
        "torch      2.13.0, CUDA 13.0\n"
        "with       apache-tvm-ffi 0.1.12\n"
        "GPU        NVIDIA H200\n"
        "compiler   nvcc 13.0\n"
        "verify     up to level run, for sm_90\n"
        f"cache      /var/cache/tl-lint, TileLang's ~{os.sep}cache\n"
        "\n"
        "Rules:\n"
        "  TLC001  holds here (4 kernels); holds for this release (>=0.1.8)  first\n"
        "  TLC002  does not hold here (3 kernels); does not concern this release (>=0.1.16)  second\n"
        "\n"
        "Found:\n"
        "  problem: tl-lint requires flake8<8,>=6, which is not installed\n"
        "    pip install 'flake8<8,>=6'\n"
        "\n"
        "Something is wrong here, see above.\n"
    )
    data = json.loads(as_json(report))
    assert data["machine"]["highest"] == "run"
    assert data["rules"][1]["contradictions"] == ["TLC002 bad.py::x lowers"]
    assert data["unmet"] == [{"owner": "tl-lint", "requirement": "flake8<8,>=6", "installed": None}]
    assert as_text(Report(around(), MACHINE, rules, ())).endswith("\nNothing is wrong here.\n")


def test_the_requirements_are_those_of_the_package() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = re.search(r"^dependencies = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    assert listed is not None
    declared = re.findall(r'^    (["\'])(.*)\1,$', listed[1], re.MULTILINE)
    assert [Requirement(text) for _, text in declared] == [Requirement(text) for text in OWN_REQUIREMENTS]
