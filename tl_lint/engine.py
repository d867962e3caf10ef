"""lint(source, settings): from the text of one file to its findings. Pure, but for re-exporting files that are read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tl_lint.model import CANNOT_ANALYSE, CANNOT_ANALYSE_NAME, Diagnostic, Edit, Fix, Span
from tl_lint.source import Source, SourceError
from tl_lint.stack import with_deep_stack

if TYPE_CHECKING:
    import libcst as cst

    from tl_lint.config import Settings
    from tl_lint.rule import FixPlan, Replacement, Report, Rule

__all__ = ["cannot_analyse", "lint"]

_NOT_KEPT = re.compile(r"\r(?!\n)|\x0c")


def cannot_analyse(error: SourceError) -> Diagnostic:
    """Return the finding that stands for a file which can't be read or parsed."""
    return Diagnostic(CANNOT_ANALYSE, CANNOT_ANALYSE_NAME, error.message, Span(error.offset, error.offset))


def lint(source: Source, settings: Settings, silence: bool = True) -> list[Diagnostic]:
    """Return what is wrong with `source`, sorted by position and code.

    Only selected rules that hold for a targeted release report. With `silence`, findings that a noqa comment silences
    are left out. A file that can't be decoded or parsed gives one TLC000, if its bytes hold what would have it parsed.
    Raises nothing that the text of a file can cause.
    """
    if not source.holds(settings.needles):
        return []
    rules = [rule for rule in settings.enabled(source.path) if source.holds(rule.triggers)]
    if not rules:
        return []
    try:
        found: list[Diagnostic] = with_deep_stack(_analyse, source, settings, rules)
        if silence:
            found = [each for each in found if not _is_silenced(source, each)]
    except SourceError as error:
        return [cannot_analyse(error)]
    except (RecursionError, MemoryError) as error:
        return [cannot_analyse(SourceError(f"too deeply nested or too large to analyse ({type(error).__name__})"))]
    return sorted(found, key=lambda each: (each.span, each.code))


def _is_silenced(source: Source, diagnostic: Diagnostic) -> bool:
    return source.silenced(diagnostic.code, source.position(diagnostic.span.start).line)


def _analyse(source: Source, settings: Settings, rules: Sequence[Rule]) -> list[Diagnostic]:
    from tl_lint.kernels import File  # LibCST behind it is loaded for files that need it only
    from tl_lint.tree import Tree

    tree = Tree(source.parse())
    file = File(tree, settings.target, source.path, settings.language_modules)
    reports = [report for rule in rules for node in tree.nodes(*rule.node_types) for report in rule.check(node, file)]
    if not reports:
        return []
    spans = source.spans({node for report in reports for node in _nodes(report)})
    return [
        Diagnostic(
            report.rule.code,
            report.rule.name,
            report.message,
            spans[report.node],
            _lowered(report.fix, spans, tree.module, source.text) if report.fix is not None else None,
        )
        for report in reports
    ]


def _nodes(report: Report) -> Iterator[cst.CSTNode]:
    yield report.node
    if report.fix is not None:
        yield from (replacement.old for replacement in report.fix.replacements)


def _lowered(plan: FixPlan, spans: dict[cst.CSTNode, Span], module: cst.Module, text: str) -> Fix | None:
    """Return the fix as edits of `text`; None if LibCST would not write what an edit replaces as it stands there."""
    if any(_NOT_KEPT.search(text, spans[each.old].start, spans[each.old].end) for each in plan.replacements):
        return None
    edits = {_edit(each, spans[each.old], module, text) for each in plan.replacements}
    return Fix(plan.title, tuple(sorted(edits)), plan.applicability)


def _edit(replacement: Replacement, span: Span, module: cst.Module, text: str) -> Edit:
    new = "".join(module.code_for_node(node) for node in replacement.new)
    if ("\n" in new or "\r" in new) and hasattr(replacement.old, "lpar"):
        # Printed by itself, what spans lines loses the indentation of the block around it.
        printed = module.code_for_node(replacement.old.with_changes(lpar=(), rpar=()))
        new = new.replace(printed, text[span.start : span.end])
    before = text[span.start - 1 : span.start]
    if new[:1].isidentifier() and (before.isalnum() or before == "_"):  # as in `4 if flag else-4`
        new = f" {new}"
    return Edit(span.start, span.end, new)
