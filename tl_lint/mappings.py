"""What a dict of the file may hold under a key: a literal, one made of others, or one that statements fill."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from tl_lint.changes import Change, Changes, How
from tl_lint.flow import Definition
from tl_lint.names import NameFlow, Names
from tl_lint.scopes import Binding, BindingKind, Scope

__all__ = ["LACKING", "NOTHING", "Carried", "Entries", "Mappings", "together"]


@dataclass(frozen=True, eq=False)
class Carried:
    """An expression that a call hands over.

    `value` is the expression, where it is written; `place` is the node in the call to report at: `value` itself, or the
    name or `**options` through which it comes. `shared` are the names of the dicts on the way. `in_annotations` tells
    that it came as an entry of `annotations`.
    """

    value: cst.BaseExpression
    place: cst.CSTNode
    shared: tuple[Binding, ...] = ()
    in_annotations: bool = False


@dataclass(frozen=True, eq=False)
class Entries:
    """What may be found under a key. `lacking` tells that there may be nothing; neither is said of what is unknown."""

    found: tuple[Carried, ...] = ()
    lacking: bool = False

    def over(self, other: Entries) -> Entries:
        """Return what is found where this wins over `other`."""
        return _either((Entries(self.found), other)) if self.lacking else self

    def at(self, place: cst.CSTNode) -> Entries:
        """Return the same, to report at `place`."""
        return Entries(tuple(replace(each, place=place) for each in self.found), self.lacking)

    def through(self, bindings: Iterable[Binding]) -> Entries:
        """Return the same, with further names on the way."""
        found = (replace(each, shared=_unique((*bindings, *each.shared))) for each in self.found)
        return Entries(tuple(found), self.lacking)


NOTHING = Entries()
"""Nothing is known."""
LACKING = Entries(lacking=True)
"""The key is not there."""


def _unique(bindings: Iterable[Binding]) -> tuple[Binding, ...]:
    return tuple(dict.fromkeys(bindings))


def _either(alternatives: Iterable[Entries]) -> Entries:
    """Return what is found where one of several is the case; what comes by several ways has all names on them."""
    found: dict[cst.BaseExpression, Carried] = {}
    lacking = False
    for alternative in alternatives:
        lacking = lacking or alternative.lacking
        for each in alternative.found:
            known = found.get(each.value)
            found[each.value] = replace(known, shared=_unique((*known.shared, *each.shared))) if known else each
    return Entries(tuple(found.values()), lacking)


def together(members: Sequence[Entries]) -> Entries:
    """Return what is found in keywords and `**` of one call, of which only one may hold the key: else Python raises."""
    holding = [each for each in members if each.found]
    if holding:
        return Entries(_either(holding).found, all(each.lacking for each in members))
    return LACKING if all(each.lacking for each in members) else NOTHING


class Mappings:
    """Looks into the dicts of one file."""

    def __init__(self, names: Names) -> None:
        self.changes = Changes(names)
        self._names = names
        self._sources: dict[tuple[Scope, str, str], list[Change]] = {}
        self._flows: dict[tuple[Scope, str, str], NameFlow[Change]] = {}
        self._known: dict[tuple[object, str], Entries] = {}
        self._partial: dict[tuple[object, str], Entries] = {}
        self._running: dict[tuple[object, str], int] = {}
        self._lowest = 0

    def entries(self, mapping: cst.BaseExpression, key: str) -> Entries:
        """Return what `mapping[key]` may be, each to report where it is written, or at the name it comes through."""
        return self._entries_of(mapping, key)

    def _entries_of(self, subject: cst.BaseExpression | Change, key: str) -> Entries:
        """Return the entries of an expression, or after a change; of what a dict made of itself holds, what is new.

        What is found while a part of it is still being looked into is kept until the first question is answered.
        """
        asked = (subject, key)
        known = self._known.get(asked) or self._partial.get(asked)
        if known is not None:
            return known
        if asked in self._running:
            self._lowest = min(self._lowest, self._running[asked])
            return NOTHING
        depth = len(self._running)
        self._running[asked] = depth
        around, self._lowest = self._lowest, depth
        try:
            found = self._after(subject, key) if isinstance(subject, Change) else self._in_expression(subject, key)
        finally:
            del self._running[asked]
        (self._known if self._lowest >= depth else self._partial)[asked] = found
        self._lowest = min(around, self._lowest)
        if not depth:
            self._partial.clear()
        return found

    # ------------------------------------------------------------------ expressions

    def _in_expression(self, mapping: cst.BaseExpression, key: str) -> Entries:
        if isinstance(mapping, cst.Dict):
            return self._in_literal(mapping, key)
        if isinstance(mapping, cst.Call):
            return self._in_call(mapping, key)
        if isinstance(mapping, cst.Name):
            return self._in_name(mapping, key)
        if isinstance(mapping, cst.IfExp):
            return _either([self._entries_of(mapping.body, key), self._entries_of(mapping.orelse, key)])
        if isinstance(mapping, cst.BooleanOperation):
            return _either([self._entries_of(mapping.left, key), self._entries_of(mapping.right, key)])
        if isinstance(mapping, cst.BinaryOperation) and isinstance(mapping.operator, cst.BitOr):
            return self._entries_of(mapping.right, key).over(self._entries_of(mapping.left, key))
        if isinstance(mapping, cst.NamedExpr):
            return self._in_walrus(mapping, key)
        return NOTHING

    def _in_literal(self, mapping: cst.Dict, key: str) -> Entries:
        result = LACKING
        for element in mapping.elements:
            if isinstance(element, cst.StarredDictElement):
                result = self._entries_of(element.value, key).over(result)
            elif isinstance(element, cst.DictElement):
                result = self._given(element.key, element.value, key, result)
        return result

    def _given(self, written: cst.BaseExpression, value: cst.BaseExpression, key: str, before: Entries) -> Entries:
        """Return what is found after `value` is put under the key `written`."""
        same = self.changes.is_key(written, key)
        if same is None:
            return NOTHING
        return Entries((Carried(value, value),)) if same else before

    def _in_call(self, call: cst.Call, key: str) -> Entries:
        if isinstance(call.func, cst.Attribute) and call.func.attr.value == "copy" and not call.args:
            return self._entries_of(call.func.value, key)
        return self._in_arguments(call.args, key) if self._names.only(call.func) == "builtins.dict" else NOTHING

    def _in_arguments(self, arguments: Sequence[cst.Arg], key: str) -> Entries:
        """Return what is found in the arguments of `dict(...)` or `.update(...)`."""
        first = LACKING
        by_keyword: list[Entries] = []
        for argument in arguments:
            if argument.keyword is not None:
                if argument.keyword.value == key:
                    by_keyword.append(Entries((Carried(argument.value, argument.value),)))
            elif argument.star == "**":
                by_keyword.append(self._entries_of(argument.value, key))
            elif argument.star:
                first = NOTHING
            elif isinstance(argument.value, (cst.List, cst.Tuple)):
                first = self._in_pairs(argument.value, key)
            else:
                first = self._entries_of(argument.value, key)
        return together(by_keyword).over(first)

    def _in_pairs(self, pairs: cst.List | cst.Tuple, key: str) -> Entries:
        result = LACKING
        for element in pairs.elements:
            pair = element.value
            items = pair.elements if isinstance(pair, (cst.List, cst.Tuple)) else ()
            if len(items) == 2 and all(isinstance(each, cst.Element) for each in (element, *items)):
                result = self._given(items[0].value, items[1].value, key, result)
            else:
                result = NOTHING
        return result

    def _in_walrus(self, mapping: cst.NamedExpr, key: str) -> Entries:
        found = self._entries_of(mapping.value, key)
        if not isinstance(mapping.target, cst.Name):
            return found
        home = self._names.scopes.scope_of(mapping).lookup(mapping.target.value)
        bindings = home.bindings.get(mapping.target.value, ()) if home is not None else ()
        return found.through([each for each in bindings if each.node is mapping])

    # ------------------------------------------------------------------ names

    def _in_name(self, name: cst.Name, key: str) -> Entries:
        home = self._names.scopes.scope_of(name).lookup(name.value)
        if home is None or name.value not in home.bindings:
            return NOTHING
        return self._before(home, name.value, key, name).at(name)

    def _before(self, home: Scope, identifier: str, key: str, place: cst.CSTNode) -> Entries:
        """Return what the dict of a name may hold when `place` is read."""
        known = (home, identifier, key)
        if known not in self._sources:
            self._sources[known] = self.changes.of(home, identifier, key)
        sources = self._sources[known]
        if len(sources) > 1:
            if known not in self._flows:
                parameters = {each.node for each in home.bindings[identifier] if each.kind is BindingKind.PARAMETER}
                definitions = [Definition(each.node, each) for each in sources if each.node not in parameters]
                entry = [each for each in sources if each.node in parameters]
                self._flows[known] = NameFlow(self._names, home, identifier, definitions, entry)
            sources = sorted((each.meaning for each in self._flows[known].reaching(place)), key=self._rank)
        return _either([self._entries_of(each, key) for each in sources])

    def _rank(self, source: Change) -> int:
        return self._names.tree.order(source.value if source.value is not None else source.node)

    def _after(self, source: Change, key: str) -> Entries:
        """Return what is found once `source` has run."""
        if source.how is How.REMOVED:
            return LACKING
        if source.how is How.UNKNOWN or (source.value is None and source.how is not How.UPDATED):
            return NOTHING
        if source.how is How.UPDATED:
            found = self._in_arguments(source.arguments, key)
        elif source.how in (How.BOUND, How.AUGMENTED) and source.value is not None:
            found = self._entries_of(source.value, key)
        else:
            assert source.value is not None
            found = Entries((Carried(source.value, source.value),))
        found = found.through(source.shared)
        if source.how in (How.BOUND, How.STORED):
            return found
        assert source.named is not None
        before = self._before(*source.named, key, source.node)
        return before.over(found) if source.how is How.DEFAULT else found.over(before)
