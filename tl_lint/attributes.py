"""What an attribute is: a constant of a class or an enum of the same file, or one of a well-known module."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import libcst as cst

from tl_lint.arithmetic import OTHER, UNKNOWN, Kind, Possible, Value
from tl_lint.functions import INTEGER_DTYPE
from tl_lint.names import LANGUAGE, Names
from tl_lint.scopes import Binding, BindingKind

__all__ = ["Attributes"]

_ENUM_OF_INTS = ("enum.IntEnum", "enum.IntFlag")
_ENUMS = ("enum.Enum", "enum.Flag", "enum.StrEnum", *_ENUM_OF_INTS)
_FLOATS = frozenset(f"{module}.{name}" for module in ("math", "numpy") for name in ("pi", "e", "inf", "nan", "tau"))


class Attributes:
    """Evaluates attributes; `of_binding` gives the values of a binding."""

    def __init__(self, names: Names, of_binding: Callable[[Binding], Possible]) -> None:
        self.names = names
        self._of_binding = of_binding
        self._stored: frozenset[str] | None = None

    def evaluate(self, expression: cst.Attribute) -> Possible:
        """Return what `expression` can be: UNKNOWN for the attributes of instances and of other modules."""
        dotted = self.names.only(expression) or ""
        if dotted in _FLOATS:
            return frozenset({Value(Kind.FLOAT)})
        if dotted == "sys.maxsize":
            return frozenset({Value(Kind.INT)})
        if dotted.startswith(f"{LANGUAGE}.") and INTEGER_DTYPE.match(dotted.rpartition(".")[2]):
            return frozenset({OTHER})
        member = expression.value
        if expression.attr.value == "value" and isinstance(member, cst.Attribute):
            owner = self._class(member.value)
            if owner is not None and self._is_enum(owner, _ENUMS):
                return self._constant_of(owner, member.attr.value) or frozenset({UNKNOWN})
        owner = self._class(expression.value)
        if owner is None:
            return frozenset({UNKNOWN})
        found = self._constant_of(owner, expression.attr.value)
        if found is None:
            return frozenset({UNKNOWN})
        if self._is_enum(owner, _ENUMS) and not self._is_enum(owner, _ENUM_OF_INTS):
            return frozenset({OTHER})
        through_instance = isinstance(expression.value, cst.Name) and expression.value.value in ("self", "cls")
        return frozenset(replace(value, proved=value.proved and not through_instance) for value in found)

    def _class(self, expression: cst.BaseExpression) -> cst.ClassDef | None:
        """Return the class of this file that `expression` names, also as `self` or `cls` in one of its methods."""
        if not isinstance(expression, cst.Name):
            return None
        reaching = self.names.bindings(expression)
        if len(reaching) != 1:
            return None
        node = reaching[0].meaning.node
        if isinstance(node, cst.ClassDef):
            return node
        if expression.value in ("self", "cls") and isinstance(node, cst.Param):
            for ancestor, _ in self.names.tree.ancestors(node):
                if isinstance(ancestor, cst.ClassDef):
                    return ancestor
        return None

    def _constant_of(self, owner: cst.ClassDef, attribute: str) -> Possible | None:
        """Return the value of a class attribute that is bound once, in the class or a base class of this file."""
        if self._is_stored(attribute):
            return None
        seen: set[cst.CSTNode] = set()  # names can make a class a base of itself
        current: cst.ClassDef | None = owner
        while current is not None and current not in seen:
            seen.add(current)
            bindings = self.names.scopes.own_scope(current).bindings.get(attribute)
            if bindings is not None:
                # Of a def it depends on the decorators what the attribute is: a property is what it returns.
                known = len(bindings) == 1 and bindings[0].kind is not BindingKind.FUNCTION
                return self._of_binding(bindings[0]) if known else None
            parents = [self._class(base.value) for base in current.bases]
            current = next((parent for parent in parents if parent is not None), None)
        return None

    def _is_enum(self, owner: cst.ClassDef, bases: Sequence[str]) -> bool:
        return any(self.names.only(base.value) in bases for base in owner.bases)

    def _is_stored(self, attribute: str) -> bool:
        """Return whether the file assigns to an attribute of this name anywhere."""
        if self._stored is None:
            targets: list[cst.CSTNode] = []
            for node in self.names.tree.nodes(cst.AssignTarget, cst.AugAssign, cst.AnnAssign):
                assert isinstance(node, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign))
                targets += self.names.tree.below(node.target)
            self._stored = frozenset(each.attr.value for each in targets if isinstance(each, cst.Attribute))
        return attribute in self._stored
