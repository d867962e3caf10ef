"""Names of the module that are bound by name: through `globals()`, the module's `__dict__`, `setattr` or `exec`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from tl_lint.scopes import Binding, BindingKind, Scopes, dotted_name, string_value

__all__ = ["bind_by_name"]

_ANY = "*"
"""Ends a beginning of names: what is bound may be any that starts so."""
_FIND = frozenset({"globals", "vars", "locals", "exec", "__globals__", "__name__"})
"""The names that lead to the module or its dict."""
_GIVE_MODULE = frozenset({"import_module", "importlib.import_module", "__import__", "sys.modules.get", "modules.get"})
_READ_MODULE = frozenset({"getattr", "hasattr", "dir", "getmembers", "getsource", "getfile", "print", "isinstance"})
_READ_DICT = frozenset({"get", "items", "keys", "values", "copy", "__getitem__", "__contains__", "__len__", "__iter__"})
_TAKE_KEY = frozenset({"setdefault", "pop", "__setitem__", "__delitem__"})
_TAKE_DICT = frozenset({"dict", "len", "list", "sorted", "set", "tuple", "iter", "enumerate", "print"}) | frozenset(
    {"eval", "timeit", "repeat", "Timer", "get_type_hints"}
)
"""Functions that leave the dict that they are given alone."""
_SET = frozenset({"setattr", "delattr", "__setattr__", "__delattr__"})
_LEFT_ALONE = frozenset({BindingKind.IMPORT, BindingKind.FUNCTION, BindingKind.CLASS})
"""What a name that is not known is not taken to replace: such names are those of values, and mostly new ones."""


def bind_by_name(scopes: Scopes) -> None:
    """Add a binding to an unknown value for every name of the module that code of the file binds by name.

    A name that is not written out, as in `globals()[key] = value`, may be that of any variable of the module.
    """
    for name, place in list(_ByName(scopes).found()):
        if not name.endswith(_ANY):
            scopes.add(Binding(name, BindingKind.OTHER, scopes.module, place))
            continue
        for other, bindings in list(scopes.module.bindings.items()):
            kinds = {each.kind for each in bindings}
            if other.startswith(name[:-1]) and not kinds & _LEFT_ALONE:
                scopes.add(Binding(other, BindingKind.OTHER, scopes.module, place))


class _ByName:
    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._parents = scopes.tree.parents

    def found(self) -> Iterator[tuple[str, cst.CSTNode]]:
        """Yield each name that is bound so, or how it starts with `_ANY` behind, and where."""
        for name in self._scopes.tree.nodes(cst.Name):
            assert isinstance(name, cst.Name)
            if name.value in _FIND:
                for bound in self._bound(name):
                    yield bound, name

    def _bound(self, name: cst.Name) -> Iterable[str]:
        parent = self._parents[name]
        if name.value == "__name__":
            module = self._module(name)
            return self._through_module(module) if module is not None else ()
        if name.value == "__globals__":
            return self._through_dict(parent) if isinstance(parent, cst.Attribute) and parent.attr is name else ()
        if not isinstance(parent, cst.Call) or parent.func is not name:
            return ()
        at_module = self._scopes.scope_of(parent) is self._scopes.module
        if name.value == "exec":
            return (_ANY,) if at_module and len(parent.args) == 1 else ()
        return self._through_dict(parent) if not parent.args and (name.value == "globals" or at_module) else ()

    def _module(self, name: cst.Name) -> cst.CSTNode | None:
        """Return the expression for the module itself that holds `__name__`: `sys.modules[__name__]` or a call."""
        around = self._parents[name]
        if isinstance(around, cst.Index):
            subscript = self._parents[self._parents[around]]
            found = isinstance(subscript, cst.Subscript) and _last(subscript.value) == "modules"
            return subscript if found else None
        call = self._parents[around] if isinstance(around, cst.Arg) else None
        given = isinstance(call, cst.Call) and dotted_name(call.func) in _GIVE_MODULE and call.args[0] is around
        return call if given else None

    def _through_module(self, module: cst.CSTNode) -> Iterable[str]:
        parent = self._parents[module]
        if isinstance(parent, cst.Attribute):
            if parent.attr.value == "__dict__":
                return self._through_dict(parent)
            return (parent.attr.value,) if self._is_target(parent) else ()
        call = self._parents[parent] if isinstance(parent, cst.Arg) else None
        if isinstance(call, cst.Call):
            called = _last(call.func)
            if called == "vars":
                return self._through_dict(call)
            if called in _SET and len(call.args) > 1:
                return (_key(call.args[1].value),)
            return () if called in _READ_MODULE else (_ANY,)
        # `sys.modules[__name__] = other` replaces the module for others, its own names stay
        return () if isinstance(parent, cst.Expr) or self._is_target(module) else (_ANY,)

    def _through_dict(self, mapping: cst.CSTNode) -> Iterable[str]:
        parent = self._parents[mapping]
        if isinstance(parent, cst.Subscript) and parent.value is mapping:
            index = parent.slice[0].slice
            stored = self._is_target(parent)
            return (_key(index.value) if isinstance(index, cst.Index) else _ANY,) if stored else ()
        if isinstance(parent, cst.Attribute):
            call = self._parents[parent]
            return self._by_method(parent.attr.value, call if isinstance(call, cst.Call) else None)
        if isinstance(parent, cst.Arg):
            call = self._parents[parent]
            reads = parent.star or (isinstance(call, cst.Call) and _last(call.func) in _TAKE_DICT)
            return () if reads else (_ANY,)
        return () if isinstance(parent, _READING) else (_ANY,)

    def _by_method(self, method: str, call: cst.Call | None) -> Iterable[str]:
        if method in _READ_DICT:
            return ()
        arguments = call.args if call is not None else ()
        if method in _TAKE_KEY and arguments and not arguments[0].star:
            return (_key(arguments[0].value),)
        if method == "update":
            return [name for argument in arguments for name in _updated(argument)]
        return (_ANY,)

    def _is_target(self, node: cst.CSTNode) -> bool:
        """Return whether something is bound to `node`, also by unpacking, or it is deleted."""
        around = self._parents[node]
        while isinstance(around, (cst.Element, cst.StarredElement, cst.Tuple, cst.List)):
            node, around = around, self._parents[around]
        return getattr(around, "target", None) is node or (isinstance(around, cst.AsName) and around.name is node)


_READING = (cst.ComparisonTarget, cst.Comparison, cst.For, cst.CompFor, cst.Expr, cst.StarredDictElement)


def _last(node: cst.CSTNode) -> str:
    return dotted_name(node).rpartition(".")[2]


def _key(written: cst.BaseExpression) -> str:
    """Return the string that an expression is, or how it starts with `_ANY` behind."""
    text = string_value(written)
    if text is not None:
        return text
    first = written.parts[0] if isinstance(written, cst.FormattedString) and written.parts else None
    return f"{first.value}{_ANY}" if isinstance(first, cst.FormattedStringText) and "\\" not in first.value else _ANY


def _updated(argument: cst.Arg) -> Iterator[str]:
    """Yield the names that an argument of `.update(...)` holds."""
    if argument.keyword is not None:
        yield argument.keyword.value
    elif isinstance(argument.value, cst.Dict) and argument.star != "*":
        for element in argument.value.elements:
            yield _key(element.key) if isinstance(element, cst.DictElement) else _ANY
    else:
        yield _ANY
