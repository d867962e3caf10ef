"""Packs what a GPU machine without network needs beside its own Python, torch and numpy, about 55 MB a release.

    python -m tools.offline_bundle bundle.tar.xz --python 3.12 --tilelang 0.1.15
    mkdir /tmp/site && tar -C /tmp/site -xf bundle.tar.xz                   there, in a checkout of this project
    PYTHONPATH=/tmp/site:$PWD python3 -m tests.gpu.run gpu.json             there

TileLang with the apache-tvm-ffi that it works with and libz3, what else it requires, and what tl-lint itself imports.
pip gets the whole list and resolves nothing: torch, with its CUDA libraries, must not come along.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tl_lint.verify.tvm_ffi import WORKING

__all__ = ["main", "requirements"]

_TILELANG = ["cloudpickle", "ml-dtypes", "psutil", "torch-c-dlpack-ext", "tqdm", "typing-extensions"]
_TILELANG += ["z3-solver==4.15.4.0"]
_LINTER = ["flake8", "libcst", "markdown-it-py", "mccabe", "mdurl", "packaging", "pathspec", "pycodestyle", "pyflakes"]
_LINTER += ["pygments", "pyyaml", "rich", "tomli"]

_NOT_NEEDED = ("z3/include", "bin", "tilelang/3rdparty/composable_kernel")
"""Headers of Z3, programs, and what kernels for AMD's GPUs include."""


def main(arguments: Sequence[str]) -> int:
    """Write the archive that the arguments name; the module's text says how."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("archive", type=Path)
    parser.add_argument("--python", default=f"{sys.version_info.major}.{sys.version_info.minor}", help="there")
    parser.add_argument("--tilelang", default=list(WORKING)[-1], choices=list(WORKING), metavar="RELEASE")
    parser.add_argument("--machine", default="x86_64")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(_pip(Path(folder), options.python, options.tilelang, options.machine), check=True)
        _pack(Path(folder), options.archive)
    print(options.archive, options.archive.stat().st_size >> 20, "MiB")
    return 0


def _pip(folder: Path, python: str, release: str, machine: str) -> list[str]:
    # pip matches the version of the C library exactly, so every one that wheels are built for is named.
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in range(39, 16, -1)]
    platforms += [f"manylinux2014_{machine}", f"manylinux1_{machine}"]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--target", str(folder)]
    command += ["--python-version", python, "--implementation", "cp", "--only-binary=:all:"]
    command += [word for platform in platforms for word in ("--platform", platform)]
    return [*command, *requirements(release)]


def requirements(release: str) -> list[str]:
    """Return all that is packed for a release of TileLang; the machine brings torch and numpy."""
    return [f"tilelang=={release}", f"apache-tvm-ffi=={WORKING[release]}", *_TILELANG, *_LINTER]


def _pack(folder: Path, archive: Path) -> None:
    def wanted(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        return None if any(entry.name == f"./{name}" for name in _NOT_NEEDED) else entry

    # A low preset: a fifth larger than the highest, and ten times faster.
    with tarfile.open(archive, "w:xz", preset=2) as packed:
        packed.add(folder, ".", filter=wanted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
