"""Texts run in place of files. Each loads in a process of its own, since modules and search paths stay behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tl_lint.verify.child.loading import dotted_name

ROOT = Path(__file__).resolve().parents[2]


def loaded(file: Path, text: str, code: str) -> object:
    """Return what the expression `code` gives with `module` loaded from `text` in place of `file`."""
    program = (
        "import inspect, json, sys\nfrom tl_lint.verify.child.loading import load\n"
        f"module = load({str(file)!r}, {text!r})\nprint(json.dumps({code}))"
    )
    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, cwd="/")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_the_text_counts_and_not_the_file(tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text("def f():\n    return 'the file'\n")
    text = "\ndef f():\n    return 'the text'\n"
    assert loaded(file, text, "[module.f(), module.__file__]") == ["the text", str(file)]
    assert loaded(file, text, "inspect.getsource(module.f)") == text.lstrip("\n")
    assert loaded(file, text, "inspect.getsourcelines(module.f)[1]") == 2
    assert file.read_text().endswith("'the file'\n")


def test_a_file_that_is_not_there_is_none_the_worse(tmp_path: Path) -> None:
    text = "def f():\n    return 1\n"
    assert loaded(tmp_path / "new.py", text, "inspect.getsource(module.f)") == text


def test_what_lies_beside_is_importable(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("VALUE = 3\n")
    assert loaded(tmp_path / "kernel.py", "from beside import VALUE\n", "module.VALUE") == 3


def test_relative_imports_work(tmp_path: Path) -> None:
    package = tmp_path / "outer" / "inner"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").write_text("")
    (package.parent / "common.py").write_text("VALUE = 5\n")
    text = "from ..common import VALUE\nfrom . import __name__ as package\n"
    assert loaded(package / "kernel.py", text, "[module.VALUE, module.package, module.__name__]") == [
        5,
        "outer.inner",
        "outer.inner.kernel",
    ]


def test_others_that_import_it_get_the_text(tmp_path: Path) -> None:
    package = tmp_path / "outer"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "kernel.py").write_text("VALUE = 'file'\n")
    (package / "user.py").write_text("from outer.kernel import VALUE\n")
    text = "VALUE = 'text'\ndef other():\n    import outer.user\n    return outer.user.VALUE\n"
    assert loaded(package / "kernel.py", text, "module.other()") == "text"


@pytest.mark.parametrize("name", ["types", "json", "queue"])
def test_a_file_does_not_stand_in_for_the_standard_library(tmp_path: Path, name: str) -> None:
    assert dotted_name(str(tmp_path / f"{name}.py")) == f"_{name}"


def test_main_guards_do_not_run(tmp_path: Path) -> None:
    text = "RAN = False\nif __name__ == '__main__':\n    RAN = True\n"
    assert loaded(tmp_path / "kernel.py", text, "module.RAN") is False


def test_a_dashed_name_loads(tmp_path: Path) -> None:
    assert loaded(tmp_path / "my-kernel.py", "X = 1\n", "module.X") == 1


def test_what_the_text_raises_is_raised(tmp_path: Path) -> None:
    code = "import sys\nfrom tl_lint.verify.child.loading import load\n"
    code += f"try:\n    load({str(tmp_path / 'kernel.py')!r}, 'raise ValueError(7)')\n"
    code += "except ValueError as error:\n    print(error, 'kernel' in sys.modules)\n"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": str(ROOT)}, check=True
    )
    assert result.stdout == "7 False\n"


def test_what_the_project_s_own_folder_holds_is_importable(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "sizes.py").write_text("VALUE = 9\n")
    kernels = tmp_path / "kernels" / "deep"
    kernels.mkdir(parents=True)
    assert loaded(kernels / "kernel.py", "from common.sizes import VALUE\n", "module.VALUE") == 9


@pytest.mark.parametrize(
    "text", ["\x0c\nX = 1\n\x0c\ndef f():\n    return 1\n", "S = 'a\x85b\u2028c'\ndef f():\n    return 1\n"]
)
def test_lines_end_where_python_ends_them(tmp_path: Path, text: str) -> None:
    assert loaded(tmp_path / "kernel.py", text, "inspect.getsource(module.f)") == "def f():\n    return 1\n"


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_newlines_of_every_kind(tmp_path: Path, newline: str) -> None:
    text = newline.join(["X = 1", "def f():", "    return X", ""])
    assert loaded(tmp_path / "kernel.py", text, "[module.f(), inspect.getsource(module.f)]") == [
        1,
        "def f():\n    return X\n",
    ]
