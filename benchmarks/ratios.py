"""Prints what linting costs, as ratios that do not depend on the machine.

    python benchmarks/ratios.py [FOLDER] [--rounds N]

1. Files without TileLang: finding and passing over 1,000 of them, against a loop that lists, reads and searches them.
   The bar is 2.
2. Files with TileLang: linting them, against parsing them with LibCST alone. The bar is 1.5.

Both are measured in-process, without start-up and without a .gitignore, in rounds that time one after the other; each
ratio is the median over the rounds. The files without TileLang are copies from Python's standard library, those with
it copies of the files below FOLDER, each with a comment at its end that holds what the rules look for, so that none is
passed over unparsed. Without FOLDER they are the rules' own good examples, full of calls to judge, and then their bad
ones, which have a finding every few lines and cost what is never asked of a real file.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import statistics
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import libcst as cst

from tl_lint.config import Configurations
from tl_lint.findings import FileReport
from tl_lint.registry import load_rules
from tl_lint.runner import Candidate, check_files, find_files
from tl_lint.tasks import Run

ROOT = Path(__file__).resolve().parent.parent
PLAIN_FILES = 1000
NEEDLE = b"tilelang"


def main() -> int:
    """Print both ratios and whether they stay under their bars."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="a folder with TileLang files (default: the rules' own)")
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        plain = Path(scratch) / "plain"
        copy_plain_files(plain)
        show("1,000 files without TileLang / listing, reading, searching", 2.0, plain_ratios(plain, arguments.rounds))
        for pattern in ["*.py"] if arguments.folder else ["good.py", "bad.py"]:
            target = Path(scratch) / pattern.strip("*.")
            files = copy_tilelang_files(arguments.folder or ROOT / "rules", pattern, target)
            size = sum(file.stat().st_size for file in files)
            named = f"{len(files)} TileLang files {pattern} ({size / 1000:.0f} kB) / parsing them with LibCST"
            show(named, 1.5, tilelang_ratios(files, arguments.rounds))
    return 0


def show(what: str, bar: float, ratios: list[float]) -> None:
    """Print the median of `ratios` and their range beside the bar."""
    median = statistics.median(ratios)
    verdict = "ok" if median <= bar else "OVER"
    print(f"{what}: {median:.2f} ({min(ratios):.2f} to {max(ratios):.2f}, bar {bar}) {verdict}")


def copy_plain_files(target: Path) -> None:
    """Copy 1,000 files of the standard library without TileLang into folders below `target`."""
    library = Path(sysconfig.get_path("stdlib"))
    found = (file for file in sorted(library.rglob("*.py")) if "site-packages" not in file.parts)
    copied = 0
    for file in found:
        if NEEDLE not in file.read_bytes():
            folder = target / file.parent.relative_to(library)
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, folder / file.name)
            copied += 1
            if copied == PLAIN_FILES:
                return
    sys.exit(f"the standard library holds {copied} files only")


def copy_tilelang_files(folder: Path, pattern: str, target: Path) -> list[Path]:
    """Copy the files below `folder` that match, mean TileLang and parse to `target`, with every rule's triggers."""
    target.mkdir()
    triggers = sorted({trigger for rule in load_rules() for trigger in rule.triggers})
    copies = []
    for number, file in enumerate(sorted(folder.rglob(pattern))):
        if NEEDLE in file.read_bytes() and is_parsed(file):
            copies.append(target / f"{number}.py")
            copies[-1].write_bytes(file.read_bytes() + b"\n# " + b" ".join(triggers) + b"\n")
    if not copies:
        sys.exit(f"no file with TileLang in {folder}")
    return copies


def is_parsed(file: Path) -> bool:
    """Return whether LibCST can parse `file`."""
    try:
        cst.parse_module(file.read_bytes())
    except (cst.ParserSyntaxError, RecursionError):
        return False
    return True


def timed(work: Callable[[], object]) -> float:
    """Return the seconds of processor time that `work` takes; what else the machine does is left out."""
    gc.collect()
    started = time.process_time()
    work()
    return time.process_time() - started


def plain_ratios(folder: Path, rounds: int) -> list[float]:
    """Return one ratio a round for passing over the files below `folder`."""

    def search() -> int:
        hits = 0
        for parent, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                if name.endswith(".py"):
                    with open(os.path.join(parent, name), "rb") as stream:  # noqa: PTH118, PTH123
                        hits += NEEDLE in stream.read()
        return hits

    def lint() -> list[FileReport]:
        candidates = find_files([str(folder)], Configurations())
        assert len(candidates) == PLAIN_FILES
        return check_files(candidates, Run(), 1, lambda files: None)

    assert search() == 0 and lint() == []
    return [timed(lint) / timed(search) for _ in range(rounds)]


def tilelang_ratios(files: list[Path], rounds: int) -> list[float]:
    """Return one ratio a round for linting `files`."""
    configurations = Configurations(isolated=True)
    candidates = [Candidate(str(file), configurations.above(str(file.parent))) for file in files]

    def parse() -> None:
        for file in files:
            cst.parse_module(file.read_bytes())

    def lint() -> None:
        reports = check_files(candidates, Run(), 1, lambda done: None)
        assert len(reports) == len(files)

    parse()
    lint()
    return [timed(lint) / timed(parse) for _ in range(rounds)]


if __name__ == "__main__":
    sys.exit(main())
