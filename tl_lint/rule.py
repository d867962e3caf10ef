"""Rule: the base class of every rules/*/rule.py, and the findings that it yields."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import libcst as cst

from tl_lint.model import Applicability

if TYPE_CHECKING:
    from tl_lint.kernels import File

__all__ = ["FixPlan", "Replacement", "Report", "Rule"]


@dataclass(frozen=True)
class Replacement:
    """Put `new`, one after the other, where `old` stands in the tree."""

    old: cst.CSTNode
    new: tuple[cst.CSTNode, ...]


@dataclass(frozen=True)
class FixPlan:
    """A fix in terms of nodes; the engine lowers it to edits of the text."""

    title: str
    replacements: tuple[Replacement, ...]
    applicability: Applicability


@dataclass(frozen=True)
class Report:
    """A finding in terms of nodes; the engine lowers it to a Diagnostic."""

    rule: Rule
    node: cst.CSTNode
    message: str
    fix: FixPlan | None = None


class Rule(ABC):
    """One kind of mistake. The class attributes describe it, `check` finds it.

    A rule sees every node of the classes in `node_types` once, class by class, and asks `file` for everything else:
    names, values, the kernel around a node, the targeted releases.
    """

    code: ClassVar[str]
    """Such as "TLC001". 001 to 099: values that the compiler reads as something else; 1xx: Python that means something
    else under tracing; 2xx: loops; 3xx: memory and tile operations; 4xx: declarations; 8xx: API that the targeted
    release lacks; 9xx: opinions, off by default."""
    name: ClassVar[str]
    """The same in kebab case, such as "coalesced-width-not-intimm"."""
    summary: ClassVar[str]
    """One sentence without a full stop, as the index of rules shows it."""
    releases: ClassVar[str]
    """The TileLang releases that the rule was measured to hold for, as a PEP 440 specifier."""
    triggers: ClassVar[tuple[bytes, ...]]
    """A file is looked at only if its bytes hold at least one of these."""
    node_types: ClassVar[tuple[type[cst.CSTNode], ...]] = (cst.Call,)
    """The LibCST classes whose instances `check` is given."""
    on_by_default: ClassVar[bool] = True
    """Whether the rule is selected where the configuration selects nothing."""
    fixable: ClassVar[Applicability | None] = None
    """The best applicability that a fix of the rule can have, None if it offers no fix."""

    @abstractmethod
    def check(self, node: cst.CSTNode, file: File) -> Iterator[Report]:
        """Yield what is wrong with `node`."""

    def report(self, node: cst.CSTNode, message: str, fix: FixPlan | None = None) -> Report:
        """Return a finding of this rule at `node`; `message` is one line that says what to write instead."""
        return Report(self, node, message, fix)
