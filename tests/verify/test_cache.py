"""Rows come back as they were put, and nothing that is wrong on disk matters."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.tilelang_environment import cache_folder as folder_of_the_tests
from tl_lint.verify.cache import Cache, cache_folder, key_of, plain, row_of
from tl_lint.verify.model import Attempt, Check, Level, Outcome, Row, Verdict
from tl_lint.verify.requests import KernelRequest, Machine

CHECK = Check("effective width", "warns", "4, not 8", 12)
FAILED = Outcome(Level.TRACE, "fails", "boom", "all of\nit", (CHECK,), {"requested_widths": [4], "source": "ü\udce4"})
PASSED = Outcome(Level.LOWER, "passes", facts={"nested": {"none": None, "float": 0.1}})
ROW = Row(
    path="/project/kernels.py",
    kernel="Class.method",
    verdict=Verdict.FIX_CONFIRMED,
    args="M=1024",
    args_source="guess",
    tilelang="0.1.15",
    target="cuda:sm_90",
    level=Level.LOWER,
    original=FAILED,
    fixed=PASSED,
    requested_width=[4, 8],
    effective_width=4,
    message="…",
    checks=(CHECK, Check("race", "ok")),
    seconds=0.25,
    line=7,
    facts={"findings": [{"line": 3}]},
)
REQUEST = KernelRequest(
    path="/project/kernels.py",
    shown="kernels.py",
    kernel="make",
    line=1,
    end_line=9,
    attempts=(Attempt("M=1024", "call"),),
    original="text",
    machine=Machine("0.1.15", "sm_90", limits={Level.RUN: "no GPU"}),
    level=Level.LOWER,
)


def entries(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_row_comes_back_as_it_was(tmp_path: Path) -> None:
    Cache(tmp_path).put("ab12", ROW)
    assert Cache(tmp_path).get("ab12") == ROW
    assert Cache(tmp_path).get("ab13") is None


def test_a_row_survives_json() -> None:
    smallest = Row("a.py", "k", Verdict.OK)
    for row in (ROW, smallest):
        assert row_of(json.loads(json.dumps(plain(row)))) == row
    assert isinstance(row_of(plain(ROW)).level, Level)
    assert isinstance(row_of(plain(ROW)).verdict, Verdict)


@pytest.mark.parametrize(
    "change",
    [
        {"original": "other text"},
        {"fixed": "text"},
        {"kernel": "other"},
        {"attempts": (Attempt("M=1025", "call"),)},
        {"machine": Machine("0.1.13", "sm_90", limits={Level.RUN: "no GPU"})},
        {"machine": Machine("0.1.15", "sm_80", limits={Level.RUN: "no GPU"})},
        {"machine": Machine("0.1.15", "sm_90", gpu="H200")},
        {"level": Level.COMPILE},
        {"path": "/other/kernels.py"},
        {"seed": 1},
    ],
)
def test_whatever_is_asked_otherwise_has_another_key(change: dict[str, object]) -> None:
    assert key_of(dataclasses.replace(REQUEST, **change)) != key_of(REQUEST)  # type: ignore[arg-type]
    assert key_of(dataclasses.replace(REQUEST)) == key_of(REQUEST)


def test_our_version_is_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key_of(REQUEST)
    monkeypatch.setattr("tl_lint.verify.cache.__version__", "0.0.0")
    assert key_of(REQUEST) != before


def test_a_changed_or_missing_imported_file_makes_the_row_unknown(tmp_path: Path) -> None:
    helper = tmp_path / "helper.py"
    helper.write_text("WIDTH = 4\n", encoding="utf-8")
    cache = Cache(tmp_path / "cache")
    cache.put("ab12", ROW, [str(helper)])
    assert cache.get("ab12") == ROW
    helper.write_text("WIDTH = 8\n", encoding="utf-8")
    assert cache.get("ab12") is None
    helper.unlink()
    assert cache.get("ab12") is None


@pytest.mark.parametrize(
    "outcome",
    ["timeout", "out of memory", "not-reached", "crashes SIGKILL", "crashes SIGTERM", "crashes SIGINT"],
)
@pytest.mark.parametrize("version", ["original", "fixed", "control"])
def test_what_may_be_the_machines_doing_is_not_kept(tmp_path: Path, outcome: str, version: str) -> None:
    cache = Cache(tmp_path)
    cache.put("ab12", dataclasses.replace(ROW, **{version: Outcome(Level.TRACE, outcome)}))  # type: ignore[arg-type]
    assert cache.get("ab12") is None
    cache.put("ab12", dataclasses.replace(ROW, original=Outcome(Level.TRACE, "crashes SIGFPE")))
    assert cache.get("ab12") is not None


def test_what_was_not_reached_is_not_kept(tmp_path: Path) -> None:
    Cache(tmp_path).put("ab12", Row("a.py", "k", Verdict.NOT_REACHED))
    assert entries(tmp_path) == []


def test_a_corrupt_entry_is_none(tmp_path: Path) -> None:
    Cache(tmp_path).put("ab12", ROW)
    (file,) = entries(tmp_path)
    whole = file.read_bytes()
    entry = json.loads(whole)
    broken = [
        b"",
        whole[: len(whole) // 2],
        b"\xff\xfe",
        b"[" * 100_000,
        b"null",
        b"[]",
        json.dumps({**entry, "files": None}).encode(),
        json.dumps({**entry, "row": None}).encode(),
        json.dumps({**entry, "row": {**entry["row"], "verdict": "fine"}}).encode(),
        json.dumps({**entry, "row": {**entry["row"], "more": 1}}).encode(),
        json.dumps({**entry, "row": {**entry["row"], "checks": [1]}}).encode(),
        json.dumps({**entry, "row": {**entry["row"], "level": 9}}).encode(),
    ]
    for data in broken:
        file.write_bytes(data)
        assert Cache(tmp_path).get("ab12") is None
    file.unlink()
    file.mkdir()
    assert Cache(tmp_path).get("ab12") is None
    Cache(tmp_path).put("ab12", ROW)


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    cache = Cache(tmp_path / "file" / "cache")
    cache.put("ab12", ROW)
    assert cache.get("ab12") is None


def test_a_full_disk_is_no_error_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    cache = Cache(tmp_path)
    cache.put("ab12", ROW)
    assert cache.get("ab12") is None
    assert entries(tmp_path) == []


def test_no_cache_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache = Cache.of_user(wanted=False)
    cache.put("ab12", ROW)
    assert cache.get("ab12") is None
    assert entries(tmp_path) == []
    Cache.of_user().put("ab12", ROW)
    assert Cache.of_user().get("ab12") == ROW
    assert [file.is_relative_to(folder_of_the_tests() / "verify") for file in entries(tmp_path)] == [True]


def test_without_a_home_there_is_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert cache_folder() is None
    Cache.of_user().put("ab12", ROW)


def test_two_writers_and_a_reader_at_once(tmp_path: Path) -> None:
    """Whoever reads sees a whole row, whichever."""
    rows = [dataclasses.replace(ROW, message=str(number) * 20_000) for number in range(4)]
    Cache(tmp_path).put("ab12", rows[0])

    def one(number: int) -> bool:
        cache = Cache(tmp_path)
        if number % 2:
            cache.put("ab12", rows[number % 4])
        return cache.get("ab12") in rows

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(one, range(200)))
    assert len(entries(tmp_path)) == 1


def test_what_was_not_used_for_long_is_removed(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("aa11", ROW)
    cache.put("bb22", ROW)
    long_ago = time.time() - 31 * 24 * 3600
    for file in entries(tmp_path):
        os.utime(file, (long_ago, long_ago))
    assert Cache(tmp_path).get("aa11") == ROW
    Cache(tmp_path).put("cc33", ROW)
    assert Cache(tmp_path).get("aa11") == ROW
    assert Cache(tmp_path).get("bb22") is None
