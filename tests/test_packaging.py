"""However tl-lint is installed, it finds the same rules, and brings nothing that is not its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tl_lint import __version__
from tl_lint.registry import load_rules

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.long


@dataclass(frozen=True)
class Built:
    """The two archives that a release consists of."""

    wheel: Path
    sdist: Path


@dataclass(frozen=True)
class Environment:
    """A virtual environment that has tl-lint's dependencies, and tl-lint as far as it was installed."""

    python: Path
    pythonpath: Path | None = None

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run this environment's Python in its own folder, away from the checkout."""
        environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        if self.pythonpath is not None:
            environment["PYTHONPATH"] = str(self.pythonpath)
        command = [str(self.python), *arguments]
        folder = self.python.parent.parent
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def run_to_success(command: list[str]) -> None:
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build the source archive from the checkout, and the wheel from the source archive."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    run_to_success(command)
    [wheel] = folder.glob("*.whl")
    [sdist] = folder.glob("*.tar.gz")
    return Built(wheel, sdist)


@pytest.fixture
def new_environment(tmp_path: Path) -> Callable[[], Environment]:
    """Return a function that makes an environment whose dependencies are those of the running one."""

    def make() -> Environment:
        folder = tmp_path / "environment"
        run_to_success([sys.executable, "-m", "venv", "--without-pip", str(folder)])
        scripts = folder / ("Scripts" if os.name == "nt" else "bin")
        python = scripts / ("python.exe" if os.name == "nt" else "python")
        environment = Environment(python)
        site = Path(environment.run("-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip())
        # A path in a .pth file brings the packages there, but not what the .pth files there bring: no editable tl-lint.
        (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
        return environment

    return make


def install(environment: Environment, *what: str) -> Environment:
    """Install tl-lint alone, and return the environment."""
    pip = [sys.executable, "-m", "pip", "--python", str(environment.python), "install", "--quiet", "--no-deps"]
    # An older tl-lint is seen through dependencies.pth: it is left there, and this one goes in front of it.
    options = ["--disable-pip-version-check", "--no-build-isolation", "--ignore-installed"]
    run_to_success([*pip, *options, *what])
    return environment


def listed_rules(environment: Environment) -> list[dict[str, object]]:
    """Return what `tl-lint rules` says in an environment."""
    ran = environment.run("-m", "tl_lint", "rules", "--output-format", "json")
    assert ran.returncode == 0, ran.stderr
    rules = json.loads(ran.stdout)
    assert isinstance(rules, list)
    return rules


def imported_from(environment: Environment) -> Path:
    """Return the folder that tl_lint comes from in an environment."""
    ran = environment.run("-c", "import tl_lint; print(tl_lint.__file__)")
    assert ran.returncode == 0, ran.stderr
    return Path(ran.stdout.strip()).parent


def assert_finds_the_rules(environment: Environment) -> None:
    codes = [rule.code for rule in load_rules()]
    assert codes
    assert [rule["code"] for rule in listed_rules(environment)] == codes
    ran = environment.run("-m", "tl_lint", "explain", codes[0])
    page = next(ROOT.glob(f"rules/{codes[0].lower()}_*/README.md")).read_text(encoding="utf-8")
    assert ran.returncode == 0, ran.stderr
    assert page.strip().splitlines()[-1] in ran.stdout
    # A tl_lint of elsewhere must not have answered.
    expected = ROOT / "tl_lint" if environment.pythonpath == ROOT else environment.python.parent.parent
    assert imported_from(environment).is_relative_to(expected)


def assert_flake8_has_the_plugin(environment: Environment) -> None:
    ran = environment.run("-m", "flake8", "--version")
    assert ran.returncode == 0, ran.stderr
    assert f"tl-lint: {__version__}" in ran.stdout.replace("\n", " ")


def test_a_wheel_finds_the_rules(built: Built, new_environment: Callable[[], Environment]) -> None:
    environment = install(new_environment(), str(built.wheel))
    assert_finds_the_rules(environment)
    assert_flake8_has_the_plugin(environment)
    command = environment.python.parent / ("tl-lint.exe" if os.name == "nt" else "tl-lint")
    ran = subprocess.run([str(command), "rules"], cwd=command.parent, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_a_source_archive_finds_the_rules(built: Built, new_environment: Callable[[], Environment]) -> None:
    environment = install(new_environment(), str(built.sdist))
    assert_finds_the_rules(environment)
    assert_flake8_has_the_plugin(environment)


def test_an_editable_install_finds_the_rules(new_environment: Callable[[], Environment]) -> None:
    environment = install(new_environment(), "--editable", str(ROOT))
    assert imported_from(environment) == ROOT / "tl_lint"
    assert [rule["code"] for rule in listed_rules(environment)] == [rule.code for rule in load_rules()]
    assert_flake8_has_the_plugin(environment)
    leftovers = [path for path in environment.python.parent.parent.rglob("*/tl_lint*") if path.is_dir()]
    assert [path.suffix for path in leftovers] == [".dist-info"], "a second copy of the package"


def test_a_bare_checkout_finds_the_rules(new_environment: Callable[[], Environment]) -> None:
    assert_finds_the_rules(Environment(new_environment().python, pythonpath=ROOT))


def test_the_wheel_holds_the_package_and_nothing_else(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        names = set(archive.namelist())
    assert {name.partition("/")[0] for name in names} == {"tl_lint", f"tl_lint-{__version__}.dist-info"}
    package = {name for name in names if name.startswith("tl_lint/")}
    modules = {f"tl_lint/{path}" for path in files_under(ROOT / "tl_lint")} - {"tl_lint/rules.py"}
    rules = {f"tl_lint/rules/{path}" for path in files_under(ROOT / "rules")}
    assert package == modules | rules
    assert "tl_lint/py.typed" in package
    assert any(name.endswith("/rule.py") for name in rules)


def test_the_wheel_says_what_it_is(built: Built) -> None:
    information = f"tl_lint-{__version__}.dist-info"
    with zipfile.ZipFile(built.wheel) as archive:
        metadata = archive.read(f"{information}/METADATA").decode()
        entry_points = archive.read(f"{information}/entry_points.txt").decode()
        assert archive.read(f"{information}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    assert f"\nName: tl-lint\nVersion: {__version__}\n" in metadata
    assert "\nLicense-Expression: Apache-2.0\n" in metadata
    assert "\nRequires-Python: >=3.10\n" in metadata
    assert "tl-lint = tl_lint.cli:main" in entry_points
    assert "TLC = tl_lint.flake8:Plugin" in entry_points


def test_the_source_archive_is_complete(built: Built) -> None:
    top = f"tl_lint-{__version__}/"
    with tarfile.open(built.sdist) as archive:
        names = {member.name.removeprefix(top) for member in archive.getmembers() if member.isfile()}
    for folder in ("rules", "tests", "tl_lint", "tools"):
        assert {f"{folder}/{path}" for path in files_under(ROOT / folder)} <= names
    needed = {"README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "constraints.txt", "pyproject.toml", ".ci/run"}
    assert needed <= names
    assert not {name for name in names if name.startswith((".venv", "build/", "dist/"))}


def files_under(folder: Path) -> set[str]:
    """Return the files of a folder, bytecode left out, as paths relative to it with forward slashes."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {
        path.as_posix()
        for path in found
        if not any(part == "__pycache__" or part.startswith(".") for part in path.parts)
    }
