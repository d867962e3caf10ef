"""What an attribute is: a constant of a class or an enum of the same file, or one of a well-known module."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import libcst as cst

from tl_lint.arithmetic import OTHER, UNKNOWN, Kind, Possible, Value
from tl_lint.functions import INTEGER_DTYPE
from tl_lint.names import LANGUAGE, Names, string_value
from tl_lint.scopes import Binding, BindingKind

__all__ = ["Attributes"]

_ENUM_OF_INTS = frozenset({"enum.IntEnum", "enum.IntFlag"})
_ENUMS = frozenset({"enum.Enum", "enum.Flag", "enum.StrEnum"}) | _ENUM_OF_INTS
_TUPLES = frozenset({"typing.NamedTuple", "typing_extensions.NamedTuple"})
_PLAIN_BASES = frozenset({"abc.ABC", "torch.nn.Module"}) | frozenset(
    f"{module}.{name}" for module in ("typing", "typing_extensions") for name in ("Protocol", "Generic")
)
"""Base classes, besides builtins, that leave the constants of a class as they are written."""
_PLAIN_DECORATORS = ("dataclasses.dataclass", "enum.unique", "enum.verify")
_FLOATS = frozenset(f"{module}.{name}" for module in ("math", "numpy") for name in ("pi", "e", "inf", "nan", "tau"))
_SETTERS = {"setattr": 2, "__setattr__": 2, "delattr": 1, "__delattr__": 1}
"""What stores or deletes an attribute that it takes by name: the place of the name, counted from the last argument."""
_ANY = "*"


@dataclass(frozen=True)
class _Family:
    """A class with its base classes: those of this file, itself first, and the dotted names of the others."""

    classes: tuple[cst.ClassDef, ...]
    outside: frozenset[str]

    @property
    def is_enum(self) -> bool:
        return bool(self.outside & _ENUMS)

    @property
    def is_of_ints(self) -> bool:
        """Whether the members of the enum are ints: of an IntEnum, or of `class A(int, Enum)`."""
        return bool(self.outside & (_ENUM_OF_INTS | {"builtins.int"}))


class Attributes:
    """Evaluates attributes; `of_binding` gives the values of a binding."""

    def __init__(self, names: Names, of_binding: Callable[[Binding], Possible]) -> None:
        self.names = names
        self._of_binding = of_binding
        self._stored: frozenset[str] | None = None
        self._families: dict[cst.ClassDef, _Family | None] = {}

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
            found = self._of_class(member, by_value=True)
            if found is not None:
                return found
        return self._of_class(expression, by_value=False) or frozenset({UNKNOWN})

    def _of_class(self, expression: cst.Attribute, by_value: bool) -> Possible | None:
        """Return what `Class.name` is, or with `by_value` `Class.name.value` of an enum; None if that is not known."""
        owner = self._class(expression.value)
        family = self._family(owner) if owner is not None else None
        name = expression.attr.value
        if family is None or (by_value and not family.is_enum):
            return None
        found = self._constant_of(family, name)
        if found is None:
            return None
        if family.is_enum:
            found = self._member(family, name, found, by_value)
        through_instance = isinstance(expression.value, cst.Name) and expression.value.value in ("self", "cls")
        return frozenset(replace(value, proved=value.proved and not through_instance) for value in found)

    def _member(self, family: _Family, name: str, found: Possible, by_value: bool) -> Possible:
        """Return what a member of an enum is, or its value, where the class says `name = found`."""
        unknown = frozenset({UNKNOWN})
        made_otherwise = any(self._binds(each, special) for each in family.classes for special in _MAKE_MEMBERS)
        if made_otherwise or name.startswith("_"):
            return unknown
        if family.is_of_ints:  # the enum makes an int of what is written
            ints = all(value.kind in (Kind.INT, Kind.BOOL) for value in found)
            return frozenset(replace(value, kind=Kind.INT) for value in found) if ints else unknown
        if any(each.startswith("builtins.") and each != "builtins.object" for each in family.outside):
            return unknown
        return found if by_value or UNKNOWN in found else frozenset({OTHER})

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

    def _family(self, owner: cst.ClassDef) -> _Family | None:
        """Return `owner` with its base classes, None where one of them may change what the class has."""
        if owner not in self._families:
            self._families[owner] = self._find_family(owner)
        return self._families[owner]

    def _find_family(self, owner: cst.ClassDef) -> _Family | None:
        classes: dict[cst.ClassDef, None] = {owner: None}  # names can make a class a base of itself
        outside: set[str] = set()
        waiting = [owner]
        while waiting:
            current = waiting.pop()
            if not self._is_plain(current):
                return None
            for base in current.bases:
                own = self._class(base.value)
                if own is None:
                    named = base.value.value if isinstance(base.value, cst.Subscript) else base.value
                    dotted = self.names.only(named) or ""
                    if base.star or not (dotted.startswith("builtins.") or dotted in _KNOWN_BASES):
                        return None
                    outside.add(dotted)
                elif own not in classes:
                    classes[own] = None
                    waiting.append(own)
        return _Family(tuple(classes), frozenset(outside))

    def _is_plain(self, definition: cst.ClassDef) -> bool:
        """Return whether no decorator and no metaclass can change the class."""
        for decorator in definition.decorators:
            call = decorator.decorator
            slots = isinstance(call, cst.Call) and any(
                each.star or (each.keyword is not None and each.keyword.value == "slots") for each in call.args
            )
            if slots or self.names.decorator(decorator) not in _PLAIN_DECORATORS:
                return False
        keywords = [each.keyword.value if each.keyword is not None else None for each in definition.keywords]
        return None not in keywords and "metaclass" not in keywords

    def _binds(self, definition: cst.ClassDef, attribute: str) -> bool:
        return attribute in self.names.scopes.own_scope(definition).bindings

    def _constant_of(self, family: _Family, attribute: str) -> Possible | None:
        """Return the value of a class attribute that is bound once, in the class or one base class of this file."""
        if self._is_stored(attribute):
            return None
        owner = family.classes[0]
        holders = [owner] if self._binds(owner, attribute) else self._holders(owner, attribute)
        if len(holders) != 1:
            return None
        builtin = [each.partition(".")[2] for each in family.outside if each.startswith("builtins.")]
        if holders != [owner] and any(hasattr(getattr(builtins, each, None), attribute) for each in builtin):
            return None
        bindings = self.names.scopes.own_scope(holders[0]).bindings[attribute]
        # Of a def it depends on the decorators what the attribute is: a property is what it returns.
        if len(bindings) != 1 or bindings[0].kind is BindingKind.FUNCTION:
            return None
        if family.outside & _TUPLES and isinstance(bindings[0].node, cst.AnnAssign):
            return None  # a field of a NamedTuple: the class has a descriptor there
        return self._of_binding(bindings[0])

    def _holders(self, owner: cst.ClassDef, attribute: str) -> list[cst.ClassDef]:
        """Return the base classes that have the attribute and are not behind another one that has it."""
        found: list[cst.ClassDef] = []
        seen: set[cst.CSTNode] = {owner}
        waiting = [owner]
        while waiting:
            for base in waiting.pop().bases:
                own = self._class(base.value)
                if own is None or own in seen:
                    continue
                seen.add(own)
                (found if self._binds(own, attribute) else waiting).append(own)
        return found

    def _is_stored(self, attribute: str) -> bool:
        """Return whether the file assigns to an attribute of this name anywhere, or to one whose name is not known."""
        if self._stored is None:
            self._stored = frozenset(self._stores()) | frozenset(self._set_by_name())
        return attribute in self._stored or _ANY in self._stored

    def _stores(self) -> Iterator[str]:
        """Yield the name of every attribute that is a target."""
        targets: list[cst.CSTNode] = []
        for node in self.names.tree.nodes(*_HOLD_TARGETS):
            if isinstance(node, cst.AsName):
                targets.append(node.name)
            else:
                assert isinstance(node, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.For, cst.CompFor, cst.Del))
                targets.append(node.target)
        while targets:
            target = targets.pop()
            if isinstance(target, (cst.Tuple, cst.List)):
                targets += target.elements
            elif isinstance(target, (cst.Element, cst.StarredElement)):
                targets.append(target.value)
            elif isinstance(target, cst.Attribute):
                yield target.attr.value

    def _set_by_name(self) -> Iterator[str]:
        """Yield what `setattr` and its like are called with: `_ANY` where that is no literal name."""
        parents = self.names.tree.parents
        for setter, place in _SETTERS.items():
            for name in self.names.written(setter):
                use: cst.CSTNode = name
                if isinstance(parents[use], cst.Attribute):
                    use = parents[use]
                call = parents[use]
                if isinstance(call, cst.FunctionDef) or (isinstance(call, cst.Arg) and call.keyword is use):
                    continue
                text = None
                if isinstance(call, cst.Call) and call.func is use and not any(each.star for each in call.args):
                    positional = [each.value for each in call.args if each.keyword is None]
                    text = string_value(positional[-place]) if len(positional) >= place else None
                yield text.rpartition(".")[2] if text else _ANY


_HOLD_TARGETS = (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.For, cst.CompFor, cst.Del, cst.AsName)
_MAKE_MEMBERS = ("__new__", "__init__", "value", "_value_")
_KNOWN_BASES = _ENUMS | _TUPLES | _PLAIN_BASES
