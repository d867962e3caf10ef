"""How to write a name of the language at a place: with what is visible there, or with an import added."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from tl_lint.names import LANGUAGE, UNKNOWN, Names, dotted_name
from tl_lint.rule import Replacement
from tl_lint.scopes import Binding, BindingKind, Scope, is_none

__all__ = ["Spelling", "spell"]


_DIALECT = re.compile(r"(^|\.)tilelang\.\w+\.language$")


_BRANCHING = (cst.If, cst.For, cst.While, cst.MatchCase, cst.ExceptHandler, cst.ExceptStarHandler)


@dataclass(frozen=True)
class Spelling:
    """`text` such as "T.IntImm", and the changes elsewhere that make it mean what it should."""

    text: str
    imports: tuple[Replacement, ...] = ()

    def called_with(self, *arguments: cst.Arg) -> cst.Call:
        """Return a call of the name."""
        return cst.Call(func=cst.parse_expression(self.text), args=arguments)


def spell(names: Names, wanted: str, callee: cst.BaseExpression, place: cst.CSTNode) -> Spelling | None:
    """Return how to write the language's `wanted` ("IntImm") at `place`, or None if nothing there can mean it.

    `callee` is the expression through which the file calls the language nearby. In this order: the callee's own prefix
    if that is the language module or a dialect; an imported name of `wanted`; the first name in the file that is bound
    to the language module; `tilelang.language` if `tilelang` is bound; a name that is bound to a dialect; else `wanted`
    is added to the import that bound the callee. Whatever is chosen is not shadowed at `place`.
    """
    for text in _visible(names, wanted, callee, place):
        return Spelling(text)
    return _imported(names, wanted, callee, place)


def _visible(names: Names, wanted: str, callee: cst.BaseExpression, place: cst.CSTNode) -> Iterator[str]:
    if isinstance(callee, cst.Attribute) and names.only(callee.value) == LANGUAGE:
        prefix = dotted_name(callee.value)
        if prefix and _means(names, prefix, place, LANGUAGE):
            yield f"{prefix}.{wanted}"
    for name, meaning in _names_in_sight(names, place):
        if meaning == f"{LANGUAGE}.{wanted}":
            yield name
    if names.resolve_at(wanted, place) == {f"{LANGUAGE}.{wanted}"}:  # a star import
        yield wanted
    modules = [name for name, meaning in _names_in_sight(names, place) if meaning == LANGUAGE]
    dialects = [name for name in modules if _is_dialect(names, name, place)]
    yield from (f"{name}.{wanted}" for name in modules if name not in dialects)
    for name, meaning in _names_in_sight(names, place):
        if meaning == "tilelang":
            yield f"{name}.language.{wanted}"
    yield from (f"{name}.{wanted}" for name in dialects)


def _is_dialect(names: Names, name: str, place: cst.CSTNode) -> bool:
    """Return whether a name for the language is one for a dialect of it, such as `tilelang.rocm.language`."""
    pending, seen = [(name, place)], set()
    while pending:
        name, place = pending.pop()
        for binding in (each.meaning for each in names.bindings_at(name, place)):
            if binding in seen:
                continue
            seen.add(binding)
            if isinstance(binding.value, cst.Name):
                pending.append((binding.value.value, binding.node))
            elif _DIALECT.search(binding.dotted or (dotted_name(binding.value) if binding.value is not None else "")):
                return True
    return False


def _means(names: Names, dotted: str, place: cst.CSTNode, meaning: str) -> bool:
    first, _, rest = dotted.partition(".")
    found = {names.canonical(f"{each}.{rest}" if rest else each) for each in names.resolve_at(first, place)}
    return found == {meaning}


def _names_in_sight(names: Names, place: cst.CSTNode) -> Iterator[tuple[str, str]]:
    """Yield the names that can mean the language or something in it at `place`, in the order of the text."""
    bindings: list[Binding] = []
    scope: Scope | None = names.scopes.scope_of(place)
    while scope is not None:
        bindings += names.bound_to_language(scope)
        scope = scope.parent
    bindings.sort(key=lambda each: names.tree.order(each.node))
    for binding in bindings:
        meanings = names.resolve_at(binding.name, place)
        if len(meanings) == 1 and UNKNOWN not in meanings and _is_certain(names, binding.name, place):
            yield binding.name, next(iter(meanings))


def _is_certain(names: Names, name: str, place: cst.CSTNode) -> bool:
    """Return whether `name` is bound whenever `place` runs: not below it, and not on a way that may not be taken.

    An import under `if TYPE_CHECKING:` never runs.
    """
    taken = _branches(names, place)
    for binding in (each.meaning for each in names.bindings_at(name, place)):
        if is_none(binding.value):
            continue
        if not _branches(names, binding.node) <= taken:
            return False
        runs_later = names.is_deferred(place, binding.scope)
        if not runs_later and names.tree.order(binding.node) > names.tree.order(place):
            return False
    return True


def _branches(names: Names, node: cst.CSTNode) -> frozenset[tuple[cst.CSTNode, cst.CSTNode]]:
    """Return the branches that `node` stands in, each as the statement and the part of it, up to the function."""
    found: list[tuple[cst.CSTNode, cst.CSTNode]] = []
    for ancestor, child in names.tree.ancestors(node):
        if isinstance(ancestor, _BRANCHING) and isinstance(child, (cst.BaseSuite, cst.If, cst.Else)):
            found.append((ancestor, child))
    return frozenset(found)


def _imported(names: Names, wanted: str, callee: cst.BaseExpression, place: cst.CSTNode) -> Spelling | None:
    """Add `wanted` in front of the names that the callee's import statement binds."""
    binding = _import_of(names, callee)
    if binding is None or not isinstance(callee, cst.Name) or not isinstance(binding.node, cst.ImportAlias):
        return None
    statement = names.tree.parents[binding.node]
    if not isinstance(statement, cst.ImportFrom) or isinstance(statement.names, cst.ImportStar):
        return None
    module = binding.dotted.rpartition(".")[0]
    if not names.is_language(module):
        return None
    if not any(each.meaning is binding for each in names.bindings_at(binding.name, place)):
        return None
    if names.resolve_at(wanted, place) != {UNKNOWN} or _is_taken(names, wanted, binding.scope, place):
        return None
    first = statement.names[0]
    added = cst.ImportAlias(cst.Name(wanted), comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))
    kept = first.with_changes(comma=cst.MaybeSentinel.DEFAULT)  # the comma stands outside the alias's own span
    return Spelling(wanted, (Replacement(first, (added, kept)),))


def _import_of(names: Names, callee: cst.BaseExpression) -> Binding | None:
    """Return the import that `callee` goes back to, through any aliases, or None if there is not just one."""
    for _ in range(8):
        if isinstance(callee, cst.Call) and names.only(callee.func) == "functools.partial":
            callee = callee.args[0].value
        if not isinstance(callee, cst.Name):
            return None
        reaching = [each.meaning for each in names.bindings(callee) if not is_none(each.meaning.value)]
        if len(reaching) != 1:
            return None
        binding = reaching[0]
        if binding.kind is BindingKind.IMPORT:
            return binding
        if binding.kind is not BindingKind.ASSIGN or binding.value is None or binding.path != ():
            return None
        callee = binding.value
    return None


def _is_taken(names: Names, wanted: str, home: Scope, place: cst.CSTNode) -> bool:
    """Return whether a scope between the import and `place`, or one that would see the import, binds the name."""
    if wanted in home.bindings or wanted in home.elsewhere:
        return True
    scope: Scope | None = names.scopes.scope_of(place)
    while scope is not None and scope is not home:
        if wanted in scope.bindings or wanted in scope.elsewhere:
            return True
        scope = scope.parent
    # Another module's star import may bind it as well.
    return scope is None or any(names.canonical(star.dotted) != LANGUAGE for star in names.scopes.module.stars)
