"""What a call hands over: by keyword, in `annotations={...}`, `**options`, a dict built elsewhere, or a partial."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from tl_lint.arithmetic import Kind
from tl_lint.flow import Definition
from tl_lint.names import LANGUAGE, NameFlow, Names, string_value
from tl_lint.scopes import Binding, BindingKind, Scope
from tl_lint.values import Values

__all__ = ["Annotated", "Calls", "Carried"]

_Meaning = tuple[Binding, cst.BaseExpression | None]
_DictFlow = tuple[NameFlow[_Meaning], frozenset[cst.BaseExpression]]
_PARTIALS = ("functools.partial", "functools.partialmethod")


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
class Annotated:
    """A call of the language's `function` ("Parallel"), and what it reads for one annotation, in order of reading."""

    call: cst.Call
    function: str
    callee: cst.BaseExpression
    read: tuple[Carried, ...]


class Calls:
    """Reads the arguments of the calls in one file."""

    def __init__(self, names: Names, values: Values) -> None:
        self.names = names
        self.values = values
        self._flows: dict[tuple[Scope, str, str], _DictFlow] = {}
        self._serving: dict[tuple[Binding, frozenset[str]], bool] = {}

    def target(self, call: cst.Call) -> tuple[str, cst.BaseExpression, Sequence[cst.Arg]] | None:
        """Return what `call` calls or prepares: dotted name, the expression that says so, and the arguments for it.

        For `functools.partial(f, ...)` that is f with the rest of the arguments.
        """
        name = self.names.only(call.func)
        if name in _PARTIALS:
            if not call.args or call.args[0].keyword is not None or call.args[0].star:
                return None
            inner = self.names.only(call.args[0].value)
            return (inner, call.args[0].value, call.args[1:]) if inner is not None else None
        return (name, call.func, call.args) if name is not None else None

    def argument(self, arguments: Sequence[cst.Arg], keyword: str) -> tuple[Carried, ...]:
        """Return what may be handed over as `keyword`, directly or through `**`; empty where nothing is known to be."""
        for argument in arguments:
            if argument.keyword is not None and argument.keyword.value == keyword:
                return (Carried(argument.value, argument.value),)
        for argument in reversed(arguments):
            if argument.star == "**":
                found = tuple(self.entries(argument.value, keyword, argument))
                if found:
                    return found
        return ()

    def annotated(self, call: cst.Call, key: str, takers: frozenset[str], ignored_with: str) -> Annotated | None:
        """Return what `call` reads for the annotation `key`, by keyword or in `annotations`; None where it reads none.

        `takers` are the names of the language's functions that take it. `ignored_with` is a keyword with which it is
        not read at all. On Parallel a keyword that is not None wins over `annotations`, elsewhere `annotations` win
        (read from `Parallel` and `copy` in TileLang 0.1.13 and 0.1.15).
        """
        if not any(each.star == "**" or _keyword(each) in (key, "annotations") for each in call.args):
            return None
        target = self.target(call)
        if target is None or not target[0].startswith(f"{LANGUAGE}."):
            return None
        name, callee, arguments = target
        function = name[len(LANGUAGE) + 1 :]
        if function not in takers:
            return None
        if arguments is not call.args and self._is_overridden(call, key):
            return None
        by_keyword = self.argument(arguments, key) if function != "parallel" else ()
        in_annotations = tuple(self._in_annotations(arguments, key))
        if self._is_given(arguments, ignored_with):
            return None
        if function not in ("Parallel", "parallel"):
            return Annotated(call, function, callee, in_annotations or by_keyword)
        kinds = {value.kind for each in by_keyword for value in self.values.evaluate(each.value)}
        read = by_keyword if kinds - {Kind.NONE} else ()
        if not by_keyword or Kind.NONE in kinds:
            read += in_annotations
        return Annotated(call, function, callee, read)

    def _in_annotations(self, arguments: Sequence[cst.Arg], key: str) -> Iterator[Carried]:
        for outer in self.argument(arguments, "annotations"):
            by_name = outer.place is not outer.value
            for each in self.entries(outer.value, key, outer.place if by_name else None):
                yield replace(each, shared=(*outer.shared, *each.shared), in_annotations=True)

    def _is_overridden(self, partial: cst.Call, key: str) -> bool:
        """Return whether every use of the name that a partial is bound to is a call that gives `key` itself."""
        statement = self.names.tree.parents[partial]
        if not isinstance(statement, cst.Assign) or not isinstance(statement.targets[0].target, cst.Name):
            return False
        name = statement.targets[0].target
        uses = [
            self.names.tree.parents[use]
            for use in self.names.written(name.value)
            if use is not name and any(each.meaning.node is statement for each in self.names.bindings(use))
        ]
        return bool(uses) and all(
            isinstance(use, cst.Call) and any(_keyword(argument) == key for argument in use.args) for use in uses
        )

    def _is_given(self, arguments: Sequence[cst.Arg], keyword: str) -> bool:
        """Return whether the keyword may be given and not None, as a keyword or as the annotation it becomes."""
        given = (*self.argument(arguments, keyword), *self._in_annotations(arguments, f"parallel_{keyword}"))
        return any(value.kind is not Kind.NONE for each in given for value in self.values.evaluate(each.value))

    # ------------------------------------------------------------------ dicts

    def entries(
        self,
        mapping: cst.BaseExpression,
        key: str,
        place: cst.CSTNode | None,
        seen: set[cst.CSTNode] | None = None,
    ) -> Iterator[Carried]:
        """Yield what `mapping[key]` may be. `place` is where to report what was written elsewhere, None for `mapping`.

        `seen` are the expressions already looked into on the way here: a dict can be made of itself.
        """
        seen = set() if seen is None else seen
        if mapping in seen:
            return
        seen.add(mapping)
        if isinstance(mapping, cst.Dict):
            yield from self._entries_of_literal(mapping, key, place, seen)
        elif isinstance(mapping, cst.Call):
            yield from self._entries_of_call(mapping, key, place, seen)
        elif isinstance(mapping, cst.Name):
            yield from self._entries_of_name(mapping, key, place or mapping, seen)
        elif isinstance(mapping, cst.IfExp):
            yield from self.entries(mapping.body, key, place, seen)
            yield from self.entries(mapping.orelse, key, place, seen)
        elif isinstance(mapping, cst.NamedExpr):
            yield from self.entries(mapping.value, key, place, seen)
        elif isinstance(mapping, cst.BooleanOperation):
            yield from self.entries(mapping.left, key, place, seen)
            yield from self.entries(mapping.right, key, place, seen)
        elif isinstance(mapping, cst.BinaryOperation) and isinstance(mapping.operator, cst.BitOr):
            winning = list(self.entries(mapping.right, key, place, seen))
            yield from winning or self.entries(mapping.left, key, place, seen)

    def _entries_of_literal(
        self, mapping: cst.Dict, key: str, place: cst.CSTNode | None, seen: set[cst.CSTNode]
    ) -> Iterator[Carried]:
        for element in reversed(mapping.elements):
            if isinstance(element, cst.DictElement):
                if string_value(element.key) == key:
                    yield _written(element.value, place)
                    return
            elif isinstance(element, cst.StarredDictElement):
                found = list(self.entries(element.value, key, place, seen))
                if found:
                    yield from found
                    return

    def _entries_of_call(
        self, mapping: cst.Call, key: str, place: cst.CSTNode | None, seen: set[cst.CSTNode]
    ) -> Iterator[Carried]:
        if isinstance(mapping.func, cst.Attribute) and mapping.func.attr.value == "copy" and not mapping.args:
            yield from self.entries(mapping.func.value, key, place, seen)
            return
        if self.names.only(mapping.func) != "builtins.dict":
            return
        for argument in reversed(mapping.args):
            if _keyword(argument) == key:
                yield _written(argument.value, place)
                return
            if argument.star == "**" or (argument.keyword is None and not argument.star):
                found = list(self.entries(argument.value, key, place, seen))
                if found:
                    yield from found
                    return

    def _entries_of_name(
        self, name: cst.Name, key: str, place: cst.CSTNode, seen: set[cst.CSTNode]
    ) -> Iterator[Carried]:
        home = self.names.scopes.scope_of(name).lookup(name.value)
        if home is None or name.value not in home.bindings:
            return
        if (home, name.value, key) not in self._flows:
            self._flows[home, name.value, key] = self._flow_of(home, name.value, key, seen)
        flow, stored = self._flows[home, name.value, key]
        reaching = flow.reaching(name)
        for binding, value in sorted((each.meaning for each in reaching), key=self._rank):
            if value is None:
                continue
            if value in stored:
                yield Carried(value, place, (binding,))
            else:
                for found in self.entries(value, key, place, seen):
                    yield replace(found, shared=(binding, *found.shared))

    def _flow_of(self, home: Scope, name: str, key: str, seen: set[cst.CSTNode]) -> _DictFlow:
        """Return what defines the dict or its entry `key`, and those values that are the entry itself."""
        bindings = home.bindings[name]
        definitions: list[Definition[_Meaning]] = [
            Definition(each.node, (each, each.value if each.kind is BindingKind.ASSIGN and each.path == () else None))
            for each in bindings
            if each.kind is not BindingKind.PARAMETER
        ]
        changes = list(self._changes(name, key, bindings, seen))
        definitions += [Definition(node, (bindings[0], value)) for node, value in changes]
        entry: list[_Meaning] = [(each, each.value) for each in bindings if each.kind is BindingKind.PARAMETER]
        stored = frozenset(value for _, value in changes if value is not None)
        return NameFlow(self.names, home, name, definitions, entry), stored

    def _rank(self, meaning: _Meaning) -> int:
        return self.names.tree.order(meaning[1] if meaning[1] is not None else meaning[0].node)

    def _changes(
        self, name: str, key: str, bindings: Sequence[Binding], seen: set[cst.CSTNode]
    ) -> Iterator[tuple[cst.CSTNode, cst.BaseExpression | None]]:
        """Yield what changes the entry, as (statement, new value), None where it is taken out.

        Seen are `name[key] = value`, `name.update(key=value)`, `del name[key]`, `name.pop(key)` and `name.clear()`.
        """
        parents, statement = self.names.tree.parents, self.names.tree.statement
        for each in self.names.written(name):
            parent = parents[each]
            if isinstance(parent, cst.Subscript) and parent.value is each and _is_item(parent, key):
                around = statement(parent)
                stored = isinstance(parents[parent], cst.AssignTarget) and isinstance(around, cst.Assign)
                if (stored or isinstance(around, cst.Del)) and self._is_bound(each, bindings):
                    yield around, around.value if isinstance(around, cst.Assign) else None
            elif isinstance(parent, cst.Attribute) and parent.value is each:
                call = parents[parent]
                if isinstance(call, cst.Call) and call.func is parent and self._is_bound(each, bindings):
                    for value in self._after_method(call, parent.attr.value, key, seen):
                        yield statement(call), value

    def _after_method(
        self, call: cst.Call, method: str, key: str, seen: set[cst.CSTNode]
    ) -> Iterator[cst.BaseExpression | None]:
        """Yield what the entry is after a call of a method of the dict; nothing where it stays what it was."""
        if method == "clear" or (method == "pop" and call.args and string_value(call.args[0].value) == key):
            yield None
        for argument in call.args if method == "update" else ():
            if _keyword(argument) == key:
                yield argument.value
            elif argument.keyword is None:
                yield from (entry.value for entry in self.entries(argument.value, key, argument, seen))

    def _is_bound(self, name: cst.Name, bindings: Sequence[Binding]) -> bool:
        return any(each.meaning in bindings for each in self.names.bindings(name))

    def serves_only(self, binding: Binding, takers: frozenset[str]) -> bool:
        """Return whether every use of a dict's name is as `annotations=` or `**` of a call of `takers`, or fills it."""
        if (binding, takers) not in self._serving:
            self._serving[binding, takers] = self._serves_only(binding, takers)
        return self._serving[binding, takers]

    def _serves_only(self, binding: Binding, takers: frozenset[str]) -> bool:
        parents = self.names.tree.parents
        for name in self.names.written(binding.name):
            if parents[name] is binding.node:
                continue
            parent = parents[name]
            if _is_no_read(name, parent):
                continue
            serves = self._fills(parent) or self._is_handed_to(parent, takers)
            if not serves and any(each.meaning is binding for each in self.names.bindings(name)):
                return False
        return True

    def _fills(self, parent: cst.CSTNode) -> bool:
        if not isinstance(parent, cst.Subscript):
            return False
        return isinstance(self.names.tree.parents[parent], (cst.AssignTarget, cst.Del))

    def _is_handed_to(self, parent: cst.CSTNode, takers: frozenset[str]) -> bool:
        if not isinstance(parent, cst.Arg) or not (parent.star == "**" or _keyword(parent) == "annotations"):
            return False
        call = self.names.tree.parents[parent]
        target = self.target(call) if isinstance(call, cst.Call) else None
        return target is not None and target[0] in {f"{LANGUAGE}.{taker}" for taker in takers}


def _is_no_read(name: cst.Name, parent: cst.CSTNode) -> bool:
    """Return whether the name is bound here, or is the name of an attribute or a keyword."""
    if isinstance(parent, (cst.AssignTarget, cst.NameItem)):
        return True
    if isinstance(parent, cst.Attribute):
        return name is parent.attr
    if isinstance(parent, (cst.Param, cst.FunctionDef, cst.ClassDef)):
        return name is parent.name
    return isinstance(parent, cst.Arg) and name is parent.keyword


def _is_item(subscript: cst.Subscript, key: str) -> bool:
    index = subscript.slice[0].slice if len(subscript.slice) == 1 else None
    return isinstance(index, cst.Index) and string_value(index.value) == key


def _written(value: cst.BaseExpression, place: cst.CSTNode | None) -> Carried:
    return Carried(value, place if place is not None else value)


def _keyword(argument: cst.Arg) -> str | None:
    return argument.keyword.value if argument.keyword is not None else None
