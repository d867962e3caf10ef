"""Which files of the user's project this process has imported: what the outcome depends on beside the kernel's file."""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from pathlib import Path

__all__ = ["project_files", "remember_modules"]

_known: set[str] = set()


def remember_modules() -> None:
    """Take the modules that are imported now as none of the project's; to look at all of them takes 0.2 seconds."""
    _known.update(sys.modules)


def project_files() -> list[str]:
    """Return the files of all modules that belong neither to Python, nor to an installed package, nor to us."""
    folders = {sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders |= {*site.getsitepackages(), site.getusersitepackages(), str(Path(__file__).parents[2])}
    installed = tuple(os.path.join(os.path.realpath(folder), "") for folder in folders)  # noqa: PTH118
    found = set()
    for name, module in list(sys.modules.items()):
        if name in _known:  # asked first: to have an attribute of a lazy module may import it
            continue
        file = getattr(module, "__file__", None)
        # A relative file is what some modules that are made at run time have (torch._classes), and is not there.
        if not isinstance(file, str) or not (file.endswith(".py") and os.path.isabs(file)):  # noqa: PTH117
            continue
        path = os.path.realpath(file)
        if not path.startswith(installed):
            found.add(path)
    return sorted(found)
