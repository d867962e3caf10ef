"""Files of the same project that hand on what they import: found, read and never run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tl_lint.projects import Project


def project(path: Path) -> Project:
    return Project(str(path))


def write(folder: Path, name: str, text: str = "import a as b\n") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_without_a_path_nothing_is_read() -> None:
    assert Project(None).exports("os") is None
    assert Project(None).absolute(".a") == ".a"


def test_a_module_that_is_not_there(tmp_path: Path) -> None:
    assert project(tmp_path / "kernel.py").exports("helper") is None


@pytest.mark.parametrize("text", ["def f(:", "\0", "(" * 1000, "# -*- coding: nonsense -*-"])
def test_a_module_that_cannot_be_parsed(tmp_path: Path, text: str) -> None:
    write(tmp_path, "helper.py", text)
    assert project(tmp_path / "kernel.py").exports("helper") is None


def test_a_module_that_cannot_be_decoded(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_bytes(b"x = '\xff'\n")
    assert project(tmp_path / "kernel.py").exports("helper") is None


def test_a_folder_in_the_place_of_a_module(tmp_path: Path) -> None:
    (tmp_path / "helper.py").mkdir()
    assert project(tmp_path / "kernel.py").exports("helper") is None


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in folders")
def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "helper.py")
    assert project(tmp_path / "kernel.py").exports("helper") is None


def test_nothing_is_run(tmp_path: Path) -> None:
    write(tmp_path, "helper.py", "raise SystemExit('run')\nimport a\n")
    assert project(tmp_path / "kernel.py").exports("helper") == {"a": "a"}


def test_every_form_of_import(tmp_path: Path) -> None:
    text = """
import a
import b.c
import d.e as f
from g import h, i as j
from . import k
from ..l import m
from n import *
from o.p import *
"""
    write(tmp_path, "helper.py", text)
    assert project(tmp_path / "kernel.py").exports("helper") == {
        "a": "a",
        "b": "b",
        "f": "d.e",
        "h": "g.h",
        "j": "g.i",
        "k": ".k",
        "m": "..l.m",
        "*": "n o.p",
    }


def test_imports_under_conditions_count_and_in_functions_do_not(tmp_path: Path) -> None:
    text = """
try:
    import a
except ImportError:
    import b
else:
    import c
if x:
    import d
else:
    import e
with f:
    import g
def h():
    import i
class J:
    import k
"""
    write(tmp_path, "helper.py", text)
    assert sorted(project(tmp_path / "kernel.py").exports("helper") or {}) == ["a", "c", "d", "e", "g"]


@pytest.mark.parametrize(
    ("file", "module"),
    [
        ("pkg/sub/helper.py", ".helper"),
        ("pkg/sub/helper/__init__.py", ".helper"),
        ("pkg/helper.py", "..helper"),
        ("pkg/other/helper.py", "..other.helper"),
        ("pkg/sub/__init__.py", "."),
        ("pkg/__init__.py", ".."),
        ("pkg/sub/helper.py", "helper"),
        ("pkg/helper.py", "pkg.helper"),
        ("helper.py", "helper"),
    ],
)
def test_where_a_module_is_looked_for(tmp_path: Path, file: str, module: str) -> None:
    write(tmp_path, "pyproject.toml", "")
    kernel = write(tmp_path, "pkg/sub/kernel.py", "")
    assert project(kernel).exports(module) is None
    write(tmp_path, file)
    assert project(kernel).exports(module) == {"b": "a"}


def test_the_search_ends_at_the_root_of_the_project(tmp_path: Path) -> None:
    write(tmp_path, "helper.py")
    write(tmp_path, "root/pyproject.toml", "")
    kernel = write(tmp_path, "root/pkg/kernel.py", "")
    assert project(kernel).exports("helper") is None


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    write(tmp_path, "helper.py", "import a\n")
    assert project(tmp_path / "kernel.py").exports("helper") == {"a": "a"}
    write(tmp_path, "helper.py", "import longer\n")
    assert project(tmp_path / "kernel.py").exports("helper") == {"longer": "longer"}


@pytest.mark.parametrize(
    ("module", "absolute"),
    [
        ("a.b", "a.b"),
        (".a", "pkg.sub.a"),
        ("..a", "pkg.a"),
        (".", "pkg.sub."),
    ],
)
def test_relative_names(tmp_path: Path, module: str, absolute: str) -> None:
    write(tmp_path, "pkg/__init__.py", "")
    write(tmp_path, "pkg/sub/__init__.py", "")
    assert project(tmp_path / "pkg/sub/kernel.py").absolute(module) == absolute


def test_a_relative_name_outside_a_package_stays(tmp_path: Path) -> None:
    assert project(tmp_path / "kernel.py").absolute(".a") == ".a"
