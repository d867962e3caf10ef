"""Which codes `select`, `extend-select` and `ignore` leave switched on, decided as ruff decides it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tl_lint.model import CANNOT_ANALYSE

if TYPE_CHECKING:
    from tl_lint.rule import Rule

__all__ = ["ALL", "DEFAULT", "NOTHING_SAID", "Selection", "codes_of", "is_known", "selected"]

ALL = "ALL"
"""Selects every rule, those that are off by default included."""
DEFAULT = ("TLC",)
"""What is selected where nothing is."""


@dataclass(frozen=True)
class Selection:
    """One layer of choices: a configuration file's or the command line's. `select` is None where it is not given."""

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()


NOTHING_SAID = Selection()


def is_known(selector: str, rules: Iterable[Rule]) -> bool:
    """Return whether `selector` is a code, or the beginning of a code, of one of `rules` (or TLC000, TLC or ALL)."""
    if selector in (ALL, CANNOT_ANALYSE, *DEFAULT):
        return True
    return len(selector) > len(DEFAULT[0]) and any(rule.code.startswith(selector) for rule in rules)


def codes_of(selector: str, rules: Iterable[Rule]) -> set[str]:
    """Return the codes of the `rules` that `selector` means when it takes codes away."""
    return {rule.code for rule in rules if selector == ALL or rule.code.startswith(selector)}


def selected(layers: Sequence[Selection], rules: Sequence[Rule]) -> frozenset[str]:
    """Return the codes of `rules` that are on after `layers`, the later ones given more weight.

    Within a layer the longer prefix wins, and between equals `ignore` does. A layer with `select` forgets the earlier
    layers; one without changes what they left. A rule that is off by default is on only if named by more than "TLC".
    """
    chosen = {rule.code for rule in rules if rule.on_by_default}
    for layer in layers:
        changes = _changes(layer, rules)
        if layer.select is not None:
            chosen = set()
        chosen |= {code for code, is_on in changes.items() if is_on}
        chosen -= {code for code, is_on in changes.items() if not is_on}
    return frozenset(chosen)


def _changes(layer: Selection, rules: Sequence[Rule]) -> dict[str, bool]:
    turned_on = [(_specificity(name), name) for name in (*(layer.select or ()), *layer.extend_select)]
    turned_off = [(_specificity(name), name) for name in layer.ignore]
    changes: dict[str, bool] = {}
    for specificity in sorted({level for level, _ in turned_on + turned_off}):
        for level, name in turned_on:
            if level == specificity:
                changes.update(dict.fromkeys(_selectable(name, rules), True))
        for level, name in turned_off:
            if level == specificity:
                changes.update(dict.fromkeys(codes_of(name, rules), False))
    return changes


def _selectable(selector: str, rules: Sequence[Rule]) -> set[str]:
    codes = codes_of(selector, rules)
    if selector in DEFAULT:
        return codes & {rule.code for rule in rules if rule.on_by_default}
    return codes


def _specificity(selector: str) -> int:
    return 0 if selector == ALL else len(selector)
