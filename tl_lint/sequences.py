"""What tuples, lists, ranges and dicts that are written out in a file hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import libcst as cst

from tl_lint.arithmetic import OTHER, UNKNOWN, Kind, Possible, Value, limited
from tl_lint.names import Names, string_value, words
from tl_lint.scopes import Binding, BindingKind, Scope

__all__ = ["Sequences"]

_LONGEST_RANGE = 64
_NO_BOUNDS = (Kind.FLOAT, Kind.STRING, Kind.NONE, Kind.OTHER)
_HANDS_ON = frozenset(
    f"builtins.{name}" for name in ("list", "tuple", "set", "frozenset", "sorted", "reversed", "iter")
)
_IN_FULL = frozenset(f"builtins.{name}" for name in ("list", "tuple", "sorted"))
_ITERATORS = frozenset(f"builtins.{name}" for name in ("reversed", "iter"))
_FIXED = frozenset(f"builtins.{name}" for name in ("tuple", "frozenset", "range"))
"""Builtins that return what cannot be changed."""
_READ_FIRST = frozenset(
    f"builtins.{name}"
    for name in words(
        "len sum sorted reversed enumerate range tuple list set frozenset dict any all isinstance repr str bool"
    )
) | {"math.prod"}
"""Functions that only read their first argument, and return nothing through which it can be changed."""
_READ_ALL = frozenset({"builtins.zip", "builtins.print"})
_READ_ALONE = frozenset({"builtins.min", "builtins.max"})
"""Of one argument they return an element, of several one of the arguments."""
_READING_METHODS = words(
    "get keys values items index count copy union intersection difference symmetric_difference isdisjoint issubset"
    " issuperset"
)


class Sequences:
    """Takes literal containers apart; `evaluate` gives the values of an expression."""

    def __init__(self, names: Names, evaluate: Callable[[cst.BaseExpression], Possible]) -> None:
        self._names = names
        self._evaluate = evaluate
        self._only_read: dict[tuple[Scope, str], bool] = {}
        self._tables: dict[cst.Dict, dict[str | int | None, list[cst.BaseExpression]] | None] = {}

    def elements(self, expression: cst.BaseExpression) -> list[Possible] | None:
        """Return the values of each element that iterating over `expression` gives, or None if that is unknown.

        Of a long range or a comprehension the list holds samples: every kind of value, not every number.
        """
        expression = self._literal(expression)
        if isinstance(expression, (cst.Tuple, cst.List, cst.Set)):
            if _has_star(expression):
                return None
            return [self._evaluate(element.value) for element in expression.elements]
        if isinstance(expression, cst.Dict):
            return [self._evaluate(each.key) if isinstance(each, cst.DictElement) else frozenset({UNKNOWN})
                    for each in expression.elements]  # fmt: skip
        if isinstance(expression, (cst.ListComp, cst.SetComp, cst.GeneratorExp)):
            return [self._evaluate(expression.elt)]
        if isinstance(expression, cst.Call):
            function = self._names.only(expression.func)
            if function == "builtins.range":
                return self._range(expression)
            if function in _HANDS_ON and _is_plain_first(expression):
                return self.elements(expression.args[0].value)
        return None

    def all_elements(self, expression: cst.BaseExpression) -> list[Possible] | None:
        """Return the values of every element of `expression` in order, or None where it is not sure that these are all.

        None, too, for sets and dicts, of which equal elements are one, and for iterators with a name, of which some
        elements may have been taken before.
        """
        literal = self._literal(expression)
        if isinstance(literal, (cst.Tuple, cst.List)):
            return self.elements(literal)
        if not isinstance(literal, cst.Call):
            return None
        function = self._names.only(literal.func)
        if function == "builtins.range":
            bounds = self._bounds(literal)
            numbers = _numbers(bounds) if bounds is not None and None not in bounds else None
            return None if numbers is None or numbers[_LONGEST_RANGE:] else self._range(literal)
        whole = function in _IN_FULL or (function in _ITERATORS and literal is expression)
        return self.all_elements(literal.args[0].value) if whole and _is_plain_first(literal) else None

    def elements_along(self, expression: cst.BaseExpression, path: tuple[int, ...] | None) -> list[Possible] | None:
        """Return the values of a loop target that `path` leads to when a loop runs over `expression`."""
        if path is None:
            return None
        if not path:
            return self.elements(expression)
        if isinstance(expression, cst.Call):
            function = self._names.only(expression.func)
            if any(argument.star for argument in expression.args):
                return None
            arguments = [argument.value for argument in expression.args if argument.keyword is None]
            if function == "builtins.enumerate" and arguments:
                if path[0] == 0:
                    return [frozenset({Value(Kind.INT)})]
                return self.elements_along(arguments[0], path[1:])
            if function == "builtins.zip" and path[0] < len(arguments):
                return self.elements_along(arguments[path[0]], path[1:])
        literal = self._literal(expression)
        if not isinstance(literal, (cst.Tuple, cst.List, cst.Set)) or _has_star(literal):
            return None
        named = literal is not expression
        return [self.at(element.value, path, named) for element in literal.elements]

    def at(self, expression: cst.BaseExpression, path: tuple[int, ...] | None, named: bool = False) -> Possible:
        """Return the values of the element of `expression` that `path` leads to.

        `named` says that `expression` is part of a container with a name: a list in there may be changed through it.
        """
        for index in path or ():
            literal = self._literal(expression)
            if not isinstance(literal, (cst.Tuple, cst.List)) or _has_star(literal) or index >= len(literal.elements):
                return frozenset({UNKNOWN})
            if named and isinstance(literal, cst.List) and literal is expression:
                return frozenset({UNKNOWN})
            named = named or literal is not expression
            expression = literal.elements[index].value
        return frozenset({UNKNOWN}) if path is None else self._evaluate(expression)

    def item(self, expression: cst.Subscript) -> Possible | None:
        """Return the values of `container[index]`: of all elements where the index is not known."""
        if len(expression.slice) != 1 or not isinstance(expression.slice[0].slice, cst.Index):
            return None
        index = expression.slice[0].slice.value
        container = self._literal(expression.value)
        if isinstance(container, cst.Dict):
            return self._dict_item(container, index)
        elements = self.elements(container) if isinstance(container, (cst.Tuple, cst.List)) else None
        if not elements:
            return None
        number = _proved_number(self._evaluate(index))
        if number is not None:
            return elements[number] if -len(elements) <= number < len(elements) else frozenset({OTHER})
        return limited(value for element in elements for value in element)

    def _dict_item(self, container: cst.Dict, index: cst.BaseExpression) -> Possible | None:
        if container not in self._tables:
            self._tables[container] = self._table(container)
        table = self._tables[container]
        if table is None:
            return None
        key = self._key(index)
        if key is None:
            found = [value for values in table.values() for value in values]
        elif key in table or not isinstance(key, str):
            found = [*table.get(key, ()), *table.get(None, ())] or [
                each for values in table.values() for each in values
            ]
        else:
            found = []
        return limited(value for each in found for value in self._evaluate(each)) if found else None

    def _table(self, container: cst.Dict) -> dict[str | int | None, list[cst.BaseExpression]] | None:
        """Return what is under each key; of equal keys the last one counts. None where `**` adds some.

        Under None is everything whose key is not known: it may be any of the others.
        """
        table: dict[str | int | None, list[cst.BaseExpression]] = {}
        for element in container.elements:
            if not isinstance(element, cst.DictElement):
                return None
            key = self._key(element.key)
            if key is None:
                table.setdefault(None, []).append(element.value)
            else:
                table[key] = [element.value]
        return table

    def _key(self, expression: cst.BaseExpression) -> str | int | None:
        """Return the text or the number that `expression` is, None where that is not known."""
        text = string_value(expression)
        return text if text is not None else _proved_number(self._evaluate(expression))

    def _bounds(self, call: cst.Call) -> list[int | None] | None:
        """Return the arguments of a call of `range`, None for those not known; None if it raises or is not plain."""
        bounds: list[int | None] = []
        for argument in call.args:
            values = self._evaluate(argument.value)
            if argument.star or argument.keyword is not None or any(value.kind in _NO_BOUNDS for value in values):
                return None
            bounds.append(_proved_number(values))
        return bounds if 1 <= len(bounds) <= 3 and bounds[2:] != [0] else None

    def _range(self, call: cst.Call) -> list[Possible] | None:
        bounds = self._bounds(call)
        if bounds is None:
            return None
        numbers = _numbers(bounds)
        if numbers is None:
            return [frozenset({Value(Kind.INT)})]  # whatever the bounds are, it gives ints
        return [frozenset({Value(Kind.INT, number)}) for number in numbers[:_LONGEST_RANGE]]

    def _literal(self, expression: cst.BaseExpression) -> cst.BaseExpression:
        """Follow names that are bound once to a container that is written out; not where the file may change it."""
        for _ in range(8):
            if not isinstance(expression, cst.Name):
                break
            reaching = self._names.bindings(expression)
            if len(reaching) != 1:
                break
            binding = reaching[0].meaning
            if binding.kind is not BindingKind.ASSIGN or binding.path != () or binding.value is None:
                break
            if not self._is_fixed(binding.value) and not self._is_only_read(binding):
                break
            expression = binding.value
        return expression

    # ------------------------------------------------------------------ changes

    def _is_fixed(self, value: cst.BaseExpression) -> bool:
        """Return whether the container cannot change: a tuple, a range; another name is judged where it is bound."""
        if isinstance(value, cst.Call):
            return self._names.only(value.func) in _FIXED
        return isinstance(value, (cst.Tuple, cst.Name))

    def _is_only_read(self, binding: Binding) -> bool:
        """Return whether the file does nothing with the name that can change what it holds, or hand it on."""
        if isinstance(binding.node, cst.Assign) and len(binding.node.targets) > 1:
            return False  # a second name for the same container
        if isinstance(binding.node, cst.NamedExpr) and not self._reads(binding.node):
            return False
        key = (binding.scope, binding.name)
        if key not in self._only_read:
            self._only_read[key] = all(map(self._reads, self._uses(binding)))
        return self._only_read[key]

    def _uses(self, binding: Binding) -> Iterator[cst.BaseExpression]:
        """Yield every place that may mean the bound name; of one in a class also as an attribute of something."""
        parents, scopes = self._names.tree.parents, self._names.scopes
        for name in self._names.written(binding.name):
            parent = parents[name]
            if isinstance(parent, cst.Attribute) and parent.attr is name:
                if binding.scope.is_class:
                    yield parent
            elif not _only_binds(parent, name) and scopes.scope_of(name).lookup(name.value) is binding.scope:
                yield name

    def _reads(self, use: cst.BaseExpression) -> bool:
        """Return whether an expression is used where what it holds is only read, or where it is bound anew."""
        parents = self._names.tree.parents
        parent = parents[use]
        while isinstance(parent, cst.BooleanOperation) or (isinstance(parent, cst.IfExp) and parent.test is not use):
            assert isinstance(parent, cst.BaseExpression)
            use, parent = parent, parents[parent]
        if isinstance(parent, cst.Attribute):
            return parent.value is use and parent.attr.value in _READING_METHODS
        if isinstance(parent, cst.Subscript):
            return parent.value is use and not _is_target(parents, parent)
        if isinstance(parent, cst.Arg):
            return bool(parent.star) or self._reads_argument(parents[parent], parent)
        if isinstance(parent, (cst.For, cst.CompFor)):
            return parent.iter is use or parent.target is use
        if isinstance(parent, (cst.If, cst.While, cst.IfExp, cst.Assert, cst.CompIf)):
            return parent.test is use
        if isinstance(parent, cst.UnaryOperation):
            return isinstance(parent.operator, cst.Not)
        if isinstance(parent, (cst.Comparison, cst.ComparisonTarget, cst.FormattedStringExpression, cst.Expr, cst.Del)):
            return True
        if isinstance(parent, (cst.StarredElement, cst.StarredDictElement)) and not _is_target(parents, use):
            return True
        return isinstance(use, cst.Name) and _is_target(parents, use) and not isinstance(parent, cst.AugAssign)

    def _reads_argument(self, call: cst.CSTNode, argument: cst.Arg) -> bool:
        if not isinstance(call, cst.Call) or argument.keyword is not None:
            return False
        function = self._names.only(call.func)
        if function in _READ_ALL:
            return True
        positional = [each for each in call.args if each.keyword is None]
        alone = function in _READ_ALONE and len(positional) == 1
        return (alone or function in _READ_FIRST) and positional[0] is argument


def _is_plain_first(call: cst.Call) -> bool:
    return bool(call.args) and call.args[0].keyword is None and not call.args[0].star


def _has_star(container: cst.Tuple | cst.List | cst.Set) -> bool:
    return any(isinstance(element, cst.StarredElement) for element in container.elements)


def _proved_number(values: Possible) -> int | None:
    """Return the number that all of `values` are, None where it is not known or a caller could pass another one."""
    numbers = {value.number if value.proved else None for value in values}
    return numbers.pop() if len(numbers) == 1 else None


def _numbers(bounds: Sequence[int | None]) -> range | None:
    known = [bound for bound in bounds if bound is not None]
    return range(*known) if len(known) == len(bounds) else None


def _only_binds(parent: cst.CSTNode, name: cst.Name) -> bool:
    """Return whether a name below `parent` is no use of what it held before: it names something there."""
    if isinstance(parent, cst.Arg):
        return parent.keyword is name
    if isinstance(parent, (cst.Param, cst.FunctionDef, cst.ClassDef)):
        return parent.name is name
    return isinstance(parent, (cst.NameItem, cst.ImportAlias, cst.AsName, cst.MatchAs, cst.MatchStar))


def _is_target(parents: Mapping[cst.CSTNode, cst.CSTNode], node: cst.CSTNode) -> bool:
    """Return whether `node` is assigned to or deleted, also as part of a tuple."""
    parent = parents[node]
    while isinstance(parent, (cst.Element, cst.StarredElement, cst.Tuple, cst.List)):
        node, parent = parent, parents[parent]
    if isinstance(parent, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.For, cst.CompFor, cst.NamedExpr)):
        return parent.target is node
    return isinstance(parent, (cst.AsName, cst.Del))
