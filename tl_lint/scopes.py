"""Scopes and the bindings in them: which statement gives a name its meaning. What it means is for names.py to say."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum

import libcst as cst

from tl_lint.tree import Tree

__all__ = ["Binding", "BindingKind", "Scope", "Scopes", "dotted_name", "is_none", "parameters", "string_value"]

Comprehension = cst.BaseComp
_GENERIC = (cst.FunctionDef, cst.ClassDef, cst.TypeAlias)
_OF_INTEREST: frozenset[type[cst.CSTNode]] = frozenset(
    {cst.CompFor, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp, cst.Lambda, *_GENERIC},
)
"""The classes of the nodes that open a scope or hold parts of another one."""


class BindingKind(Enum):
    """The ways in which Python binds a name."""

    ASSIGN = "assignment"
    AUGMENT = "augmented assignment"
    IMPORT = "import"
    PARAMETER = "parameter"
    LOOP = "loop target"
    WITH = "with target"
    FUNCTION = "function"
    CLASS = "class"
    OTHER = "other"


@dataclass(frozen=True, eq=False)
class Binding:
    """One place that binds `name` in `scope`.

    `node` is what holds the binding: the statement, the Param, the CompFor, the NamedExpr, the ImportAlias.
    `value` is the expression it comes from, if there is one: the right-hand side, the iterated expression of a loop,
    the context expression of a `with`. `path` leads from there to the name through unpacking: `(1,)` in
    `a, name = value`; None where a star or something else makes it unknown. `dotted` is the dotted name
    that an import binds.
    """

    name: str
    kind: BindingKind
    scope: Scope
    node: cst.CSTNode
    value: cst.BaseExpression | None = None
    path: tuple[int, ...] | None = ()
    dotted: str = ""


@dataclass(eq=False)
class Scope:
    """A module, class, function, lambda or comprehension, with the names that it binds."""

    node: cst.CSTNode
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    stars: list[Binding] = field(default_factory=list)
    elsewhere: dict[str, Scope] = field(default_factory=dict)
    """Names that a `global` or `nonlocal` statement sends to another scope."""

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, cst.ClassDef)

    def lookup(self, name: str) -> Scope | None:
        """Return the scope whose binding `name` means when it is read in this scope, or None."""
        scope: Scope | None = self
        while scope is not None:
            if scope is self or not scope.is_class:
                if name in scope.elsewhere:
                    return scope.elsewhere[name]
                if name in scope.bindings:
                    return scope
            scope = scope.parent
        return None


class Scopes:
    """All scopes of a tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.module = Scope(tree.module, None)
        self._scopes: dict[cst.CSTNode, Scope] = {tree.module: self.module}
        self._scope_of: dict[cst.CSTNode, Scope] = {}
        self._collect()

    def scope_of(self, node: cst.CSTNode) -> Scope:
        """Return the scope in which `node` is evaluated: a default or a decorator belongs to the scope around."""
        known = self._scope_of.get(node)
        if known is None:
            known = self._scope_of[node] = self._find_scope(node)
        return known

    def _find_scope(self, node: cst.CSTNode) -> Scope:
        outside_comprehension = False
        for parent, child in self.tree.ancestors(node):
            if type(parent) not in _OF_INTEREST:  # instance checks of LibCST's classes are slow
                continue
            if isinstance(parent, cst.CompFor) and child is parent.iter:
                outer = self.tree.parents[parent]
                outside_comprehension = isinstance(outer, Comprehension)
            elif isinstance(parent, Comprehension):
                if not (outside_comprehension and child is parent.for_in):
                    return self.own_scope(parent)
                outside_comprehension = False
            elif isinstance(parent, (cst.FunctionDef, cst.ClassDef, cst.Lambda)) and child is parent.body:
                return self.own_scope(parent)
            elif (
                isinstance(parent, _GENERIC)
                and parent.type_parameters is not None
                and not isinstance(child, cst.Decorator)
            ):
                return self.own_scope(parent.type_parameters)
        return self.module

    def own_scope(self, node: cst.CSTNode) -> Scope:
        """Return the scope that a function, class, lambda, comprehension or the module opens."""
        scope = self._scopes.get(node)
        if scope is None:
            parameters = getattr(node, "type_parameters", None)
            around = self.own_scope(parameters) if parameters is not None else self._around(node)
            scope = self._scopes[node] = Scope(node, around)
        return scope

    def _around(self, node: cst.CSTNode) -> Scope:
        """Return the scope in which `node` binds its name: for type parameters, that of the whole definition."""
        return self.scope_of(self.tree.parents[node] if isinstance(node, cst.TypeParameters) else node)

    # ------------------------------------------------------------------ collecting

    def _collect(self) -> None:
        nonlocals = self._collect_declarations()
        held_back: list[Binding] = []
        for binding in self._all_bindings():
            if binding.name in nonlocals.get(binding.scope, ()):
                held_back.append(binding)
            else:
                self.add(binding)
        for scope, names in nonlocals.items():
            scope.elsewhere |= {name: self._home_of_nonlocal(scope, name) for name in names}
        for binding in held_back:
            self.add(binding)

    def _all_bindings(self) -> Iterator[Binding]:
        for node in self.tree.nodes(cst.FunctionDef, cst.Lambda):
            yield from self._collect_function(node)
        for node in self.tree.nodes(*_COLLECTORS):
            yield from _COLLECTORS[type(node)](self, node)

    def add(self, binding: Binding) -> None:
        """Add a binding to its scope, or to the one that a `global` or `nonlocal` there sends its name to."""
        scope = binding.scope
        home = scope.elsewhere.get(binding.name, scope)
        if home is not scope:
            binding = Binding(
                binding.name, binding.kind, home, binding.node, binding.value, binding.path, binding.dotted
            )
        home.bindings.setdefault(binding.name, []).append(binding)

    def _collect_declarations(self) -> dict[Scope, set[str]]:
        """Send the names of `global` statements to the module; return those of `nonlocal` by scope."""
        nonlocals: dict[Scope, set[str]] = {}
        for node in self.tree.nodes(cst.Global, cst.Nonlocal):
            assert isinstance(node, (cst.Global, cst.Nonlocal))
            scope = self.scope_of(node)
            names = {item.name.value for item in node.names}
            if isinstance(node, cst.Nonlocal):
                nonlocals.setdefault(scope, set()).update(names)
            else:
                scope.elsewhere |= dict.fromkeys(names, self.module)
        return nonlocals

    def _home_of_nonlocal(self, scope: Scope, name: str) -> Scope:
        """Return the nearest function around `scope` that binds `name` itself, or has it from further out."""
        around = scope.parent
        while around is not None and around.is_class:
            around = around.parent
        return (around.lookup(name) if around is not None else None) or self.module

    def _collect_function(self, node: cst.CSTNode) -> Iterator[Binding]:
        assert isinstance(node, (cst.FunctionDef, cst.Lambda))
        scope = self.own_scope(node)
        for parameter in parameters(node.params):
            yield Binding(parameter.name.value, BindingKind.PARAMETER, scope, parameter, parameter.default)
        if isinstance(node, cst.FunctionDef):
            yield Binding(node.name.value, BindingKind.FUNCTION, self.scope_of(node), node)

    def _collect_class(self, node: cst.CSTNode) -> Iterator[Binding]:
        assert isinstance(node, cst.ClassDef)
        yield Binding(node.name.value, BindingKind.CLASS, self.scope_of(node), node)

    def _collect_assign(self, node: cst.CSTNode) -> Iterator[Binding]:
        assert isinstance(node, cst.Assign)
        scope = self.scope_of(node)
        for target in node.targets:
            yield from _targets(target.target, BindingKind.ASSIGN, scope, node, node.value)

    def _collect_single_assign(self, node: cst.CSTNode) -> Iterator[Binding]:
        assert isinstance(node, (cst.AnnAssign, cst.AugAssign))
        kind = BindingKind.AUGMENT if isinstance(node, cst.AugAssign) else BindingKind.ASSIGN
        if node.value is not None:
            yield from _targets(node.target, kind, self.scope_of(node), node, node.value)

    def _collect_walrus(self, node: cst.CSTNode) -> Iterator[Binding]:
        assert isinstance(node, cst.NamedExpr)
        scope = self.scope_of(node)
        while isinstance(scope.node, Comprehension) and scope.parent is not None:
            scope = scope.parent
        yield from _targets(node.target, BindingKind.ASSIGN, scope, node, node.value)

    def _collect_for(self, node: cst.CSTNode) -> Iterator[Binding]:
        assert isinstance(node, cst.For)
        yield from _targets(node.target, BindingKind.LOOP, self.scope_of(node), node, node.iter)

    def _collect_comprehension(self, node: cst.CSTNode) -> Iterator[Binding]:
        assert isinstance(node, cst.CompFor)
        owner: cst.CSTNode = node
        while not isinstance(owner, Comprehension):
            owner = self.tree.parents[owner]
        yield from _targets(node.target, BindingKind.LOOP, self.own_scope(owner), node, node.iter)

    def _collect_with(self, node: cst.CSTNode) -> Iterator[Binding]:
        assert isinstance(node, cst.WithItem)
        if node.asname is not None:
            statement = self.tree.parents[node]
            yield from _targets(node.asname.name, BindingKind.WITH, self.scope_of(node), statement, node.item)

    def _collect_except(self, node: cst.CSTNode) -> Iterator[Binding]:
        assert isinstance(node, (cst.ExceptHandler, cst.ExceptStarHandler))
        if node.name is not None:
            yield from _targets(node.name.name, BindingKind.OTHER, self.scope_of(node), node, None)

    def _collect_delete(self, node: cst.CSTNode) -> Iterator[Binding]:
        assert isinstance(node, cst.Del)
        yield from _targets(node.target, BindingKind.OTHER, self.scope_of(node), node, None)

    def _collect_match(self, node: cst.CSTNode) -> Iterator[Binding]:
        assert isinstance(node, (cst.MatchAs, cst.MatchStar, cst.MatchMapping))
        name = node.rest if isinstance(node, cst.MatchMapping) else node.name
        if name is not None:
            yield from _targets(name, BindingKind.OTHER, self.scope_of(node), node, None)

    def _collect_type_parameters(self, node: cst.CSTNode) -> Iterator[Binding]:
        assert isinstance(node, cst.TypeParameters)
        for each in node.params:
            yield Binding(each.param.name.value, BindingKind.OTHER, self.own_scope(node), each)

    def _collect_type_alias(self, node: cst.CSTNode) -> Iterator[Binding]:
        assert isinstance(node, cst.TypeAlias)
        yield Binding(node.name.value, BindingKind.OTHER, self.scope_of(node), node)

    def _collect_import(self, node: cst.CSTNode) -> Iterator[Binding]:
        assert isinstance(node, cst.Import)
        scope = self.scope_of(node)
        for alias in node.names:
            dotted = dotted_name(alias.name)
            if alias.asname is not None:
                bound = alias.asname.name
                assert isinstance(bound, cst.Name)
                yield Binding(bound.value, BindingKind.IMPORT, scope, alias, dotted=dotted)
            else:
                first = dotted.split(".")[0]
                yield Binding(first, BindingKind.IMPORT, scope, alias, dotted=first)

    def _collect_import_from(self, node: cst.CSTNode) -> Iterator[Binding]:
        assert isinstance(node, cst.ImportFrom)
        scope = self.scope_of(node)
        module = "." * len(node.relative) + (dotted_name(node.module) if node.module is not None else "")
        if isinstance(node.names, cst.ImportStar):
            scope.stars.append(Binding("*", BindingKind.IMPORT, scope, node, dotted=module))
            return
        joint = "" if module.endswith(".") else "."
        for alias in node.names:
            name = dotted_name(alias.name)
            bound = alias.asname.name if alias.asname is not None else alias.name
            assert isinstance(bound, cst.Name)
            yield Binding(bound.value, BindingKind.IMPORT, scope, alias, dotted=module + joint + name)


_COLLECTORS: dict[type[cst.CSTNode], Callable[[Scopes, cst.CSTNode], Iterator[Binding]]] = {
    cst.ClassDef: Scopes._collect_class,
    cst.Assign: Scopes._collect_assign,
    cst.AnnAssign: Scopes._collect_single_assign,
    cst.AugAssign: Scopes._collect_single_assign,
    cst.NamedExpr: Scopes._collect_walrus,
    cst.For: Scopes._collect_for,
    cst.CompFor: Scopes._collect_comprehension,
    cst.WithItem: Scopes._collect_with,
    cst.ExceptHandler: Scopes._collect_except,
    cst.ExceptStarHandler: Scopes._collect_except,
    cst.Del: Scopes._collect_delete,
    cst.MatchAs: Scopes._collect_match,
    cst.MatchStar: Scopes._collect_match,
    cst.MatchMapping: Scopes._collect_match,
    cst.TypeAlias: Scopes._collect_type_alias,
    cst.TypeParameters: Scopes._collect_type_parameters,
    cst.Import: Scopes._collect_import,
    cst.ImportFrom: Scopes._collect_import_from,
}


def parameters(params: cst.Parameters) -> Iterator[cst.Param]:
    """Yield all parameters of a function in the order of its signature, `*args` and `**kwargs` included."""
    yield from params.posonly_params
    yield from params.params
    if isinstance(params.star_arg, cst.Param):
        yield params.star_arg
    yield from params.kwonly_params
    if params.star_kwarg is not None:
        yield params.star_kwarg


def is_none(expression: cst.CSTNode | None) -> bool:
    """Return whether the expression is a plain None, such as stands in for an import that failed."""
    return isinstance(expression, cst.Name) and expression.value == "None"


def dotted_name(node: cst.CSTNode) -> str:
    """Return `a.b.c` for a chain of attributes on a name, "" for anything else."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return ""
    parts.append(node.value)
    return ".".join(reversed(parts))


def string_value(expression: cst.CSTNode) -> str | None:
    """Return the text of a string literal, also of several side by side, or None for anything else."""
    if isinstance(expression, cst.SimpleString) and not expression.prefix and "\\" not in expression.value:
        return expression.raw_value  # most are so plain, and evaluating costs ten times as much
    if isinstance(expression, (cst.SimpleString, cst.ConcatenatedString)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape is not ours to report
            value = expression.evaluated_value
        return value if isinstance(value, str) else None
    return None


def _targets(
    target: cst.CSTNode,
    kind: BindingKind,
    scope: Scope,
    node: cst.CSTNode,
    value: cst.BaseExpression | None,
) -> Iterator[Binding]:
    """Yield a binding for every name in an assignment target, with the path that unpacking takes to it."""
    stack: list[tuple[cst.CSTNode, tuple[int, ...] | None]] = [(target, ())]
    while stack:
        current, path = stack.pop()
        if isinstance(current, cst.Name):
            yield Binding(current.value, kind, scope, node, value, path)
        elif isinstance(current, (cst.Tuple, cst.List)):
            starred = any(isinstance(element, cst.StarredElement) for element in current.elements)
            for index, element in enumerate(current.elements):
                known = path is not None and not starred
                stack.append((element.value, (*path, index) if known and path is not None else None))
