"""--keep: everything that a kernel left, in files with names that every system takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.verify_rows import failing, passing, row
from tl_lint.verify.keeping import keep_file, keep_row, make_folder, safe_name
from tl_lint.verify.model import Verdict


def test_what_is_kept_of_a_kernel(tmp_path: Path) -> None:
    kept = row(
        Verdict.FIX_CONFIRMED,
        original=failing(log="frame 1\nframe 2 \udcff"),
        fixed=passing(tir="@T.prim_func", cuda="__global__ void f()"),
    )
    place = keep_row(tmp_path, "src/a.py", kept, "{}")
    assert place == tmp_path / "src" / "a.py" / "scale"
    assert sorted(file.name for file in place.iterdir()) == [
        "control.log", "fixed.cu", "fixed.log", "fixed.tir", "original.log", "row.json",
    ]  # fmt: skip
    log = (place / "original.log").read_text()
    assert log.startswith("fails, last level passed: trace\n") and "frame 1\nframe 2 \\udcff" in log
    assert (place / "fixed.cu").read_text() == "__global__ void f()"
    keep_file(tmp_path, "src/a.py", b"fixed\r\n")
    assert (tmp_path / "src" / "a.py" / "fixed.py").read_bytes() == b"fixed\r\n"


def test_the_folder_is_tried_beforehand(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert list((tmp_path / "a" / "b").iterdir()) == []
    (tmp_path / "file").write_text("")
    for folder in ("file", "file/b"):
        with pytest.raises(OSError):
            make_folder(tmp_path / folder)


def test_the_same_kernel_with_other_arguments_has_a_folder_of_its_own(tmp_path: Path) -> None:
    places = {keep_row(tmp_path, "a.py", row(Verdict.OK, args=args), "{}") for args in ("", "M=1", "M=2")}
    assert len(places) == 3


@pytest.mark.parametrize("shown", ["/etc/a.py", "../../a.py", "..", "/", "C:\\x\\a.py", "a/../../../b.py"])
def test_nothing_leaves_the_folder(tmp_path: Path, shown: str) -> None:
    folder = tmp_path / "kept"
    keep_row(folder, shown, row(Verdict.OK, "../../../k"), "{}")
    assert [entry.name for entry in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize("text", ["a.py", "Class.method", "x" * 80])
def test_plain_names_stay(text: str) -> None:
    assert safe_name(text) == text


def test_other_names_are_replaced_and_told_apart() -> None:
    odd = ["a b", "a_b", "a/b", "..", ".", "", "x" * 300, "x" * 301, "四", "k(M='\0')", "\udcff", ".hidden"]
    names = [safe_name(text) for text in odd]
    assert len(set(names)) == len(odd)
    for name in names:
        assert 0 < len(name) < 100 and name.isascii() and not set(name) & set("/\\:*?\"<>|'() ") and name[0] != "."
