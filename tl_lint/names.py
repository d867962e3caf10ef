"""What a name in a scope refers to, as dotted names such as "tilelang.language.Parallel"."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

import libcst as cst

from tl_lint.flow import Definition, Flow, Reaching, later
from tl_lint.module_names import bind_by_name
from tl_lint.projects import Project
from tl_lint.scopes import Binding, BindingKind, Scope, Scopes, dotted_name, is_none, string_value
from tl_lint.tree import Tree

__all__ = ["LANGUAGE", "UNKNOWN", "NameFlow", "Names", "dotted_name", "string_value", "words"]

LANGUAGE = "tilelang.language"
"""The language module; dialects, submodules and re-exports of it are brought to this name."""
UNKNOWN = "?"
"""Stands in a set of names for a meaning that is not known."""

T = TypeVar("T")


def words(text: str) -> frozenset[str]:
    """Return the words of `text`: a set of names that stays readable."""
    return frozenset(text.split())


_LANGUAGE_MODULE = re.compile(r"(?:bitblas\.)?tilelang(?:\.[a-z_]\w*)?\.language(?=\.|$)")
_SUBMODULES = words(
    "allocate annotations ast atomic builtin common copy copy_op customize dtypes eager experimental"
    " fastmath fill_op frame gemm gemm_op kernel logical loop math_intrinsics meta overrides parallel"
    " parser persistent pipeline print_op proxy random_op reduce reduce_op scan_op symbolics tile_schedule"
    " tir utils v2 warpgroup ws_schedule"
)
"""Modules below the language module that hold its functions, in any release from 0.1.8 to 0.1.15."""
_WELL_KNOWN = words("tilelang tvm bitblas numpy torch functools importlib math operator enum typing")
_NAMES_OF_THE_LANGUAGE = {"T": LANGUAGE, "tl": LANGUAGE, "tilelang": "tilelang"}
_STARRED = words("abs bool float int max min pow print round")
"""Builtins that a star import of the language shadows (measured with 0.1.13 and 0.1.15)."""
_STARRED_NAME = re.compile(
    r"(abs|bool|float|int|max|min|pow|print|round"
    r"|Parallel|parallel|serial|unroll|vectorized|Pipelined|Persistent|grid|Kernel|ClusterKernel|PersistentKernel"
    r"|copy|async_copy|copy_cluster|gemm|prim_func|macro|IntImm|FloatImm|cast|ceildiv|floordiv|floormod|truncdiv|truncmod"
    r"|shift_left|shift_right|bitwise_(and|or|xor|not)|dynamic|symbolic|const|if_then_else|Fragment|Tensor|Buffer"
    r"|(u?int|b?float)\d+(x\d+)?)$"
)
"""Names that a star import of the language is taken to bind: those that matter here. Others stay unknown."""
_OF_TILELANG = words("jit language tvm")
"""Names that a star import of tilelang itself binds, of those that matter here."""
_BUILTINS = frozenset(dir(builtins)) - _STARRED
_DEEPEST = 64


class NameFlow(Generic[T]):
    """What `identifier`, a name of the scope `home`, can mean at a place: one of `definitions`, or of `entry`.

    `entry` reaches the start of the scope. Code in a nested function also sees what is defined after it, except in a
    prim_func, which is traced where it stands. Definitions in other scopes can always reach, but for what a function
    that says `global` or `nonlocal` itself has done by then.
    """

    def __init__(
        self,
        names: Names,
        home: Scope,
        identifier: str,
        definitions: Sequence[Definition[T]],
        entry: Sequence[T] = (),
    ) -> None:
        self._names = names
        self._home = home
        scope_of = names.scopes.scope_of
        self._local = [each for each in definitions if scope_of(each.node) is home or _opens(home, each.node)]
        local = {id(each) for each in self._local}
        self._others = [each for each in definitions if id(each) not in local]
        self._elsewhere = frozenset(Reaching(each.meaning) for each in self._others)
        self._identifier = identifier
        self._borrowed: dict[Scope, Flow[T]] = {}
        self._flow = Flow(names.tree, home.node, identifier, self._local, entry)
        self._all = frozenset(Reaching(each) for each in (*entry, *(each.meaning for each in definitions)))

    def reaching(self, place: cst.CSTNode) -> frozenset[Reaching[T]]:
        """Return the meanings that can reach `place`."""
        scope = self._names.scopes.scope_of(place)
        if self._identifier in scope.elsewhere and scope is not self._home:
            return self._in_borrower(scope).reaching(place) or self._all
        state = self._flow.reaching(place)
        if state is None:
            return self._all
        if self._names.is_deferred(place, self._home):
            state |= later(self._local, self._names.tree, self._flow.home(place) or self._names.tree.module)
        return state | self._elsewhere

    def _in_borrower(self, scope: Scope) -> Flow[T]:
        """Return the flow in a function that rebinds the name of the home scope: at its start it can be anything."""
        if scope not in self._borrowed:
            own = [each for each in self._others if self._names.scopes.scope_of(each.node) is scope]
            before = [each.meaning for each in self._all]
            self._borrowed[scope] = Flow(self._names.tree, scope.node, self._identifier, own, before)
        return self._borrowed[scope]


class Names:
    """Resolves the names of one file.

    `path` is the file's path for following re-exports, or None; `language_modules` are further dotted names that stand
    for the language module.
    """

    def __init__(self, tree: Tree, path: str | None = None, language_modules: Sequence[str] = ()) -> None:
        self.tree = tree
        self.scopes = Scopes(tree)
        bind_by_name(self.scopes)
        self._project = Project(path)
        self._language_modules = tuple(language_modules)
        self._running: set[cst.CSTNode] = set()
        self._canonical: dict[str, str] = {}
        self._of_language: dict[Scope, tuple[Binding, ...]] = {}
        self._written: dict[str, list[cst.Name]] | None = None
        self._flows: dict[tuple[Scope, str], NameFlow[Binding]] = {}
        self._reached: dict[tuple[Scope, str, cst.CSTNode], tuple[Reaching[Binding], ...]] = {}
        self._meanings: dict[cst.CSTNode, frozenset[str]] = {}

    # ------------------------------------------------------------------ bindings

    def bindings(self, name: cst.Name) -> tuple[Reaching[Binding], ...]:
        """Return the bindings that `name`, read where it stands, can mean; none for a builtin or a star import."""
        return self.bindings_at(name.value, name)

    def bindings_at(self, identifier: str, place: cst.CSTNode) -> tuple[Reaching[Binding], ...]:
        """Return the bindings that `identifier` would mean if it were read at `place`."""
        scope = self.scopes.scope_of(place)
        home = scope.lookup(identifier)
        if home is None or identifier not in home.bindings:
            return ()
        found = home.bindings[identifier]
        if len(found) == 1 and found[0].kind is not BindingKind.PARAMETER:
            return (Reaching(found[0]),)
        key = (home, identifier, place)
        if key not in self._reached:
            self._reached[key] = self._reaching_bindings(home, identifier, place)
        return self._reached[key]

    def _reaching_bindings(self, home: Scope, identifier: str, place: cst.CSTNode) -> tuple[Reaching[Binding], ...]:
        flow = self._flows.get((home, identifier))
        if flow is None:
            found = home.bindings[identifier]
            entry = [each for each in found if each.kind is BindingKind.PARAMETER]
            others = [Definition(each.node, each) for each in found if each.kind is not BindingKind.PARAMETER]
            flow = self._flows[home, identifier] = NameFlow(self, home, identifier, others, entry)
        return tuple(sorted(flow.reaching(place), key=lambda each: self.tree.order(each.meaning.node)))

    def bound_to_language(self, scope: Scope) -> tuple[Binding, ...]:
        """Return the imports and assignments in `scope` that bind TileLang, its language, or something in it."""
        known = self._of_language.get(scope)
        if known is None:
            candidates = (each for found in scope.bindings.values() for each in found if each.kind in _ALIASING)
            known = tuple(each for each in candidates if any(map(_is_of_tilelang, self._meaning_of(each))))
            self._of_language[scope] = known
        return known

    def written(self, identifier: str) -> Sequence[cst.Name]:
        """Return every place where `identifier` is written as a name of its own: read, bound, or as a keyword."""
        if self._written is None:
            self._written = {}
            for name in self.tree.nodes(cst.Name):
                assert isinstance(name, cst.Name)
                self._written.setdefault(name.value, []).append(name)
        return self._written.get(identifier, ())

    def is_deferred(self, place: cst.CSTNode, home: Scope) -> bool:
        """Return whether `place` runs later than the statement of `home` that holds it: it is in a nested function."""
        for ancestor, child in self.tree.ancestors(place):
            if ancestor is home.node:
                return False
            if isinstance(ancestor, cst.Lambda) and child is ancestor.body:
                return True
            if isinstance(ancestor, cst.FunctionDef) and child is ancestor.body:
                return not self.is_decorated(ancestor, f"{LANGUAGE}.prim_func")
        return False

    def is_decorated(self, function: cst.FunctionDef, *dotted: str) -> bool:
        """Return whether a decorator of `function`, called or not, is one of the `dotted` names."""
        return any(self.decorator(each) in dotted for each in function.decorators)

    def decorator(self, decorator: cst.Decorator) -> str | None:
        """Return the dotted name of a decorator, arguments left out, or None."""
        expression = decorator.decorator
        return self.only(expression.func if isinstance(expression, cst.Call) else expression)

    # ------------------------------------------------------------------ dotted names

    def only(self, expression: cst.CSTNode) -> str | None:
        """Return the one dotted name that `expression` can mean, or None where it is unknown or ambiguous."""
        meanings = self.resolve(expression)
        if len(meanings) != 1:
            return None
        (meaning,) = meanings
        return None if meaning == UNKNOWN else meaning

    def resolve(self, expression: cst.CSTNode) -> frozenset[str]:
        """Return the dotted names that `expression` can mean, `UNKNOWN` among them where there are others.

        Names of the language come out as "tilelang.language.NAME" whatever the spelling; builtins as "builtins.NAME".
        """
        known = self._meanings.get(expression)
        if known is not None:
            return known
        if expression in self._running:  # a name that is defined by itself
            return frozenset()
        if len(self._running) > _DEEPEST:
            return frozenset({UNKNOWN})
        self._running.add(expression)
        try:
            known = frozenset(self._resolve(expression))
        finally:
            self._running.discard(expression)
        self._meanings[expression] = known
        return known

    def resolve_at(self, identifier: str, place: cst.CSTNode) -> frozenset[str]:
        """Return what `identifier` would mean if it were read at `place`."""
        reaching = self.bindings_at(identifier, place)
        if reaching:
            return frozenset(name for each in reaching for name in self._meaning_of(each.meaning))
        starred = self._from_stars(identifier, place)
        if starred is not None:
            return frozenset({starred})
        return frozenset({f"builtins.{identifier}" if identifier in _BUILTINS | _STARRED else UNKNOWN})

    def _resolve(self, expression: cst.CSTNode) -> Iterator[str]:
        if isinstance(expression, cst.Name):
            yield from self.resolve_at(expression.value, expression)
        elif isinstance(expression, cst.Attribute):
            yield from self._resolve_attribute(expression)
        elif isinstance(expression, cst.Call):
            yield from self._resolve_call(expression)
        elif isinstance(expression, cst.NamedExpr):
            yield from self.resolve(expression.value)
        elif isinstance(expression, cst.IfExp):
            yield from self.resolve(expression.body) | self.resolve(expression.orelse)
        elif isinstance(expression, cst.BooleanOperation):
            yield from self.resolve(expression.left) | self.resolve(expression.right)
        else:
            yield UNKNOWN

    def _resolve_attribute(self, expression: cst.Attribute) -> Iterator[str]:
        parts: list[str] = []
        base: cst.BaseExpression = expression
        while isinstance(base, cst.Attribute):  # a loop, since chains can be thousands long
            parts.append(base.attr.value)
            base = base.value
        path = ".".join(reversed(parts))
        for name in self.resolve(base):
            yield self.canonical(f"{name}.{path}") if name != UNKNOWN else UNKNOWN

    def _resolve_call(self, call: cst.Call) -> Iterator[str]:
        function = self.only(call.func)
        arguments = [each.value for each in call.args if each.keyword is None and not each.star]
        if function == "functools.partial" and arguments:
            yield from self.resolve(arguments[0])
            return
        texts = [string_value(each) for each in arguments]
        if function == "importlib.import_module" and len(texts) == 1 and texts[0]:
            yield self.canonical(texts[0])
        elif function == "builtins.getattr" and len(texts) >= 2 and texts[1]:
            for base in self.resolve(arguments[0]):
                yield self.canonical(f"{base}.{texts[1]}") if base != UNKNOWN else UNKNOWN
        else:
            yield UNKNOWN

    def _meaning_of(self, binding: Binding) -> frozenset[str]:
        if binding.kind is BindingKind.IMPORT:
            return frozenset({self.canonical(binding.dotted)})
        if binding.kind is BindingKind.ASSIGN and binding.value is not None and binding.path is not None:
            value: cst.CSTNode = binding.value
            for index in binding.path:
                elements = value.elements if isinstance(value, (cst.Tuple, cst.List)) else ()
                if index >= len(elements) or any(isinstance(each, cst.StarredElement) for each in elements):
                    return frozenset({UNKNOWN})
                value = elements[index].value
            if is_none(value):
                return frozenset()  # the fallback of an optional import says nothing else
            return self.resolve(value)
        return frozenset({UNKNOWN})

    def _from_stars(self, identifier: str, place: cst.CSTNode) -> str | None:
        """Return what a star import makes of a name that nothing else binds; None if none has to do with it.

        The last one wins. Of a module that can't be looked into, any name but a builtin may come: UNKNOWN, then.
        """
        scope: Scope | None = self.scopes.scope_of(place)
        while scope is not None:
            for star in reversed(scope.stars):
                found = self._from_star(star.dotted, identifier)
                if found is not None:
                    return found
            scope = scope.parent
        return None

    def _from_star(self, dotted: str, identifier: str) -> str | None:
        module = self.canonical(dotted)
        if module == LANGUAGE:
            return f"{LANGUAGE}.{identifier}" if _STARRED_NAME.match(identifier) else None
        if module == "tilelang":
            return self.canonical(f"tilelang.{identifier}") if identifier in _OF_TILELANG else None
        exports = None if self._is_well_known(module) else self._project.exports(dotted)
        if exports and identifier in exports:
            return self.canonical(exports[identifier])
        handed_on = map(self.canonical, exports.get("*", "").split() if exports else ())
        if LANGUAGE in handed_on and _STARRED_NAME.match(identifier):
            return f"{LANGUAGE}.{identifier}"
        return None if identifier in _BUILTINS | _STARRED else UNKNOWN

    # ------------------------------------------------------------------ spelling

    def canonical(self, dotted: str) -> str:
        """Return a dotted name in the form that rules compare with: one for each thing, whatever the route to it."""
        known = self._canonical.get(dotted)
        if known is None:
            known = self._canonical[dotted] = self._to_canonical(dotted)
        return known

    def _to_canonical(self, dotted: str) -> str:
        absolute = self._project.absolute(dotted)
        for module in self._language_modules:
            if absolute == module or absolute.startswith(f"{module}."):
                return _without_submodules(LANGUAGE + absolute[len(module) :])
        found = _LANGUAGE_MODULE.match(absolute)
        if found:
            return _without_submodules(LANGUAGE + absolute[found.end() :])
        if absolute.startswith("tilelang.tvm"):
            return absolute[len("tilelang.") :]
        if self._is_well_known(absolute):
            return absolute
        return self._followed(dotted)

    def is_language(self, dotted: str) -> bool:
        """Return whether a dotted name as written in an import is the language module, a dialect or a stand-in."""
        absolute = self._project.absolute(dotted)
        found = _LANGUAGE_MODULE.match(absolute)
        return absolute in self._language_modules or (found is not None and found.end() == len(absolute))

    def _is_well_known(self, dotted: str) -> bool:
        return dotted.split(".")[0] in _WELL_KNOWN

    def _followed(self, dotted: str) -> str:
        """Follow a name that another module of the project may only hand on."""
        stem = dotted.lstrip(".")
        dots, parts = dotted[: len(dotted) - len(stem)], stem.split(".")
        for length in range(len(parts) - 1, -1, -1):
            module, name, rest = dots + ".".join(parts[:length]), parts[length], parts[length + 1 :]
            if not module:
                break
            exports = self._project.exports(module)
            if exports is not None:
                target = exports.get(name)
                if target is None or not self._is_well_known(target):
                    return dotted
                return self.canonical(".".join([target, *rest]))
            if length and "tilelang" in parts[length - 1] and name in _NAMES_OF_THE_LANGUAGE:
                return self.canonical(".".join([_NAMES_OF_THE_LANGUAGE[name], *rest]))
        return dotted


_ALIASING = (BindingKind.IMPORT, BindingKind.ASSIGN)


def _is_of_tilelang(dotted: str) -> bool:
    return dotted == "tilelang" or dotted.startswith(LANGUAGE)


def _without_submodules(dotted: str) -> str:
    """Drop the modules between the language module and a name in it: tilelang.language.loop.Parallel."""
    parts = dotted[len(LANGUAGE) + 1 :].split(".")
    while len(parts) > 1 and parts[0] in _SUBMODULES:
        parts.pop(0)
    return f"{LANGUAGE}.{'.'.join(parts)}" if parts != [""] else LANGUAGE


def _opens(home: Scope, node: cst.CSTNode) -> bool:
    """Return whether what binds is the loop of a comprehension, whose own scope is `home`."""
    return isinstance(node, cst.CompFor) or home.node is node
