"""Sets up .venv and runs the whole test suite in it; arguments go to pytest.

python3 -m tools.test
"""

from __future__ import annotations

import subprocess
import sys

from tools.environment import ROOT, make


def main() -> int:
    """Run the tests and return pytest's exit code."""
    return subprocess.call([str(make("test")), "-m", "pytest", *sys.argv[1:]], cwd=ROOT)


if __name__ == "__main__":
    sys.exit(main())
