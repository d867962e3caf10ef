"""What a parameter can be: by its annotation, its default and the calls of its function in the same file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import libcst as cst

from tl_lint.arithmetic import NONE, UNKNOWN, Kind, Possible, Value, limited
from tl_lint.functions import INTEGER_DTYPE
from tl_lint.names import LANGUAGE, Names, string_value

__all__ = ["Parameters"]

_KINDS = {
    "builtins.int": Kind.INT,
    "builtins.bool": Kind.BOOL,
    "builtins.float": Kind.FLOAT,
    "builtins.str": Kind.STRING,
    "numpy.bool_": Kind.BOOL,
}
_WRAPPERS = ("Annotated", "Final", "ClassVar", "Required", "NotRequired")


class Parameters:
    """Tells what parameters hold; `evaluate` gives the values of an expression."""

    def __init__(self, names: Names, evaluate: Callable[[cst.BaseExpression], Possible]) -> None:
        self._names = names
        self._evaluate = evaluate
        self._calls: dict[str, list[cst.Call]] | None = None

    def declared(self, function: cst.FunctionDef | cst.Lambda, parameter: cst.Param) -> Possible:
        """Return what `parameter` can be. Nothing of it is proved: somebody else could call with something else."""
        if isinstance(parameter.star, str) and parameter.star:
            return frozenset({UNKNOWN})
        annotated = self.annotated(parameter.annotation.annotation) if parameter.annotation is not None else frozenset()
        default = self._evaluate(parameter.default) if parameter.default is not None else frozenset()
        passed = self._passed(function, parameter)
        found = set(annotated | default)
        if passed is not None:
            found |= passed - {UNKNOWN} if annotated else passed
        elif not annotated and default <= {NONE}:
            found.add(UNKNOWN)
        if annotated:
            found.discard(UNKNOWN)
        return limited(replace(value, proved=False) if value != UNKNOWN and value != NONE else value for value in found)

    def annotated(self, annotation: cst.BaseExpression) -> Possible:
        """Return the values that an annotation allows, empty where it says nothing of use."""
        if isinstance(annotation, cst.BinaryOperation) and isinstance(annotation.operator, cst.BitOr):
            left, right = self.annotated(annotation.left), self.annotated(annotation.right)
            return left | right if left and right else frozenset()
        if isinstance(annotation, cst.Subscript):
            return self._subscripted(annotation)
        if isinstance(annotation, cst.Name) and annotation.value == "None":
            return frozenset({NONE})
        text = string_value(annotation)
        if text is not None:
            return self._quoted(text)
        name = self._names.only(annotation) or ""
        if name in _KINDS:
            return frozenset({Value(_KINDS[name], proved=False)})
        if name.startswith("numpy.") and INTEGER_DTYPE.match(name[len("numpy.") :]):
            return frozenset({Value(Kind.INT, proved=False)})
        if name.endswith(".IntImm") and name.startswith((LANGUAGE, "tvm.")):
            return frozenset({Value(Kind.INT_IMM)})
        return frozenset()

    def is_of_language(self, function: cst.FunctionDef | cst.Lambda, parameter: cst.Param) -> bool:
        """Return whether the language declares the parameter: `T.Tensor(...)`, `T.int32`, in the signature or the body.

        An eager kernel may declare it as a statement, `A: T.Tensor[[M, N], T.float32]`.
        """
        annotations = [parameter.annotation] if parameter.annotation is not None else []
        lines = function.body.body if isinstance(function.body, cst.BaseSuite) else ()
        for line in lines:
            for statement in line.body if isinstance(line, cst.SimpleStatementLine) else ():
                if isinstance(statement, cst.AnnAssign) and statement.target.deep_equals(parameter.name):
                    annotations.append(statement.annotation)
        return any(self._names_language(each.annotation) for each in annotations)

    def _names_language(self, annotation: cst.BaseExpression) -> bool:
        return any(
            isinstance(node, (cst.Name, cst.Attribute)) and (self._names.only(node) or "").startswith(f"{LANGUAGE}.")
            for node in self._names.tree.below(annotation)
        )

    def _subscripted(self, annotation: cst.Subscript) -> Possible:
        outer = (self._names.only(annotation.value) or _last_name(annotation.value)).rpartition(".")[2]
        inner = [each.slice.value for each in annotation.slice if isinstance(each.slice, cst.Index)]
        if not inner:
            return frozenset()
        if outer == "Literal":
            values = limited(value for each in inner for value in self._evaluate(each))
            return frozenset(replace(value, proved=value == NONE) for value in values)
        if outer == "Optional":
            value = self.annotated(inner[0])
            return value | {NONE} if value else frozenset()
        if outer == "Union":
            arms = [self.annotated(each) for each in inner]
            return limited(value for arm in arms for value in arm) if all(arms) else frozenset()
        return self.annotated(inner[0]) if outer in _WRAPPERS else frozenset()

    def _quoted(self, text: str) -> Possible:
        """Read an annotation in quotes: the arms that are builtins, joined by `|` or in Optional[...]."""
        text = text.replace(" ", "")
        optional = text.startswith(("Optional[", "typing.Optional[")) and text.endswith("]")
        arms = (text[text.index("[") + 1 : -1] if optional else text).split("|")
        found = {NONE} if optional or "None" in arms else set()
        for arm in arms:
            if arm != "None":
                kind = _KINDS.get(f"builtins.{arm}")
                if kind is None:
                    return frozenset()
                found.add(Value(kind, proved=False))
        return frozenset(found)

    # ------------------------------------------------------------------ calls

    def _passed(self, function: cst.FunctionDef | cst.Lambda, parameter: cst.Param) -> Possible | None:
        """Return what the calls in this file pass for `parameter`, or None if no call of the function is seen."""
        if isinstance(function, cst.Lambda):
            return None
        found: set[Value] = set()
        seen = False
        for call in self._calls_of(function):
            seen = True
            argument = self._argument(call, function, parameter)
            if isinstance(argument, cst.BaseExpression):
                found |= self._evaluate(argument)
            elif argument is not None:
                found.add(UNKNOWN)
        return limited(found) if seen else None

    def _calls_of(self, function: cst.FunctionDef) -> Iterator[cst.Call]:
        if self._calls is None:
            self._calls = {}
            for node in self._names.tree.nodes(cst.Call):
                if isinstance(node, cst.Call) and isinstance(node.func, cst.Name):
                    self._calls.setdefault(node.func.value, []).append(node)
        for call in self._calls.get(function.name.value, ()):
            assert isinstance(call.func, cst.Name)
            if any(each.meaning.node is function for each in self._names.bindings(call.func)):
                yield call

    def _argument(
        self, call: cst.Call, function: cst.FunctionDef, parameter: cst.Param
    ) -> cst.BaseExpression | str | None:
        """Return the expression that `call` passes for `parameter`; None if the default is used, "?" if unclear."""
        name = parameter.name.value
        positional = [*function.params.posonly_params, *function.params.params]
        place = positional.index(parameter) if parameter in positional else None
        unclear = False
        index = 0
        for argument in call.args:
            if argument.star:
                unclear = True
            elif argument.keyword is not None:
                if argument.keyword.value == name:
                    return argument.value
            else:
                if index == place and not unclear:
                    return argument.value
                index += 1
        return "?" if unclear else None


def _last_name(expression: cst.BaseExpression) -> str:
    if isinstance(expression, cst.Attribute):
        return expression.attr.value
    return expression.value if isinstance(expression, cst.Name) else ""
