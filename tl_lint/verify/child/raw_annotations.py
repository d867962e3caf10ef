"""Whether a traced kernel holds what lowering will abort on: a Python value where C++ wants an IntImm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tl_lint.verify.model import Check

__all__ = ["check"]

_NAME = "raw annotation"


def check(annotations: Sequence[dict[str, Any]]) -> list[Check]:
    """Return a line for each of the annotations, as `tir.annotations` has them, that is read and raw.

    It is a failure unless the loop touches a fragment, whose layout may dictate the loop: then nothing reads a width.
    That a raw width aborts was measured on 0.1.8 to 0.1.15, the rest, and num_stages, on 0.1.13 and 0.1.15.
    """
    found = []
    for annotation in annotations:
        if annotation["raw"] and annotation["read"]:
            may = annotation["fragment"] and annotation["key"] == "coalesced_width"
            what = f"{annotation['key']} is {annotation['value']}, a Python {annotation['type']}, not an IntImm"
            end = "lowering may abort on it" if may else "lowering fails on it"
            found.append(Check(_NAME, "warns" if may else "fails", f"{what}: {end}", annotation["line"]))
    return found
