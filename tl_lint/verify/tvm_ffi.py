"""The apache-tvm-ffi that each release of TileLang works with. Data only."""

from __future__ import annotations

__all__ = ["WORKING"]

WORKING = {
    **dict.fromkeys(("0.1.8", "0.1.9"), "0.1.8.post2"),
    **dict.fromkeys(("0.1.10", "0.1.11", "0.1.12"), "0.1.11"),
    **dict.fromkeys(("0.1.13", "0.1.14", "0.1.15"), "0.1.12"),
}
"""By release. Up to 0.1.12 the releases' own requirements allow later ones, with which importing TileLang fails."""
