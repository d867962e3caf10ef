"""Sets up .venv and runs the whole test suite in it, a file of tests on each processor; arguments go to pytest.

python3 -m tools.test
"""

from __future__ import annotations

import subprocess
import sys

from tools.environment import ROOT, make


def main() -> int:
    """Run the tests and return pytest's exit code."""
    return subprocess.call(
        [str(make("test")), "-m", "pytest", "-n", "auto", "--dist", "loadfile", *sys.argv[1:]], cwd=ROOT
    )


if __name__ == "__main__":
    sys.exit(main())
