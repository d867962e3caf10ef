"""Which definitions of one name can reach a place: reaching definitions over the statements of one scope."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import libcst as cst

from tl_lint.tree import STATEMENTS, Tree

__all__ = ["Definition", "Flow", "Reaching", "excluded", "later"]

T = TypeVar("T")
_BUDGET = 20_000


@dataclass(frozen=True)
class Definition(Generic[T]):
    """Something that gives the name a meaning when `node` runs: a statement, or the NamedExpr or Param inside one."""

    node: cst.CSTNode
    meaning: T


@dataclass(frozen=True)
class Reaching(Generic[T]):
    """A meaning that can reach the place asked about; `excluded` is what tests on the way say that it is not."""

    meaning: T
    excluded: frozenset[str] = frozenset()


State = frozenset[Reaching[T]] | None
"""What can reach a point; None where the point can't be reached."""


class _OutOfBudget(Exception):
    """Nested loops would make the walk too long."""


@dataclass
class _Loop(Generic[T]):
    breaks: list[State[T]] = field(default_factory=list)
    continues: list[State[T]] = field(default_factory=list)


def _join(*states: State[T]) -> State[T]:
    reachable = [state for state in states if state is not None]
    return frozenset().union(*reachable) if reachable else None


def excluded(test: cst.BaseExpression, name: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return what `name` is known not to be where `test` is true, and where it is false.

    The words are "None", "int", "IntImm", and "zero" for the number in either.
    """
    if isinstance(test, cst.Name):
        return (_TRUTHY if test.value == name else _NOTHING), _NOTHING
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        when_true, when_false = excluded(test.expression, name)
        return when_false, when_true
    if isinstance(test, cst.BooleanOperation):
        left, right = excluded(test.left, name), excluded(test.right, name)
        if isinstance(test.operator, cst.And):
            return left[0] | right[0], left[1] & right[1]
        return left[0] & right[0], left[1] | right[1]
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        operator, other = test.comparisons[0].operator, test.comparisons[0].comparator
        if {_text(test.left), _text(other)} == {name, "None"}:
            is_none = isinstance(operator, (cst.Is, cst.Equal))
            is_other = isinstance(operator, (cst.IsNot, cst.NotEqual))
            return (_NOT_NONE if is_other else _NOTHING), (_NOT_NONE if is_none else _NOTHING)
        if isinstance(test.left, cst.Call) and _text(test.left.func) == "type" and len(test.left.args) == 1:
            same, different = _by_class(other) if _text(test.left.args[0].value) == name else (_NOTHING, _NOTHING)
            if isinstance(operator, (cst.Is, cst.Equal, cst.In)):
                return same, different
            return (different, same) if isinstance(operator, (cst.IsNot, cst.NotEqual, cst.NotIn)) else (_NOTHING,) * 2
    if isinstance(test, cst.Call) and _text(test.func) == "isinstance" and len(test.args) == 2:
        return _by_class(test.args[1].value) if _text(test.args[0].value) == name else (_NOTHING, _NOTHING)
    return _NOTHING, _NOTHING


def _by_class(classes: cst.BaseExpression) -> tuple[frozenset[str], frozenset[str]]:
    """Return what `isinstance(name, classes)` excludes where it is true, and where it is false."""
    members = [each.value for each in classes.elements] if isinstance(classes, (cst.Tuple, cst.List)) else [classes]
    named = {_CLASSES.get(_text(member), "?") for member in members}
    if "?" in named:
        return _NOTHING, frozenset(named - {"?"})
    return frozenset({"None", "int", "IntImm"}) - named, frozenset(named)


def _text(node: cst.CSTNode) -> str:
    """Return a name, or the last part of a dotted one."""
    node = node.attr if isinstance(node, cst.Attribute) else node
    return node.value if isinstance(node, cst.Name) else ""


_NOTHING: frozenset[str] = frozenset()
_NOT_NONE = frozenset({"None"})
_TRUTHY = frozenset({"None", "zero"})
_SWALLOWING = frozenset({"suppress", "raises", "assertRaises", "assertRaisesRegex"})
"""Context managers after which the code goes on though their body broke off."""
_CLASSES = {"int": "int", "integer": "int", "Integral": "int", "IntImm": "IntImm", "PrimExpr": "IntImm"}


class Flow(Generic[T]):
    """Runs the statements of a scope once and notes what can reach each of them.

    `owner` is the node of the scope (a function, a class, the module), `name` the name in question, `definitions` what
    can define it there, `entry` what reaches the first statement. A nested function counts as read where it is
    defined; whoever needs more adds the definitions that come later.
    """

    def __init__(
        self,
        tree: Tree,
        owner: cst.CSTNode,
        name: str,
        definitions: Iterable[Definition[T]],
        entry: Iterable[T] = (),
    ) -> None:
        self.tree = tree
        self.owner = owner
        self.name = name
        self._entry: State[T] = frozenset(Reaching(meaning) for meaning in entry)
        self._defined: dict[cst.CSTNode, list[Definition[T]]] = {}
        for definition in definitions:
            self._defined.setdefault(self._unit(definition.node), []).append(definition)
        self._loops: list[_Loop[T]] = []
        self._tries: list[list[State[T]]] = []
        self._states: dict[cst.CSTNode, State[T]] = {}
        self._left = _BUDGET
        self._end: State[T] = None
        self._complete = self._run()

    def reaching(self, use: cst.CSTNode) -> frozenset[Reaching[T]] | None:
        """Return what can reach `use`, or None where it can't be reached or that could not be told."""
        home = self.home(use)
        return self._states.get(home if home is not None else self.owner) if self._complete else None

    @property
    def falls_through(self) -> bool | None:
        """Whether the end of the statements can be reached; None where that could not be told."""
        return self._end is not None if self._complete else None

    def home(self, use: cst.CSTNode) -> cst.CSTNode | None:
        """Return the statement of this scope that holds `use`; for code in a nested function or class, that one."""
        path: list[cst.CSTNode] = [use]
        for ancestor, _ in self.tree.ancestors(use):
            if ancestor is self.owner:
                break
            path.append(ancestor)
        home: cst.CSTNode | None = None
        for node in reversed(path):
            if isinstance(node, STATEMENTS):
                home = node
                if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
                    break
        return home

    # ------------------------------------------------------------------ running

    def _run(self) -> bool:
        """Run all statements, and return whether the budget was enough."""
        body = getattr(self.owner, "body", None)
        try:
            if isinstance(body, cst.BaseSuite):
                self._end = self._suite(body, self._entry)
            elif isinstance(self.owner, cst.Module):
                self._end = self._block(self.owner.body, self._entry)
            else:
                gained = (self._gained(each) for each in self._defined.values())
                self._states[self.owner] = _join(self._entry, *gained)
        except _OutOfBudget:
            return False
        return True

    def _unit(self, node: cst.CSTNode) -> cst.CSTNode:
        if isinstance(node, (cst.ExceptHandler, cst.ExceptStarHandler)):
            return node
        for ancestor, _ in self.tree.ancestors(node):
            if isinstance(ancestor, cst.MatchCase):
                return ancestor
            if isinstance(ancestor, STATEMENTS):
                break
        return self.tree.statement(node)

    def _gained(self, definitions: Sequence[Definition[T]]) -> State[T]:
        return frozenset(Reaching(each.meaning) for each in definitions)

    def _apply(self, unit: cst.CSTNode, state: State[T]) -> State[T]:
        """Run the definitions of `unit`; one inside an expression may not run, so what was there stays as well."""
        defined = self._defined.get(unit)
        if not defined or state is None:
            return state
        certain = all(not isinstance(each.node, cst.NamedExpr) for each in defined)
        after = self._gained(defined) if certain else _join(state, self._gained(defined))
        for watched in self._tries:
            watched.append(after)
        return after

    def _note(self, unit: cst.CSTNode, state: State[T]) -> None:
        inside = [each for each in self._defined.get(unit, ()) if isinstance(each.node, cst.NamedExpr)]
        gained = self._gained(inside) if inside and state is not None else None
        self._states[unit] = _join(self._states.get(unit), state, gained)

    def _narrow(self, state: State[T], facts: frozenset[str]) -> State[T]:
        if state is None or not facts:
            return state
        return frozenset(Reaching(each.meaning, each.excluded | facts) for each in state)

    def _block(self, statements: Sequence[cst.CSTNode], state: State[T]) -> State[T]:
        for statement in statements:
            self._left -= 1
            if self._left < 0:
                raise _OutOfBudget
            if isinstance(statement, cst.SimpleStatementLine):
                for small in statement.body:
                    state = self._small(small, state)
            else:
                state = self._compound(statement, state)
        return state

    def _suite(self, suite: cst.BaseSuite, state: State[T]) -> State[T]:
        if isinstance(suite, cst.SimpleStatementSuite):
            for small in suite.body:
                state = self._small(small, state)
            return state
        return self._block(suite.body, state)

    def _small(self, statement: cst.CSTNode, state: State[T]) -> State[T]:
        self._note(statement, state)
        state = self._apply(statement, state)
        if isinstance(statement, (cst.Return, cst.Raise)):
            return None
        if isinstance(statement, cst.Break) and self._loops:
            self._loops[-1].breaks.append(state)
            return None
        if isinstance(statement, cst.Continue) and self._loops:
            self._loops[-1].continues.append(state)
            return None
        if isinstance(statement, cst.Assert):
            return self._narrow(state, excluded(statement.test, self.name)[0])
        return state

    def _compound(self, statement: cst.CSTNode, state: State[T]) -> State[T]:
        self._note(statement, state)
        if isinstance(statement, cst.If):
            return self._if(statement, state)
        if isinstance(statement, (cst.For, cst.While)):
            return self._loop(statement, state)
        if isinstance(statement, (cst.Try, cst.TryStar)):
            return self._try(statement, state)
        state = self._apply(statement, state)
        if isinstance(statement, cst.With):
            return self._with(statement, state)
        if isinstance(statement, cst.Match):
            outs = [] if any(map(_matches_all, statement.cases)) else [state]
            for case in statement.cases:
                outs.append(self._suite(case.body, self._apply(case, state)))
            return _join(*outs)
        return state

    def _with(self, statement: cst.With, state: State[T]) -> State[T]:
        called = [item.item.func for item in statement.items if isinstance(item.item, cst.Call)]
        if not any(_text(function) in _SWALLOWING for function in called):
            return self._suite(statement.body, state)
        watched: list[State[T]] = [state]
        self._tries.append(watched)
        end = self._suite(statement.body, state)
        self._tries.pop()
        return _join(end, *watched)

    def _if(self, statement: cst.If, state: State[T]) -> State[T]:
        outs: list[State[T]] = []
        branch: cst.If | cst.Else | None = statement
        while isinstance(branch, cst.If):
            if branch is not statement:
                self._note(branch, state)
            state = self._apply(branch, state)
            when_true, when_false = excluded(branch.test, self.name)
            outs.append(self._suite(branch.body, self._narrow(state, when_true)))
            state = self._narrow(state, when_false)
            branch = branch.orelse
        outs.append(self._suite(branch.body, state) if branch is not None else state)
        return _join(*outs)

    def _loop(self, statement: cst.For | cst.While, state: State[T]) -> State[T]:
        loop: _Loop[T] = _Loop()
        self._loops.append(loop)
        for _ in range(2):  # what a body adds reaches its own start in the second round; a third changes nothing
            self._note(statement, state)
            start = self._apply(statement, state)
            if isinstance(statement, cst.While):
                state = start
                start = self._narrow(start, excluded(statement.test, self.name)[0])
            end = self._suite(statement.body, start)
            state = _join(state, end, *loop.continues)
        self._loops.pop()
        if isinstance(statement, cst.While) and _is_always_true(statement.test):
            state = None  # such a loop ends by a break only
        after = self._suite(statement.orelse.body, state) if statement.orelse is not None else state
        return _join(after, *loop.breaks)

    def _try(self, statement: cst.Try | cst.TryStar, state: State[T]) -> State[T]:
        if statement.finalbody is None:
            return self._handled(statement, state)
        loop = self._loops[-1] if self._loops else _Loop()
        left = [(states, len(states)) for states in (loop.breaks, loop.continues)]
        watched: list[State[T]] = [state]
        self._tries.append(watched)
        after = self._handled(statement, state)
        self._tries.pop()
        final = statement.finalbody.body
        for states, known in left:  # a break runs it on its way out
            leaving = states[known:]
            del states[known:]
            states.append(self._suite(final, _join(*leaving)))
        self._suite(final, _join(*watched))  # on the way of an exception or a return, which does not come back
        return self._suite(final, after)

    def _handled(self, statement: cst.Try | cst.TryStar, state: State[T]) -> State[T]:
        """Run everything but the `finally`."""
        watched: list[State[T]] = [state]
        self._tries.append(watched)
        end = self._suite(statement.body, state)
        self._tries.pop()
        raised = _join(*watched)
        outs = [self._suite(handler.body, self._apply(handler, raised)) for handler in statement.handlers]
        outs.append(self._suite(statement.orelse.body, end) if statement.orelse is not None else end)
        return _join(*outs)


def _matches_all(case: cst.MatchCase) -> bool:
    return isinstance(case.pattern, cst.MatchAs) and case.pattern.pattern is None and case.guard is None


def _is_always_true(test: cst.BaseExpression) -> bool:
    if isinstance(test, cst.Integer):
        return test.evaluated_value != 0
    return isinstance(test, cst.Name) and test.value == "True"


def later(definitions: Iterable[Definition[T]], tree: Tree, place: cst.CSTNode) -> frozenset[Reaching[T]]:
    """Return the definitions that come after `place` in the text, or share a loop with it: a call may see them."""
    loops = {ancestor for ancestor, _ in tree.ancestors(place) if isinstance(ancestor, (cst.For, cst.While))}
    return frozenset(
        Reaching(each.meaning)
        for each in definitions
        if tree.order(each.node) > tree.order(place)
        or any(ancestor in loops for ancestor, _ in tree.ancestors(each.node))
    )
