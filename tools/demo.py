"""Sets up .venv, then lints and fixes copies of faulty kernels in build/demo, showing the difference.

python3 -m tools.demo
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

from tools.environment import ROOT, make

_FOLDER = ROOT / "build" / "demo"
_CASES = ROOT / "tests" / "cases" / "coalesced_width"
_KERNELS = ("seed_bare_int.py", "seed_annotations.py", "seed_numpy.py", "factory_parameters.py", "not_positive.py")
_STEPS = (
    ("What is wrong", ()),
    ("What the fixes would change", ("--diff",)),
    ("Write the fixes; what is left needs a decision of yours", ("--fix",)),
)


def main() -> int:
    """Run the steps and return 0, or 2 if one of them failed rather than found something."""
    python = make()
    _copy_kernels()
    for title, options in _STEPS:
        arguments = ["check", *options, *_KERNELS]
        print(f"\n--- {title}:\n$ tl-lint {' '.join(arguments)}", flush=True)
        if subprocess.call([str(python), "-m", "tl_lint", *arguments], cwd=_FOLDER) > 1:
            return 2
    print(f"\nThe files are in {_FOLDER.relative_to(ROOT)}; the ones that they were copied from are as they were.")
    return 0


def _copy_kernels() -> None:
    """Put the kernels into an empty folder, without the marks that tell our tests what has to be found."""
    shutil.rmtree(_FOLDER, ignore_errors=True)
    _FOLDER.mkdir(parents=True)
    for name in _KERNELS:
        source = (_CASES / name).read_text(encoding="utf-8")
        (_FOLDER / name).write_text(re.sub(r"  # expect: .*", "", source), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
