"""Every case with an exact answer, through the command line and through flake8, in every encoding that a file can have.

A line of tests/cases/*/NAME.py that ends in `# expect: CODE ...` has these findings, a line without a marker has none;
NAME.fixed.py is what all safe fixes make of it, byte for byte, and where it is missing they change nothing.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.front import environment

CASES = Path(__file__).parent / "cases"
NAMES = sorted(
    path.relative_to(CASES).as_posix() for path in CASES.rglob("*.py") if not path.name.endswith(".fixed.py")
)
Place = tuple[int, int, str]


def _tabs(text: str) -> str:
    return re.sub(r"^(?: {4})+", lambda indent: "\t" * (len(indent[0]) // 4), text, flags=re.MULTILINE)


VARIANTS: dict[str, Callable[[str], bytes]] = {
    "as_it_is": str.encode,
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "tabs_no_last_newline": lambda text: _tabs(text).removesuffix("\n").encode(),
    "bom_form_feeds": lambda text: text.replace("\n\n\n", "\n\n\x0c\n").encode("utf-8-sig"),
    "latin_1": lambda text: f"# -*- coding: latin-1 -*- für alle\n{text}".encode("latin-1"),
    "everything": lambda text: _tabs(text).removesuffix("\n").replace("\n", "\r\n").encode("utf-8-sig"),
}
"""How the bytes of a file are made from a case; each one leaves the findings on their lines, or shifts them all."""


@dataclass(frozen=True)
class Outcome:
    """What one run over all files came to: findings by file, and bytes by file afterwards."""

    findings: dict[str, list[Place]]
    data: dict[str, bytes]
    status: int


def _tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.py")}


def _run(folder: Path, *command: str) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, env=environment(), capture_output=True, check=False, timeout=600
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done


def _check(folder: Path, *options: str) -> Outcome:
    options = ("--isolated", "--tilelang-version", "all", "--output-format", "json", "-q", *options)
    done = _run(folder, "tl_lint", "check", *options, ".")
    found: dict[str, list[Place]] = {}
    for each in json.loads(done.stdout):
        name = Path(each["filename"]).relative_to(folder).as_posix()
        place = (each["location"]["row"], each["location"]["column"], each["code"])
        found.setdefault(name, []).append(place)
    return Outcome(found, _tree(folder), done.returncode)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds every case in every encoding."""
    folder = tmp_path_factory.mktemp("cases").resolve()
    for variant, encode in VARIANTS.items():
        for name in NAMES:
            path = folder / variant / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(encode((CASES / name).read_text(encoding="utf-8")))
    return folder


@pytest.fixture(scope="session")
def checked(folder: Path) -> Outcome:
    """What the command line finds, before anything is fixed."""
    return _check(folder)


@pytest.fixture(scope="session")
def by_flake8(folder: Path, checked: Outcome) -> dict[str, list[Place]]:
    """What flake8 finds, before anything is fixed."""
    assert checked.data == _tree(folder)
    done = _run(folder, "flake8", "--isolated", "--select", "TLC", "--format", "%(path)s|%(row)d|%(col)d|%(code)s", ".")
    found: dict[str, list[Place]] = {}
    for line in done.stdout.decode().splitlines():
        path, row, column, code = line.split("|")
        found.setdefault(Path(path).as_posix(), []).append((int(row), int(column), code))
    return found


@pytest.fixture(scope="session")
def fixed(folder: Path, by_flake8: dict[str, list[Place]]) -> tuple[Outcome, Outcome]:
    """What `--fix` leaves after the first run, and after a second one."""
    assert by_flake8
    return _check(folder, "--fix"), _check(folder, "--fix")


def _expected(name: str, text: str | None = None) -> list[tuple[int, str]]:
    """Return line and code of every marker."""
    found: list[tuple[int, str]] = []
    text = (CASES / name).read_text(encoding="utf-8") if text is None else text
    for number, line in enumerate(text.split("\n"), 1):
        _, marker, codes = line.partition("# expect:")
        found += [(number, code) for code in sorted(codes.split())] if marker else []
    return found


def _shift(variant: str) -> int:
    return int(variant == "latin_1")


def _lines(places: list[Place], variant: str) -> list[tuple[int, str]]:
    return sorted((row - _shift(variant), code) for row, _, code in places)


def test_there_are_cases() -> None:
    assert len(NAMES) > 15
    assert any(_expected(name) for name in NAMES)
    assert any(not _expected(name) for name in NAMES)


def test_every_fixed_file_has_its_case() -> None:
    fixed_files = {path.relative_to(CASES).as_posix() for path in CASES.rglob("*.fixed.py")}
    assert {name.replace(".fixed.py", ".py") for name in fixed_files} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_encoding_changes_the_bytes_of_a_case(name: str) -> None:
    text = (CASES / name).read_text(encoding="utf-8")
    made = {encode(text) for encode in VARIANTS.values()}
    assert len(made) == len(VARIANTS)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", NAMES)
def test_the_command_line_finds_what_is_marked(checked: Outcome, variant: str, name: str) -> None:
    assert _lines(checked.findings.get(f"{variant}/{name}", []), variant) == _expected(name)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", NAMES)
def test_flake8_finds_the_same_in_the_same_places(
    checked: Outcome, by_flake8: dict[str, list[Place]], variant: str, name: str
) -> None:
    ours, theirs = checked.findings.get(f"{variant}/{name}", []), by_flake8.get(f"{variant}/{name}", [])
    assert sorted(theirs) == sorted(ours)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", NAMES)
def test_fixing_writes_the_fixed_file(fixed: tuple[Outcome, Outcome], variant: str, name: str) -> None:
    answer = CASES / f"{name.removesuffix('.py')}.fixed.py"
    text = (answer if answer.exists() else CASES / name).read_text(encoding="utf-8")
    assert fixed[0].data[f"{variant}/{name}"] == VARIANTS[variant](text)


def test_fixing_twice_changes_nothing_the_second_time(fixed: tuple[Outcome, Outcome]) -> None:
    first, second = fixed
    assert second.data == first.data
    assert second.findings == first.findings


def test_what_cannot_be_fixed_is_still_reported(checked: Outcome, fixed: tuple[Outcome, Outcome]) -> None:
    assert checked.status == fixed[0].status == fixed[1].status == 1
    for name, places in fixed[0].findings.items():
        assert {code for _, _, code in places} <= {code for _, _, code in checked.findings[name]}
        assert len(places) <= len(checked.findings[name])
