"""Makes rules/FOLDER/rule.py importable as tl_lint.rules.FOLDER.rule in a checkout.

A wheel carries the folder as tl_lint/rules/ and leaves this file out.
"""

from pathlib import Path

__path__ = [str(Path(__file__).resolve().parent.parent / "rules")]
