"""What a call hands over: by keyword, in `annotations={...}`, `**options`, a dict built elsewhere, or a partial."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from tl_lint.arithmetic import Kind
from tl_lint.changes import keyword_of
from tl_lint.mappings import LACKING, Carried, Entries, Mappings, together
from tl_lint.names import LANGUAGE, Names
from tl_lint.scopes import Binding
from tl_lint.values import Values

__all__ = ["Annotated", "Calls", "Carried"]

_PARTIALS = ("functools.partial", "functools.partialmethod")


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
        self.mappings = Mappings(names)
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

    def argument(self, arguments: Sequence[cst.Arg], keyword: str) -> Entries:
        """Return what may be handed over as `keyword`, directly or through `**`."""
        members: list[Entries] = []
        for argument in arguments:
            if keyword_of(argument) == keyword:
                members.append(Entries((Carried(argument.value, argument.value),)))
            elif argument.star == "**":
                found = self.mappings.entries(argument.value, keyword)
                members.append(found.at(argument) if found.found else found)
        return together(members)

    def annotated(self, call: cst.Call, key: str, takers: frozenset[str], ignored_with: str) -> Annotated | None:
        """Return what `call` reads for the annotation `key`, by keyword or in `annotations`; None where it reads none.

        `takers` are the names of the language's functions that take it. `ignored_with` is a keyword with which it is
        not read at all. On Parallel a keyword that is not None wins over `annotations`, elsewhere `annotations` win
        (read from `Parallel` and `copy` in TileLang 0.1.13 and 0.1.15). What a partial holds is reported where the
        partial is made, so a call of it reads what it gives itself, unless what is held wins.
        """
        if not any(each.star == "**" or keyword_of(each) in (key, "annotations") for each in call.args):
            return None
        target = self.target(call)
        if target is None or not target[0].startswith(f"{LANGUAGE}."):
            return None
        name, callee, arguments = target
        function = name[len(LANGUAGE) + 1 :]
        if function not in takers:
            return None
        is_partial = arguments is not call.args
        held = self._held(callee)
        if self._is_given(arguments, held, ignored_with):
            return None
        is_loop = function in ("Parallel", "parallel")
        read = self._read_by_loop(function, arguments, held, key) if is_loop else self._read(arguments, held, key)
        if is_partial:
            read = [each for each in read if not self._is_replaced(call, _rivals(each, is_loop, key), ignored_with, [])]
        return Annotated(call, function, callee, tuple(read)) if read or not is_partial else None

    def _read_by_loop(
        self, function: str, arguments: Sequence[cst.Arg], held: Sequence[cst.Arg], key: str
    ) -> list[Carried]:
        own, other = (self.argument(given, key) if function == "Parallel" else LACKING for given in (arguments, held))
        read = list(own.found) if self._kinds(own) - {Kind.NONE} else []
        is_left = (own.lacking or not own.found) and (not other.found or Kind.NONE in self._kinds(other))
        if is_left or Kind.NONE in self._kinds(own):
            read += self._in_annotations(self.argument(arguments, "annotations"), key).found
        return read

    def _read(self, arguments: Sequence[cst.Arg], held: Sequence[cst.Arg], key: str) -> list[Carried]:
        own = self._in_annotations(self.argument(arguments, "annotations"), key)
        if own.lacking and not self.argument(arguments, "annotations").found:
            own = Entries(lacking=self._in_annotations(self.argument(held, "annotations"), key).lacking)
        return [*own.found, *(self.argument(arguments, key).found if own.lacking else ())]

    def _kinds(self, entries: Entries) -> set[Kind]:
        return {value.kind for each in entries.found for value in self.values.evaluate(each.value)}

    def _in_annotations(self, annotations: Entries, key: str) -> Entries:
        """Return what is under `key` in what may be handed over as `annotations`; None is as good as none of them."""
        found: list[Carried] = []
        lacking = not annotations.found
        for outer in annotations.found:
            inner = self.mappings.entries(outer.value, key)
            lacking = lacking or inner.lacking or Kind.NONE in self._kinds(Entries((outer,)))
            for each in inner.found:
                place = outer.place if outer.place is not outer.value else each.place
                shared = (*outer.shared, *each.shared)
                found.append(replace(each, place=place, shared=shared, in_annotations=True))
        return Entries(tuple(found), lacking)

    def _is_given(self, arguments: Sequence[cst.Arg], held: Sequence[cst.Arg], keyword: str) -> bool:
        """Return whether the keyword may be given and not None, as a keyword or as the annotation it becomes."""
        for holder in (arguments, held):
            by_keyword = self.argument(holder, keyword)
            annotations = self._in_annotations(self.argument(holder, "annotations"), f"parallel_{keyword}")
            if any(self._kinds(each) - {Kind.NONE} for each in (by_keyword, annotations)):
                return True
            if by_keyword.found and not by_keyword.lacking:
                return False
        return False

    # ------------------------------------------------------------------ partials

    def _held(self, callee: cst.BaseExpression) -> list[cst.Arg]:
        """Return the arguments that the partials hold which `callee` may be, those that win first."""
        held: list[cst.Arg] = []
        waiting, seen = [callee], {callee}
        while waiting:
            current = waiting.pop()
            further: list[cst.BaseExpression] = []
            if isinstance(current, cst.Call) and self._is_partial(current):
                held += current.args[1:]
                further = [current.args[0].value]
            elif isinstance(current, cst.Name):
                meanings = [each.meaning for each in self.names.bindings(current)]
                further = [each.value for each in meanings if each.value is not None and each.path == ()]
            elif isinstance(current, cst.NamedExpr):
                further = [current.value]
            elif isinstance(current, cst.IfExp):
                further = [current.body, current.orelse]
            waiting += [each for each in further if each not in seen]
            seen.update(further)
        return held

    def _is_partial(self, call: cst.Call) -> bool:
        plain = bool(call.args) and call.args[0].keyword is None and not call.args[0].star
        return plain and self.names.only(call.func) in _PARTIALS

    def _is_replaced(self, partial: cst.Call, rivals: Iterable[str], ignored_with: str, seen: list[cst.Call]) -> bool:
        """Return whether every use of a partial gives one of the keywords `rivals`, or `ignored_with`, itself."""
        if partial in seen:
            return False
        uses = self._uses(partial)
        return bool(uses) and all(self._replaces(use, rivals, ignored_with, [*seen, partial]) for use in uses)

    def _uses(self, partial: cst.Call) -> list[cst.CSTNode]:
        """Return the expressions that stand for a partial: itself, or where the one name it is bound to is read."""
        parents = self.names.tree.parents
        statement = parents[partial]
        targets: Sequence[cst.CSTNode] = ()
        if isinstance(statement, cst.Assign):
            targets = [each.target for each in statement.targets]
        elif isinstance(statement, cst.AnnAssign):
            targets = [statement.target]
        if not targets:
            return [partial]
        target = targets[0]
        home = self.names.scopes.scope_of(statement).lookup(target.value) if isinstance(target, cst.Name) else None
        if len(targets) > 1 or home is None or not isinstance(target, cst.Name):
            return []
        return [
            place
            for place in self.mappings.changes.places(home, target.value)
            if not _is_no_read(place, parents[place])
            and any(each.meaning.node is statement for each in self.names.bindings(place))
        ]

    def _replaces(self, use: cst.CSTNode, rivals: Iterable[str], ignored_with: str, seen: list[cst.Call]) -> bool:
        parents = self.names.tree.parents
        around = parents[use]
        if isinstance(around, cst.Call) and around.func is use:
            return self._gives(around.args, rivals, ignored_with)
        outer = parents[around] if isinstance(around, cst.Arg) else None
        if not isinstance(outer, cst.Call) or outer.args[0] is not around or not self._is_partial(outer):
            return False
        gives = self._gives(outer.args[1:], rivals, ignored_with)
        return gives or self._is_replaced(outer, rivals, ignored_with, seen)

    def _gives(self, arguments: Sequence[cst.Arg], rivals: Iterable[str], ignored_with: str) -> bool:
        given = any(not self.argument(arguments, rival).lacking for rival in rivals)
        return given or self._is_given(arguments, (), ignored_with)

    # ------------------------------------------------------------------ dicts

    def serves_only(self, binding: Binding, takers: frozenset[str]) -> bool:
        """Return whether every use of a dict's name is as `annotations=` or `**` of a call of `takers`, or fills it."""
        if (binding, takers) not in self._serving:
            self._serving[binding, takers] = self._serves_only(binding, takers)
        return self._serving[binding, takers]

    def _serves_only(self, binding: Binding, takers: frozenset[str]) -> bool:
        parents = self.names.tree.parents
        for name in self.mappings.changes.places(binding.scope, binding.name):
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
        if not isinstance(parent, cst.Arg) or not (parent.star == "**" or keyword_of(parent) == "annotations"):
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


def _rivals(carried: Carried, is_loop: bool, key: str) -> tuple[str, ...]:
    """Return the keywords that, given in a call of a partial, win over what the partial holds."""
    if carried.in_annotations:
        return (key, "annotations") if is_loop else ("annotations",)
    return (key,) if is_loop else (key, "annotations")
