"""Found first on PYTHONPATH by every Python that a driven command starts; it has the driver watch that process.

A sitecustomize that this one hides is run after it. The Python may be one that this package is not
installed in: then the driver is loaded from beside this file, and sys.path stays as it is.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
import traceback
from pathlib import Path

_HERE = Path(__file__).resolve().parent


def _watch() -> None:
    if importlib.util.find_spec("tl_lint") is None:
        root = _HERE.parents[2]
        specification = importlib.util.spec_from_file_location("tl_lint", root / "__init__.py")
        assert specification is not None and specification.loader is not None
        module = importlib.util.module_from_spec(specification)
        sys.modules["tl_lint"] = module
        specification.loader.exec_module(module)
    importlib.import_module("tl_lint.verify.child.driver").install(os.environ["TL_LINT_DRIVER"])


def _run_hidden() -> None:
    """Run the sitecustomize that would have been found without this one."""
    others = [entry for entry in sys.path if Path(entry or ".").resolve() != _HERE]
    specification = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if specification is not None and specification.loader is not None:
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)


if os.environ.get("TL_LINT_DRIVER"):
    try:
        _watch()
    except Exception:
        traceback.print_exc()
_run_hidden()
