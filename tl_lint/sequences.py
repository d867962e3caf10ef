"""What tuples, lists, ranges and dicts that are written out in a file hold."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from tl_lint.arithmetic import OTHER, UNKNOWN, Kind, Possible, Value, limited
from tl_lint.names import Names, string_value
from tl_lint.scopes import BindingKind

__all__ = ["Sequences"]

_LONGEST_RANGE = 64
_HANDS_ON = frozenset(
    f"builtins.{name}" for name in ("list", "tuple", "set", "frozenset", "sorted", "reversed", "iter")
)


class Sequences:
    """Takes literal containers apart; `evaluate` gives the values of an expression."""

    def __init__(self, names: Names, evaluate: Callable[[cst.BaseExpression], Possible]) -> None:
        self._names = names
        self._evaluate = evaluate

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
        found: set[Value] = set()
        wanted, constant = string_value(index), self._evaluate(index)
        for element in container.elements:
            if not isinstance(element, cst.DictElement):
                return None
            same_text = wanted is not None and string_value(element.key) == wanted
            same_number = wanted is None and self._evaluate(element.key) == constant
            if same_text or (same_number and all(value.number is not None for value in constant)):
                return self._evaluate(element.value)
            found |= self._evaluate(element.value)
        return limited(found) if wanted is None else None

    def _range(self, call: cst.Call) -> list[Possible] | None:
        bounds: list[int] = []
        for argument in call.args:
            values = self._evaluate(argument.value)
            if argument.star or argument.keyword is not None or any(value.kind is not Kind.INT for value in values):
                return None
            (number,) = {value.number for value in values} if len(values) == 1 else {None}
            if number is None:
                return [frozenset({Value(Kind.INT)})]
            bounds.append(number)
        if not 1 <= len(bounds) <= 3 or (len(bounds) == 3 and bounds[2] == 0):
            return None
        numbers = range(*bounds)
        return [frozenset({Value(Kind.INT, number)}) for number in numbers[:_LONGEST_RANGE]]

    def _literal(self, expression: cst.BaseExpression) -> cst.BaseExpression:
        """Follow names that are bound once to a container that is written out; None if it is filled elsewhere."""
        for _ in range(8):
            if not isinstance(expression, cst.Name):
                break
            reaching = self._names.bindings(expression)
            if len(reaching) != 1:
                break
            binding = reaching[0].meaning
            if binding.kind is not BindingKind.ASSIGN or binding.path != () or binding.value is None:
                break
            expression = binding.value
        return expression
