"""Files that end other tools: a TLC000 or the true findings, by both commands, the other files done, no byte lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.front import environment

KERNEL = "import tilelang.language as T\nfor i in T.Parallel(256, coalesced_width=4):\n    pass\n"
FINDING = {"TLC001"}
REFUSED = {"TLC000"}
EITHER = FINDING | REFUSED

FILES: dict[str, tuple[bytes, set[str]]] = {
    "syntax_error": (f"{KERNEL}def f(:\n".encode(), REFUSED),
    "undecodable": (KERNEL.encode() + b"# \xff\xfe\n", REFUSED),
    "nul_byte": (KERNEL.encode() + b"\0\n", REFUSED),
    "nonsense_cookie": (b"# -*- coding: nonsense -*-\n" + KERNEL.encode(), REFUSED),
    "no_text_cookie": (b"# -*- coding: hex -*-\n" + KERNEL.encode(), REFUSED),
    "parentheses_300": (f"{KERNEL}x = {'(' * 300}1{')' * 300}\n".encode(), REFUSED),
    "brackets_150": (f"{KERNEL}x = {'[' * 150}{']' * 150}\n".encode(), FINDING),
    "brackets_3000": (f"{KERNEL}x = {'[' * 3000}{']' * 3000}\n".encode(), REFUSED),
    "sum_of_3000": (f"{KERNEL}x = {' + '.join(['a'] * 3000)}\n".encode(), EITHER),
    "width_of_3000_terms": (KERNEL.replace("=4", f"={' + '.join(['1'] * 3000)}").encode(), EITHER | {"TLC002"}),
    "attributes_6000": (f"{KERNEL}x = a{'.b' * 6000}\n".encode(), EITHER),
    "subscripts_6000": (f"{KERNEL}x = a{'[0]' * 6000}\n".encode(), EITHER),
    "and_of_9000": (f"{KERNEL}x = {' and '.join(['a'] * 9000)}\n".encode(), EITHER),
    "strings_9000": ((KERNEL + "x = " + " ".join(["'a'"] * 9000) + "\n").encode(), EITHER),
    "not_of_3000": (f"{KERNEL}x = {'not ' * 3000}a\n".encode(), EITHER),
    "elif_3000": (f"{KERNEL}if a: pass\n{'elif b: pass' + chr(10)}".encode() + b"elif b: pass\n" * 2999, EITHER),
    "empty": (b"", set()),
    "without_tilelang": (b"def f(:\n\0\xff", set()),
    "sound": (KERNEL.encode(), FINDING),
}
NOT_FOR_FLAKE8 = {
    "no_text_cookie", "sum_of_3000", "width_of_3000_terms", "attributes_6000", "subscripts_6000", "and_of_9000",
    "not_of_3000", "elif_3000",
}  # fmt: skip
"""Files on which flake8 dies without us: its reading refuses the codec, pyflakes recurses."""
BY_FLAKE8 = {"syntax_error", "nul_byte", "parentheses_300", "brackets_3000"}
"""Files of which flake8 says itself, with E999 or E902, that they can't be parsed; a plugin is not asked then."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile").resolve()
    for name, (data, _) in FILES.items():
        (folder / f"{name}.py").write_bytes(data)
    (folder / "folder.py").mkdir()
    (folder / "dangling.py").symlink_to("nowhere")
    return folder


def _run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder, env=environment(), capture_output=True, check=False, text=True, timeout=300,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert done.returncode >= 0, f"died of signal {-done.returncode}"
    return done


@pytest.fixture(scope="module")
def found(folder: Path) -> tuple[int, dict[str, list[str]]]:
    done = _run(folder, "tl_lint", "check", "--isolated", "--output-format", "json", ".")
    by_file: dict[str, list[str]] = {}
    for each in json.loads(done.stdout):
        by_file.setdefault(Path(each["filename"]).stem, []).append(each["code"])
    return done.returncode, by_file


@pytest.mark.parametrize("name", FILES)
def test_the_command_line_answers_for_each_file(found: tuple[int, dict[str, list[str]]], name: str) -> None:
    _, by_file = found
    expected = FILES[name][1]
    codes = by_file.get(name, [])
    assert len(codes) == (1 if expected else 0)
    assert set(codes) <= expected


def test_a_dangling_link_is_one_finding_a_folder_none_and_the_exit_status_tells(
    found: tuple[int, dict[str, list[str]]],
) -> None:
    status, by_file = found
    assert by_file["dangling"] == ["TLC000"]
    assert "folder" not in by_file
    assert status == 2


def test_fixing_leaves_every_byte_of_what_is_refused(folder: Path, found: tuple[int, dict[str, list[str]]]) -> None:
    done = _run(folder, "tl_lint", "check", "--isolated", "--fix", "-q", ".")
    assert done.returncode == 2
    for name, (data, _) in FILES.items():
        now = (folder / f"{name}.py").read_bytes()
        if found[1].get(name) == ["TLC001"]:
            assert now == data.replace(b"coalesced_width=4", b'coalesced_width=T.IntImm("int32", 4)')
        else:
            assert now == data
        (folder / f"{name}.py").write_bytes(data)
    assert (folder / "dangling.py").readlink() == Path("nowhere")
    assert not list(folder.glob(".tl-lint-*"))


def test_flake8_says_the_same_where_it_survives(folder: Path, found: tuple[int, dict[str, list[str]]]) -> None:
    names = [name for name in FILES if name not in NOT_FOR_FLAKE8]
    files = [f"{name}.py" for name in [*names, "dangling"]]
    options = ["--isolated", "-j1", "--select", "TLC,E9", "--format", "%(path)s %(code)s"]
    done = _run(folder, "flake8", *options, *files)
    by_file: dict[str, set[str]] = {}
    for line in done.stdout.splitlines():
        path, code = line.split()
        by_file.setdefault(Path(path).stem, set()).add(code)
    for name in names:
        ours = set(found[1].get(name, ()))
        theirs = by_file.get(name, set())
        assert {code for code in theirs if code.startswith("TLC")} == (set() if name in BY_FLAKE8 else ours), name
        assert bool(theirs) == bool(ours) or name == "without_tilelang", name
    assert by_file["dangling"] == {"E902"}
