"""What an expression is known to be: an int, an IntImm, None, a float, ... or unknown."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import libcst as cst

from tl_lint.arithmetic import (
    AUGMENTED,
    EXPRESSION,
    NONE,
    OTHER,
    TIR,
    UNKNOWN,
    Kind,
    Possible,
    Value,
    binary,
    combine,
    comparison,
    limited,
    small,
    unary,
    without,
)
from tl_lint.attributes import Attributes
from tl_lint.flow import Flow, Reaching, excluded
from tl_lint.functions import returned
from tl_lint.names import LANGUAGE, Names, string_value
from tl_lint.parameters import Parameters
from tl_lint.scopes import Binding, BindingKind
from tl_lint.sequences import Sequences
from tl_lint.tracing import KERNEL_LAUNCHES, TraceKind, Tracing
from tl_lint.tree import STATEMENTS

__all__ = ["Values"]

_DEEPEST = 40
_OF_NUMBERS: dict[str, Callable[[Sequence[int]], int]] = {
    "builtins.sum": sum,
    "builtins.min": min,
    "builtins.max": max,
    "math.prod": math.prod,
}
_CHANGED_BY_KEYWORDS = frozenset(f"builtins.{name}" for name in ("min", "max", "round", "pow", "sum"))
"""What they return depends on keywords such as `key` and `ndigits`."""
_TAKES_DTYPE = {"cast": 1, "IntImm": 0, "const": 1}


class Values:
    """Evaluates expressions of one file, without running anything."""

    def __init__(self, names: Names, tracing: Tracing) -> None:
        self.names = names
        self.tracing = tracing
        self.sequences = Sequences(names, self.evaluate)
        self._parameters = Parameters(names, self.evaluate)
        self._attributes = Attributes(names, self._of_binding)
        self._known: dict[cst.CSTNode, Possible] = {}
        self._running: set[object] = set()

    def evaluate(self, expression: cst.BaseExpression) -> Possible:
        """Return everything that `expression` can be; `UNKNOWN` is among it where there may be more."""
        known = self._known.get(expression)
        if known is not None:
            return known
        if expression in self._running or len(self._running) > _DEEPEST:
            return frozenset({UNKNOWN})
        self._running.add(expression)
        try:
            known = limited(self._evaluate(expression)) or frozenset({UNKNOWN})
        finally:
            self._running.discard(expression)
        self._known[expression] = known
        return known

    # ------------------------------------------------------------------ expressions

    def _evaluate(self, expression: cst.BaseExpression) -> Possible:
        if isinstance(expression, cst.Name):
            return self._name(expression)
        if isinstance(expression, cst.Integer):
            return frozenset({Value(Kind.INT, small(int(expression.value, 0)))})
        if isinstance(expression, (cst.Float, cst.Imaginary)):
            return frozenset({Value(Kind.FLOAT) if isinstance(expression, cst.Float) else OTHER})
        if isinstance(expression, cst.BaseString):
            return frozenset({Value(Kind.STRING)})
        if isinstance(expression, cst.BinaryOperation):
            binary_operation = type(expression.operator)
            left, right = self.evaluate(expression.left), self.evaluate(expression.right)
            return combine(lambda one, two: binary(binary_operation, one, two), left, right)
        if isinstance(expression, cst.UnaryOperation):
            operation = type(expression.operator)
            return frozenset(unary(operation, value) for value in self.evaluate(expression.expression))
        if isinstance(expression, cst.Comparison):
            return self._comparison(expression)
        if isinstance(expression, cst.BooleanOperation):
            return self._boolean(expression)
        if isinstance(expression, cst.IfExp):
            if self.is_traced_condition(expression):
                return frozenset({TIR})
            return self.evaluate(expression.body) | self.evaluate(expression.orelse)
        if isinstance(expression, cst.NamedExpr):
            return self.evaluate(expression.value)
        if isinstance(expression, cst.Call):
            return self._call(expression)
        if isinstance(expression, cst.Attribute):
            return self._attribute(expression)
        if isinstance(expression, cst.Subscript):
            if self._is_extent(expression):
                return frozenset({EXPRESSION})
            return self.sequences.item(expression) or frozenset({UNKNOWN})
        if isinstance(expression, (cst.Lambda, cst.Ellipsis, cst.BaseComp, cst.Tuple, cst.List, cst.Set, cst.Dict)):
            return frozenset({OTHER})
        return frozenset({UNKNOWN})

    def _is_extent(self, expression: cst.Subscript) -> bool:
        """Return whether the expression is `A.shape[i]` of a buffer that a traced function declares: never an int."""
        shape = expression.value
        if not isinstance(shape, cst.Attribute) or shape.attr.value != "shape" or not isinstance(shape.value, cst.Name):
            return False
        found = self.names.bindings(shape.value)
        return bool(found) and all(
            each.meaning.kind is BindingKind.PARAMETER and self._of_binding(each.meaning) == {TIR} for each in found
        )

    def _attribute(self, expression: cst.Attribute) -> Possible:
        found = self._attributes.evaluate(expression)
        if expression.attr.value == "value" and UNKNOWN in found:
            owner = self.evaluate(expression.value)
            if all(value.kind is Kind.INT_IMM for value in owner):
                return frozenset(Value(Kind.INT, value.number, value.proved) for value in owner)
        return found

    def _comparison(self, expression: cst.Comparison) -> Possible:
        identity = (cst.Is, cst.IsNot, cst.In, cst.NotIn)
        if any(isinstance(each.operator, identity) for each in expression.comparisons):
            return frozenset({Value(Kind.BOOL)})
        operands = [self.evaluate(expression.left)]
        operands += [self.evaluate(each.comparator) for each in expression.comparisons]
        return combine(lambda *values: comparison(values), *operands)

    def _boolean(self, expression: cst.BooleanOperation) -> Possible:
        left, right = self.evaluate(expression.left), self.evaluate(expression.right)
        if self.tracing.around(expression) is not None:
            return self._traced_boolean(expression, left) | right
        is_or = isinstance(expression.operator, cst.Or)
        true = frozenset(value for value in left if value.number)
        false = frozenset(value for value in left if value.kind is Kind.NONE or value.number == 0)
        if left == (true if is_or else false) and all(value.proved for value in left):
            return left
        handed_on = left - (false if is_or else true)
        known = {replace(value, number=int(is_or)) if value.kind is Kind.BOOL else value for value in handed_on}
        return frozenset(known) | right

    def _traced_boolean(self, expression: cst.BooleanOperation, left: Possible) -> Possible:
        """Return what is left of the first operand in traced code: the tracer makes a bool of it, or TIR."""
        if any(value.kind in (Kind.TIR, Kind.EXPRESSION) for value in left):
            return frozenset({TIR})
        if isinstance(expression.operator, cst.Or):
            passes = all(value.kind is Kind.NONE or value.number == 0 for value in left)
        else:
            passes = all(value.number not in (None, 0) for value in left)
        return frozenset() if passes else frozenset({Value(Kind.BOOL)})

    def is_traced_condition(self, expression: cst.IfExp) -> bool:
        """Return whether a conditional expression stands in traced code and hangs on a TIR value: a select, then."""
        if self.tracing.around(expression) is None:
            return False
        return any(value.kind in (Kind.TIR, Kind.EXPRESSION) for value in self.evaluate(expression.test))

    def _call(self, call: cst.Call) -> Possible:
        function = self.names.only(call.func)
        if function is not None:
            result = self._sum(function, call)
            if result is None:
                arguments = self._positional(function, call)
                result = returned(function, arguments, self._dtype(function, call)) if arguments is not None else None
            if result is not None:
                return result
        return self._local_call(call) or frozenset({UNKNOWN})

    def _positional(self, function: str, call: cst.Call) -> list[Possible] | None:
        """Return the values of the arguments in order; a keyword counts where the function takes one in that place."""
        positional: list[cst.Arg] = []
        keywords: list[cst.Arg] = []
        for argument in call.args:
            name = argument.keyword.value if argument.keyword is not None else None
            if argument.star or (name is not None and function in _CHANGED_BY_KEYWORDS):
                return None
            if name is None:
                positional.append(argument)
            elif name in ("value", "x", "a", "b", "dtype", "expr"):
                keywords.append(argument)
        dtype_first = _TAKES_DTYPE.get(function.rpartition(".")[2]) == 0
        keywords.sort(key=lambda each: (each.keyword is not None and each.keyword.value == "dtype") is not dtype_first)
        return [self.evaluate(argument.value) for argument in (*positional, *keywords)]

    def _dtype(self, function: str, call: cst.Call) -> str | None:
        """Return the data type that the call names, for those functions of TIR that take one as an argument."""
        place = _TAKES_DTYPE.get(function.rpartition(".")[2])
        if place is None:
            return None
        for index, argument in enumerate(call.args):
            if argument.keyword.value == "dtype" if argument.keyword is not None else index == place:
                named = self.names.only(argument.value)
                return string_value(argument.value) or (named.rpartition(".")[2] if named else None)
        return None

    def _sum(self, function: str, call: cst.Call) -> Possible | None:
        """Of one sequence: `min`, `max` and `sum` of ints are ints; which one only if all elements are known."""
        if function not in _OF_NUMBERS or len(call.args) != 1:
            return None
        argument = call.args[0].value
        elements = self.sequences.elements(argument)
        if not elements:
            return None
        kinds = {value.kind for element in elements for value in element}
        if kinds <= {Kind.INT, Kind.BOOL}:
            known = [next(iter(element)).number for element in self.sequences.all_elements(argument) or ()]
            numbers = [number for number in known if number is not None]
            whole = len(numbers) == len(elements) and all(len(element) == 1 for element in elements)
            number = small(_OF_NUMBERS[function](numbers)) if whole else None
            return frozenset({Value(Kind.INT, number, all(value.proved for element in elements for value in element))})
        if kinds == {Kind.INT_IMM}:
            return frozenset({Value(Kind.INT_IMM)})
        return frozenset({Value(Kind.FLOAT)}) if kinds == {Kind.FLOAT} else None

    def _local_call(self, call: cst.Call) -> Possible | None:
        """Return what a function of this file returns, if it is a plain one without decorators."""
        if not isinstance(call.func, cst.Name):
            return None
        reaching = self.names.bindings(call.func)
        if len(reaching) != 1 or not isinstance(reaching[0].meaning.node, cst.FunctionDef):
            return None
        function = reaching[0].meaning.node
        if function.decorators or function.asynchronous is not None:
            return None
        if function.returns is not None:
            declared = self._parameters.annotated(function.returns.annotation)
            if declared:
                return declared
        return self._returned(function)

    def _returned(self, function: cst.FunctionDef) -> Possible | None:
        """Return what the statements of `function` can return, None where that is not clear."""
        flow: Flow[None] = Flow(self.names.tree, function, "", (), (None,))
        if flow.falls_through is None:
            return None
        found: set[Value] = {NONE} if flow.falls_through else set()
        for node in self.names.tree.below(function.body):
            if self.names.scopes.scope_of(node).node is not function:
                continue
            if isinstance(node, (cst.Yield, cst.Finally)):  # a generator, or a return that can be overruled
                return None
            if isinstance(node, cst.Return) and flow.reaching(node) is not None:
                found |= self.evaluate(node.value) if node.value is not None else {NONE}
        return limited(found)

    # ------------------------------------------------------------------ names

    def _name(self, name: cst.Name) -> Possible:
        constants = {"None": NONE, "True": Value(Kind.BOOL, 1), "False": Value(Kind.BOOL, 0)}
        if name.value in constants:
            return frozenset({constants[name.value]})
        reaching = self.names.bindings(name)
        if not reaching:
            return frozenset({OTHER if self.names.only(name) else UNKNOWN})
        found = self.of_bindings(reaching)
        return without(found, self._excluded_around(name))

    def of_bindings(self, reaching: Sequence[Reaching[Binding]]) -> Possible:
        """Return what a name can be that has these bindings."""
        found: set[Value] = set()
        for each in reaching:
            values = self._of_binding(each.meaning)
            found |= without(values, each.excluded)
        return limited(found)

    def _excluded_around(self, name: cst.Name) -> frozenset[str]:
        """Return what the conditions around the name say that it is not there.

        Those of statements count for a name that is bound once; of other names they are the flow's to tell.
        """
        home = self.names.scopes.scope_of(name).lookup(name.value)
        once = home is not None and len(home.bindings.get(name.value, ())) == 1
        found: frozenset[str] = frozenset()
        for ancestor, child in self.names.tree.ancestors(name):
            if isinstance(ancestor, STATEMENTS) and not once:
                break
            if isinstance(ancestor, (cst.If, cst.IfExp)) and child is not ancestor.test:
                found |= excluded(ancestor.test, name.value)[child is not ancestor.body]
            elif isinstance(ancestor, cst.BooleanOperation) and child is ancestor.right:
                found |= excluded(ancestor.left, name.value)[isinstance(ancestor.operator, cst.Or)]
        return found

    def _of_binding(self, binding: Binding) -> Possible:
        if binding in self._running or len(self._running) > _DEEPEST:
            return frozenset({UNKNOWN})
        self._running.add(binding)
        try:
            return self._evaluate_binding(binding)
        finally:
            self._running.discard(binding)

    def _evaluate_binding(self, binding: Binding) -> Possible:
        kind, value = binding.kind, binding.value
        if kind is BindingKind.PARAMETER:
            return self._parameter(binding)
        if kind is BindingKind.ASSIGN and value is not None:
            return self._traced(binding, self._assigned(binding, value))
        if kind is BindingKind.AUGMENT and isinstance(binding.node, cst.AugAssign):
            before = self.of_bindings(self.names.bindings_at(binding.name, binding.node))
            operation = AUGMENTED.get(type(binding.node.operator), cst.MatrixMultiply)
            result = combine(lambda one, two: binary(operation, one, two), before, self.evaluate(binding.node.value))
            return self._traced(binding, result)
        if kind is BindingKind.LOOP and value is not None:
            return self._loop(binding, value)
        if kind is BindingKind.WITH and isinstance(value, cst.Call) and self.names.only(value.func) in KERNEL_LAUNCHES:
            return frozenset({TIR})
        plain = kind in (BindingKind.FUNCTION, BindingKind.CLASS) and not getattr(binding.node, "decorators", ())
        return frozenset({OTHER if plain else UNKNOWN})

    def _assigned(self, binding: Binding, value: cst.BaseExpression) -> Possible:
        found = self.evaluate(value) if binding.path == () else self.sequences.at(value, binding.path)
        if UNKNOWN in found and isinstance(binding.node, cst.AnnAssign):
            declared = self._parameters.annotated(binding.node.annotation.annotation)
            return (found - {UNKNOWN}) | declared if declared else found
        return found

    def _traced(self, binding: Binding, found: Possible) -> Possible:
        """Return what the tracer makes of a name for `found`: an int stays one, an expression becomes a variable."""
        if not any(value.kind in (Kind.INT_IMM, Kind.FLOAT_IMM, Kind.EXPRESSION) for value in found):
            return found
        if isinstance(binding.node, cst.NamedExpr):  # a walrus goes past the tracer
            return found
        return frozenset(map(_as_variable, found)) if self.tracing.binds_variable(binding.node) else found

    def _loop(self, binding: Binding, iterated: cst.BaseExpression) -> Possible:
        in_statement = isinstance(binding.node, cst.For)
        if in_statement and self.tracing.around(binding.node) is not None and isinstance(iterated, cst.Call):
            function = self.names.only(iterated.func) or ""
            if function == "builtins.range" or function.startswith(f"{LANGUAGE}."):
                return frozenset({TIR})
        elements = self.sequences.elements_along(iterated, binding.path)
        if elements is None:
            return frozenset({UNKNOWN})
        return self._traced(binding, limited(value for element in elements for value in element))

    def _parameter(self, binding: Binding) -> Possible:
        parameter = binding.node
        function = self.names.tree.parents[self.names.tree.parents[parameter]]
        assert isinstance(parameter, cst.Param) and isinstance(function, (cst.FunctionDef, cst.Lambda))
        kind = self.tracing.kind(function)
        if kind is TraceKind.PRIM_FUNC:
            constant = parameter.annotation is None and parameter.default is not None
            return self.evaluate(parameter.default) if constant and parameter.default else frozenset({TIR})
        if kind is TraceKind.EAGER and self._parameters.is_of_language(function, parameter):
            return frozenset({TIR})
        found = self._parameters.declared(function, parameter)
        if kind is TraceKind.MACRO:
            return frozenset(_as_variable(value) for value in found)
        return found


def _as_variable(value: Value) -> Value:
    """Return what a traced name is for a value: the tracer makes a Python int of an IntImm of int32 (`Builder.bind`),
    a variable of any other; of an expression that is not known better, one or the other.

    Not proved, so that the fix is `T.int32(name)`, which goes on working where the name is bound to an IntImm.
    """
    if value.kind is Kind.INT_IMM:
        return Value(Kind.INT, value.number, proved=False) if value.int32 else Value(Kind.TIR, value.number)
    if value.kind is Kind.EXPRESSION:
        return Value(Kind.TIR, proved=False, restorable=True)
    return TIR if value.kind is Kind.FLOAT_IMM else value
