"""Where the tests that compile get a Python with TileLang from; see tools/tilelang_environments.py."""

from __future__ import annotations

from tools.tilelang_environments import cache_folder, interpreter

__all__ = ["cache_folder", "interpreter"]
