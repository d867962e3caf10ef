"""From PATH[::KERNEL] to files: found as `check` finds them, those without TileLang passed over unparsed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tl_lint.config import ConfigError, Configurations
from tl_lint.selection import NOTHING_SAID
from tl_lint.verify.options import ConfiguredKernel
from tl_lint.verify_files import Gathered, common_folder, gathered

KERNELS = """import tilelang.language as T


@T.prim_func
def gemm(a: T.Tensor((4,), "float32")):
    pass


class Norm:
    @T.prim_func
    def build(a: T.Tensor((4,), "float32")):
        pass
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text(KERNELS)
    (tmp_path / "src" / "b.py").write_text(KERNELS.replace("gemm", "gemv"))
    (tmp_path / "src" / "plain.py").write_text("this is no Python, and nobody parses it\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def gather(*paths: str) -> Gathered:
    return gathered(paths, Configurations(), NOTHING_SAID, False)


def chosen(*paths: str) -> dict[str, tuple[str, ...]]:
    return {file.shown: file.kernels for file in gather(*paths).files}


def test_the_working_folder_by_default() -> None:
    found = gather()
    assert [(file.shown, file.kernels) for file in found.files] == [("src/a.py", ()), ("src/b.py", ())]
    assert found.troubles == [] and found.any_file
    assert all(file.source.text and Path(file.path).is_absolute() for file in found.files)


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (("src/a.py::gemm",), {"src/a.py": ("gemm",)}),
        (("src/a.py::Norm.build", "src/a.py::gemm"), {"src/a.py": ("Norm.build", "gemm")}),
        (("src/a.py::gemm", "src/a.py"), {"src/a.py": ()}),
        (("src/a.py::gemm", "src/b.py"), {"src/a.py": ("gemm",), "src/b.py": ()}),
        (("src::gemv",), {"src/b.py": ("gemv",)}),
        (("src::gem?",), {"src/a.py": ("gem?",), "src/b.py": ("gem?",)}),
        (("::gemm".join((".", "")),), {"src/a.py": ("gemm",)}),
        (("src::gemm", "src/b.py::*.build"), {"src/a.py": ("gemm",), "src/b.py": ("*.build",)}),
    ],
)
def test_kernels_by_name(paths: tuple[str, ...], expected: dict[str, tuple[str, ...]]) -> None:
    assert chosen(*paths) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a.py::gemn", "src/a.py::gemn: no such kernel; did you mean 'gemm'?"),
        ("src/a.py::build", "src/a.py::build: no such kernel; did you mean 'Norm.build'?"),
        ("src/a.py::xyz", "src/a.py::xyz: no such kernel; there are gemm, Norm.build"),
        ("src::softmax*", "src::softmax*: no such kernel; there are gemm, Norm.build, gemv"),
        ("src/plain.py::f", "src/plain.py::f: no such kernel; no kernel was found there"),
        ("src/a.py::", "src/a.py::: write PATH::KERNEL, with a file or a folder in front and a kernel's name behind"),
        ("::gemm", "::gemm: write PATH::KERNEL, with a file or a folder in front and a kernel's name behind"),
    ],
)
def test_a_name_that_fits_nothing_is_a_mistake(path: str, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        gather("src", path)
    assert str(caught.value) == expected


def test_a_file_with_colons_in_its_name_is_a_file(project: Path) -> None:
    (project / "odd::name.py").write_text(KERNELS)
    assert chosen("odd::name.py") == {"odd::name.py": ()}
    assert chosen("odd::name.py::gemm") == {"odd::name.py": ("gemm",)}


def test_what_cannot_be_read_or_parsed_is_told_and_the_rest_goes_on(project: Path) -> None:
    (project / "src" / "broken.py").write_text("import tilelang\ndef f(:\n")
    (project / "src" / "bytes.py").write_bytes(b"import tilelang\n\xff\n")
    found = gather("src", "absent.py", "absent.py::gemm")
    assert [file.shown for file in found.files] == ["src/a.py", "src/b.py"]
    assert [(trouble.shown, trouble.message.partition(":")[0]) for trouble in found.troubles] == [
        ("absent.py", "cannot be read"),
        ("src/broken.py", "SyntaxError"),
        ("src/bytes.py", "cannot be decoded"),
    ]


def test_excludes_and_configured_kernels_are_those_of_the_nearest_project(project: Path) -> None:
    (project / "pyproject.toml").write_text(
        "[tool.tl-lint]\nexclude = ['b.py']\n"
        "[[tool.tl-lint.verify.kernels]]\npath = 'src/*.py'\nname = 'gemm'\nargs = 'M=64'\n"
        "[[tool.tl-lint.verify.kernels]]\npath = 'a.py'\nname = 'Norm.build'\nreference = 'refs:norm'\n"
        "[[tool.tl-lint.verify.kernels]]\npath = 'other/*.py'\nname = 'gemm'\nargs = 'M=128'\n"
    )
    [file] = gather().files
    assert file.configured == (
        ConfiguredKernel("gemm", "M=64", None),
        ConfiguredKernel("Norm.build", None, "refs:norm"),
    )


def test_no_file_at_all(project: Path) -> None:
    (project / "empty").mkdir()
    assert gather("empty") == Gathered()


def test_the_folder_of_a_run(project: Path) -> None:
    (project / "src" / "deep").mkdir()
    (project / "src" / "deep" / "c.py").write_text("")
    root = str(project)
    assert common_folder(()) == root
    assert common_folder(("src/a.py::gemm",)) == f"{root}/src"
    assert common_folder(("src/deep", "src/a.py")) == f"{root}/src"
    assert common_folder(("src/deep/c.py", ".")) == root
