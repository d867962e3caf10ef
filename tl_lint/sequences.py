"""What tuples, lists, ranges and dicts that are written out in a file hold."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from tl_lint.arithmetic import OTHER, UNKNOWN, Kind, Possible, Value, limited
from tl_lint.names import Names, string_value, words
from tl_lint.scopes import BindingKind

__all__ = ["Sequences"]

_LONGEST_RANGE = 64
_NO_BOUNDS = (Kind.FLOAT, Kind.STRING, Kind.NONE, Kind.OTHER)
_HANDS_ON = frozenset(
    f"builtins.{name}" for name in ("list", "tuple", "set", "frozenset", "sorted", "reversed", "iter")
)
_CHANGING_METHODS = words(
    "append extend insert update pop popitem clear setdefault remove add discard sort reverse __setitem__"
)


class Sequences:
    """Takes literal containers apart; `evaluate` gives the values of an expression."""

    def __init__(self, names: Names, evaluate: Callable[[cst.BaseExpression], Possible]) -> None:
        self._names = names
        self._evaluate = evaluate
        self._changed: dict[str, bool] = {}
        self._tables: dict[cst.Dict, dict[str | int | None, cst.BaseExpression] | None] = {}

    def elements(self, expression: cst.BaseExpression) -> list[Possible] | None:
        """Return the values of each element that iterating over `expression` gives, or None if that is unknown.

        Of a long range or a comprehension the list holds samples: every kind of value, not every number.
        """
        expression = self._literal(expression)
        if isinstance(expression, (cst.Tuple, cst.List, cst.Set)):
            if any(isinstance(element, cst.StarredElement) for element in expression.elements):
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
            if function in _HANDS_ON and len(expression.args) >= 1 and expression.args[0].keyword is None:
                return self.elements(expression.args[0].value)
        return None

    def elements_along(self, expression: cst.BaseExpression, path: tuple[int, ...] | None) -> list[Possible] | None:
        """Return the values of a loop target that `path` leads to when a loop runs over `expression`."""
        if path is None:
            return None
        if not path:
            return self.elements(expression)
        if isinstance(expression, cst.Call):
            function = self._names.only(expression.func)
            arguments = [argument.value for argument in expression.args if argument.keyword is None]
            if function == "builtins.enumerate" and arguments:
                if path[0] == 0:
                    return [frozenset({Value(Kind.INT)})]
                return self.elements_along(arguments[0], path[1:])
            if function == "builtins.zip" and path[0] < len(arguments):
                return self.elements_along(arguments[path[0]], path[1:])
        literal = self._literal(expression)
        if not isinstance(literal, (cst.Tuple, cst.List, cst.Set)):
            return None
        return [self.at(element.value, path) for element in literal.elements]

    def at(self, expression: cst.BaseExpression, path: tuple[int, ...] | None) -> Possible:
        """Return the values of the element of `expression` that `path` leads to."""
        for index in path or ():
            expression = self._literal(expression)
            if not isinstance(expression, (cst.Tuple, cst.List)) or index >= len(expression.elements):
                return frozenset({UNKNOWN})
            expression = expression.elements[index].value
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
        numbers = [value.number for value in self._evaluate(index)]
        if len(numbers) == 1 and numbers[0] is not None:
            return elements[numbers[0]] if -len(elements) <= numbers[0] < len(elements) else frozenset({OTHER})
        return limited(value for element in elements for value in element)

    def _dict_item(self, container: cst.Dict, index: cst.BaseExpression) -> Possible | None:
        if container not in self._tables:
            self._tables[container] = self._table(container)
        table = self._tables[container]
        key = self._key(index)
        if table is None or isinstance(key, str):
            return self._evaluate(table[key]) if table is not None and key in table else None
        if key in table:
            return self._evaluate(table[key])
        elements = [element for element in container.elements if isinstance(element, cst.DictElement)]
        return limited(value for element in elements for value in self._evaluate(element.value))

    def _table(self, container: cst.Dict) -> dict[str | int | None, cst.BaseExpression] | None:
        """Return what is under each key that is known; of equal keys the last one counts. None where `**` adds some."""
        table: dict[str | int | None, cst.BaseExpression] = {}
        for element in container.elements:
            if not isinstance(element, cst.DictElement):
                return None
            key = self._key(element.key)
            if key is not None:
                table[key] = element.value
        return table

    def _key(self, expression: cst.BaseExpression) -> str | int | None:
        """Return the text or the number that `expression` is, None where that is not known."""
        text = string_value(expression)
        if text is not None:
            return text
        numbers = {value.number for value in self._evaluate(expression)}
        return numbers.pop() if len(numbers) == 1 else None

    def _range(self, call: cst.Call) -> list[Possible] | None:
        bounds: list[int] = []
        for argument in call.args:
            values = self._evaluate(argument.value)
            if argument.star or argument.keyword is not None or any(value.kind in _NO_BOUNDS for value in values):
                return None
            (number,) = {value.number for value in values} if len(values) == 1 else {None}
            if number is None:
                return [frozenset({Value(Kind.INT)})]  # whatever the bounds are, it gives ints
            bounds.append(number)
        if not 1 <= len(bounds) <= 3 or (len(bounds) == 3 and bounds[2] == 0):
            return None
        numbers = range(*bounds)
        return [frozenset({Value(Kind.INT, number)}) for number in numbers[:_LONGEST_RANGE]]

    def _literal(self, expression: cst.BaseExpression) -> cst.BaseExpression:
        """Follow names that are bound once to a container that is written out; not where the file changes it later."""
        for _ in range(8):
            if not isinstance(expression, cst.Name):
                break
            reaching = self._names.bindings(expression)
            if len(reaching) != 1:
                break
            binding = reaching[0].meaning
            if binding.kind is not BindingKind.ASSIGN or binding.path != () or binding.value is None:
                break
            if self._is_changed(binding.name):
                break
            expression = binding.value
        return expression

    def _is_changed(self, name: str) -> bool:
        """Return whether the file stores items in a container of this name, or calls a method that changes it."""
        if name not in self._changed:
            self._changed[name] = any(map(self._changes, self._names.written(name)))
        return self._changed[name]

    def _changes(self, name: cst.Name) -> bool:
        parents = self._names.tree.parents
        parent = parents[name]
        if isinstance(parent, cst.Attribute):
            return parent.value is name and parent.attr.value in _CHANGING_METHODS
        if not isinstance(parent, cst.Subscript) or parent.value is not name:
            return False
        around = parents[parent]
        return isinstance(around, (cst.AssignTarget, cst.Del, cst.AnnAssign)) or (
            isinstance(around, cst.AugAssign) and around.target is parent
        )
