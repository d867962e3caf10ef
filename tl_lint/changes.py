"""What is done to the dicts that names stand for: bound, filled, emptied, and by which other names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise

import libcst as cst

from tl_lint.names import Names, string_value
from tl_lint.scopes import Binding, BindingKind, Scope

__all__ = ["Change", "Changes", "How", "Named", "keyword_of"]

Named = tuple[Scope, str]
"""A name of a scope."""
_MOST_NAMES = 50
_ENDS_KNOWLEDGE = frozenset({"popitem", "__delitem__", "__ior__", "__init__"})


class How(Enum):
    BOUND = "the name is bound to a mapping, or to something unknown"
    STORED = "the value is the entry"
    REMOVED = "there is no entry"
    UNKNOWN = "what the entry is, is not understood"
    AUGMENTED = "the value's entry wins over the one before"
    UPDATED = "the arguments' entry wins over the one before"
    DEFAULT = "the value is the entry if there was none"


@dataclass(frozen=True, eq=False)
class Change:
    """What makes the entry of a dict with a name, when the statement or NamedExpr `node` runs."""

    node: cst.CSTNode
    how: How
    value: cst.BaseExpression | None = None
    shared: tuple[Binding, ...] = ()
    arguments: Sequence[cst.Arg] = ()
    named: Named | None = None


class Changes:
    """Finds what is done to the dicts of one file."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._places: dict[str, dict[Scope | None, list[cst.Name]]] = {}
        self._changes: dict[tuple[Scope, str, str], list[Change]] = {}
        self._aliases: dict[Named, set[Named]] | None = None
        self._groups: dict[Named, frozenset[Named]] = {}
        self._of_groups: dict[tuple[frozenset[Named], str], list[tuple[Named, cst.CSTNode]]] = {}

    def places(self, home: Scope, identifier: str) -> Sequence[cst.Name]:
        """Return the places where `identifier` is written and means, or would mean, the name of the scope `home`."""
        if identifier not in self._places:
            grouped: dict[Scope | None, list[cst.Name]] = {}
            for place in self._names.written(identifier):
                grouped.setdefault(self._names.scopes.scope_of(place).lookup(identifier), []).append(place)
            self._places[identifier] = grouped
        return self._places[identifier].get(home, ())

    def is_key(self, written: cst.BaseExpression, key: str) -> bool | None:
        """Return whether an expression is the key; None where it is no literal and no name for one string."""
        if isinstance(written, cst.Name) and written.value not in ("None", "True", "False"):
            reaching = self._names.bindings(written)
            if (
                len(reaching) != 1
                or reaching[0].meaning.kind is not BindingKind.ASSIGN
                or reaching[0].meaning.path != ()
            ):
                return None
            value = reaching[0].meaning.value
            text = string_value(value) if value is not None else None
            return text == key if text is not None else None
        if isinstance(written, (cst.SimpleString, cst.ConcatenatedString, cst.Name, cst.BaseNumber)):
            text = string_value(written)
            return None if text is None and isinstance(written, cst.ConcatenatedString) else text == key
        return None

    def of(self, home: Scope, identifier: str, key: str) -> list[Change]:
        """Return all that makes the entry of a name: what it is bound to, and what changes it, also by other names."""
        sources = [self._bound(each) for each in home.bindings[identifier]]
        sources += self._changes_of((home, identifier), key)
        group = self._group((home, identifier))
        if (group, key) not in self._of_groups:
            found = [(other, change.node) for other in group for change in self._all_changes(other, key)]
            self._of_groups[group, key] = found
        others = (node for other, node in self._of_groups[group, key] if other != (home, identifier))
        if len(group) > _MOST_NAMES and any(others):
            return []
        return sources + [Change(node, How.UNKNOWN) for node in dict.fromkeys(others)]

    def _bound(self, binding: Binding) -> Change:
        named = (binding.scope, binding.name)
        if isinstance(binding.node, cst.AugAssign):
            merges = isinstance(binding.node.operator, cst.BitOrAssign)
            how = How.AUGMENTED if merges else How.UNKNOWN
            return Change(binding.node, how, binding.value, (binding,), named=named)
        known = binding.kind is BindingKind.PARAMETER or (binding.kind is BindingKind.ASSIGN and binding.path == ())
        return Change(binding.node, How.BOUND, binding.value if known else None, (binding,))

    # ------------------------------------------------------------------ changes

    def _all_changes(self, named: Named, key: str) -> Iterator[Change]:
        """Yield what changes the dict of a name in place."""
        yield from self._changes_of(named, key)
        home, identifier = named
        for each in home.bindings.get(identifier, ()):
            if isinstance(each.node, cst.AugAssign):
                yield self._bound(each)

    def _changes_of(self, named: Named, key: str) -> list[Change]:
        home, identifier = named
        if (home, identifier, key) not in self._changes:
            found = (self._change(place, key, named) for place in self.places(home, identifier))
            self._changes[home, identifier, key] = [each for each in found if each is not None]
        return self._changes[home, identifier, key]

    def _change(self, name: cst.Name, key: str, named: Named) -> Change | None:
        """Return what is done to the dict where its name is written: an item stored or deleted, a method called."""
        parents = self._names.tree.parents
        parent = parents[name]
        change: Change | None = None
        if isinstance(parent, cst.Subscript) and parent.value is name:
            change = self._stored(parent, key)
        elif isinstance(parent, cst.Attribute) and parent.value is name:
            call = parents[parent]
            if isinstance(call, cst.Call) and call.func is parent:
                change = self._called(call, parent.attr.value, key)
        if change is None:
            return None
        return replace(change, shared=tuple(each.meaning for each in self._names.bindings(name)), named=named)

    def _stored(self, subscript: cst.Subscript, key: str) -> Change | None:
        index = subscript.slice[0].slice if len(subscript.slice) == 1 else None
        same = self.is_key(index.value, key) if isinstance(index, cst.Index) else None
        if same is False:
            return None
        parents = self._names.tree.parents
        path: list[int | None] = []
        target: cst.CSTNode = subscript
        while isinstance(around := parents[target], (cst.Element, cst.StarredElement, cst.Tuple, cst.List)):
            if isinstance(around, (cst.Tuple, cst.List)):
                starred = any(isinstance(each, cst.StarredElement) for each in around.elements)
                path.append(None if starred else list(around.elements).index(target))  # type: ignore[arg-type]
            target = around
        statement = self._names.tree.statement(around)
        if not isinstance(around, (cst.AssignTarget, cst.AsName)) and getattr(around, "target", None) is not target:
            return None
        if isinstance(around, cst.Del):
            return Change(statement, How.REMOVED if same else How.UNKNOWN)
        if isinstance(statement, cst.AnnAssign) and statement.value is None:
            return None
        whole = statement.value if isinstance(statement, (cst.Assign, cst.AnnAssign)) else None
        value = _unpacked(whole, path)
        return Change(statement, How.STORED if same and value is not None else How.UNKNOWN, value)

    def _called(self, call: cst.Call, method: str, key: str) -> Change | None:
        statement = self._names.tree.statement(call)
        first = call.args[0].value if call.args and not call.args[0].star else None
        same = self.is_key(first, key) if first is not None else None
        if method == "clear":
            return Change(statement, How.REMOVED)
        if method in _ENDS_KNOWLEDGE:
            return Change(statement, How.UNKNOWN)
        if method == "update":
            touched = any(keyword_of(each) in (None, key) for each in call.args)
            return Change(statement, How.UPDATED, arguments=call.args) if touched else None
        if method not in ("pop", "setdefault", "__setitem__") or same is False:
            return None
        if method == "pop":
            return Change(statement, How.REMOVED if same else How.UNKNOWN)
        value = call.args[1].value if same and len(call.args) == 2 and not call.args[1].star else None
        if value is None:
            return Change(statement, How.UNKNOWN)
        return Change(statement, How.DEFAULT if method == "setdefault" else How.STORED, value)

    # ------------------------------------------------------------------ other names of a dict

    def _group(self, named: Named) -> frozenset[Named]:
        """Return the names that may stand for the same dict: those that are assigned to each other."""
        if self._aliases is None:
            self._aliases = {}
            for node in self._names.tree.nodes(cst.Assign, cst.AnnAssign, cst.NamedExpr):
                self._collect_aliases(node, self._aliases)
        if named not in self._groups:
            members = {named}
            waiting = [named]
            while waiting:
                further = self._aliases.get(waiting.pop(), set()) - members
                members |= further
                waiting += further
            group = frozenset(members)
            self._groups.update((member, group) for member in group)
        return self._groups[named]

    def _collect_aliases(self, node: cst.CSTNode, aliases: dict[Named, set[Named]]) -> None:
        assert isinstance(node, (cst.Assign, cst.AnnAssign, cst.NamedExpr))
        if node.value is None:
            return
        targets = [each.target for each in node.targets] if isinstance(node, cst.Assign) else [node.target]
        same = [name for name in targets if isinstance(name, cst.Name)] + list(_alternatives(node.value))
        pairs = [same]
        for target in targets:
            if isinstance(target, (cst.Tuple, cst.List)) and isinstance(node.value, (cst.Tuple, cst.List)):
                for left, right in zip(target.elements, node.value.elements, strict=False):
                    if isinstance(left.value, cst.Name):
                        pairs.append([left.value, *_alternatives(right.value)])
        scope = self._names.scopes.scope_of(node)
        for names in pairs:
            homes = [(home, name.value) for name in names if (home := scope.lookup(name.value)) is not None]
            for one, other in pairwise(homes):
                aliases.setdefault(one, set()).add(other)
                aliases.setdefault(other, set()).add(one)


def _alternatives(value: cst.BaseExpression) -> Iterator[cst.Name]:
    """Yield the names of which one may be what an expression gives."""
    stack = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, cst.Name):
            yield current
        elif isinstance(current, cst.IfExp):
            stack += [current.orelse, current.body]
        elif isinstance(current, cst.BooleanOperation):
            stack += [current.right, current.left]
        elif isinstance(current, cst.NamedExpr):
            stack += [current.value, current.target]


def _unpacked(value: cst.BaseExpression | None, path: Sequence[int | None]) -> cst.BaseExpression | None:
    """Return the part of a written tuple that unpacking takes to a target; None where that is not known."""
    for index in reversed(path):
        if index is None or not isinstance(value, (cst.Tuple, cst.List)) or index >= len(value.elements):
            return None
        if any(isinstance(each, cst.StarredElement) for each in value.elements):
            return None
        value = value.elements[index].value
    return value


def keyword_of(argument: cst.Arg) -> str | None:
    """Return the keyword that an argument is written with, or None."""
    return argument.keyword.value if argument.keyword is not None else None
