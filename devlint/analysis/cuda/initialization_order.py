"""Follows a program in the order in which it runs, to see what has certainly happened when a place is reached.

The one thing it remembers is a call that starts CUDA. Branches are joined to what all of them have done, loops may not
run, and functions of the file are followed where they are called. A function that is called by nobody, or handed
around, starts with what the module had done before anything could have called it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import libcst as cst

from devlint.analysis.cuda.cuda_initialization import starts_cuda
from devlint.analysis.guards.implications import implies_cuda
from devlint.analysis.names.bindings import How
from devlint.analysis.names.control_flow import exits, is_main_guard, is_run_later, statements
from devlint.analysis.names.reachable_names import first_lookup
from devlint.analysis.names.resolution import bindings, reads
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext
from devlint.syntax.tree import children

State = cst.CSTNode | None
"""The call that has started CUDA; None where none certainly has."""


class Execution:
    """One walk through a program."""

    def __init__(self, ctx: FileContext, watched: Collection[int]) -> None:
        """``watched`` are the ids of the nodes whose moment is of interest."""
        self._ctx = ctx
        self._watched = watched
        self._active: list[int] = []
        self._visited: set[int] = set()
        self._ends: dict[tuple[int, bool], State] = {}
        self._returned: list[list[State]] = []
        self.seen: dict[int, list[State]] = {}
        """For each watched node, what had started CUDA each time it was reached."""
        self._run_module()
        self._run_the_rest()

    def started_before(self, node: cst.CSTNode) -> State:
        """The call that has started CUDA whenever ``node`` is reached; None where that is not certain."""
        found = self.seen.get(id(node), [])
        return found[0] if found and all(one is not None for one in found) else None

    def _run_module(self) -> None:
        state: State = None
        self._before: list[State] = []
        self._imported: State = None
        for statement in self._ctx.module.body:
            self._before.append(state)
            state = self._statement(statement, state)
            if not is_main_guard(statement):
                self._imported = self._imported or state

    def _run_the_rest(self) -> None:
        """Functions that nobody calls by name, or that somebody hands on."""
        handed = self._handed_on()
        for function in self._ctx.tree.of_type(cst.FunctionDef):
            if id(function) not in self._visited or id(function) in handed:
                self._active = [id(function)]
                self._returned.append([])
                self._block(function.body, self._state_when_possible(function))
                self._returned.pop()

    def _handed_on(self) -> set[int]:
        """Functions whose names stand somewhere else than in a call."""
        found = set()
        for name in reads(self._ctx):
            parent = self._ctx.tree.parent(name)
            if not (isinstance(parent, cst.Call) and parent.func is name):
                function = self._function(name)
                found |= {id(function)} if function is not None else set()
        return found

    def _state_when_possible(self, function: cst.FunctionDef) -> State:
        """What has happened before anything can call a function."""
        ups = [function, *self._ctx.tree.ancestors(function)]
        name = getattr(getattr(ups[-2], "name", None), "value", None) if len(ups) > 1 else None
        if name is None:
            return None
        first = first_lookup(self._ctx, scopes(self._ctx).module, name)
        return self._before[first] if first is not None and first < len(self._before) else self._imported

    def _block(self, block: cst.CSTNode, state: State) -> State:
        for statement in statements(block):
            state = self._statement(statement, state)
        return state

    def _statement(self, node: cst.CSTNode, state: State) -> State:
        if isinstance(node, cst.If):
            return self._if(node, state)
        if isinstance(node, (cst.For, cst.While)):
            state = self._expression(node.iter if isinstance(node, cst.For) else node.test, state)
            self._block(node.body, state)
            return self._block(node.orelse.body, state) if node.orelse is not None else state
        if isinstance(node, (cst.Try, cst.TryStar)):
            return self._try(node, state)
        if isinstance(node, cst.With):
            for item in node.items:
                state = self._expression(item.item, state)
            return self._block(node.body, state)
        if isinstance(node, cst.FunctionDef):
            return self._expressions([*node.decorators, node.params], state)
        if isinstance(node, cst.ClassDef):
            state = self._expressions([*node.decorators, *node.bases, *node.keywords], state)
            return self._block(node.body, state)
        if isinstance(node, cst.Assign):
            return self._expressions([node.value, *node.targets], state)
        if isinstance(node, cst.SimpleStatementLine):
            return self._block(node, state)
        state = self._expressions(children(node), state)
        if isinstance(node, cst.Return) and self._returned:
            self._returned[-1].append(state)
        return state

    def _if(self, node: cst.If, state: State) -> State:
        state = self._expression(node.test, state)
        ends = []
        for branch, holds in ((node.body, True), (node.orelse, False)):
            # Where there is no CUDA nothing has started it, and nothing that follows is too late.
            absent = implies_cuda(self._ctx, node.test, not holds)
            inner = None if absent else state
            end = inner
            if isinstance(branch, cst.If):
                end = self._if(branch, inner)
            elif branch is not None:
                end = self._block(branch.body if isinstance(branch, cst.Else) else branch, inner)
            leaves = branch is not None and exits(branch.body if isinstance(branch, cst.Else) else branch)
            if not leaves or isinstance(branch, cst.If):
                ends.append(state if absent else end)
        return _joined(ends, state)

    def _try(self, node: cst.CSTNode, state: State) -> State:
        assert isinstance(node, (cst.Try, cst.TryStar))
        end = self._block(node.body, state)
        if node.orelse is not None:
            end = self._block(node.orelse.body, end)
        ends = [end]
        for handler in node.handlers:
            after = self._block(handler.body, state)
            if not exits(handler.body):
                ends.append(after)
        end = _joined(ends, state)
        return self._block(node.finalbody.body, end) if node.finalbody is not None else end

    def _expressions(self, nodes: Iterable[cst.CSTNode], state: State) -> State:
        for node in nodes:
            state = self._expression(node, state)
        return state

    def _expression(self, node: cst.CSTNode, state: State) -> State:
        if isinstance(node, cst.Lambda):
            return state
        if isinstance(node, cst.IfExp):
            state = self._expression(node.test, state)
            return _joined([self._expression(node.body, state), self._expression(node.orelse, state)], state)
        if isinstance(node, cst.BooleanOperation):
            state = self._expression(node.left, state)
            self._expression(node.right, state)
            return state
        if isinstance(node, (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)):
            state = self._expression(node.for_in.iter, state)
            self._expressions(children(node), state)
            return state
        state = self._expressions(children(node), state)
        if id(node) in self._watched:
            self.seen.setdefault(id(node), []).append(state)
        return self._call(node, state) if isinstance(node, cst.Call) else state

    def _call(self, call: cst.Call, state: State) -> State:
        """What has happened after a call."""
        if state is None and starts_cuda(self._ctx, call):
            return call
        function = self._function(call.func) if isinstance(call.func, cst.Name) else None
        if function is None or id(function) in self._active or is_run_later(function):
            return state
        key = id(function), state is None
        if key not in self._ends:
            self._ends[key] = self._followed(function, state)
        end = self._ends[key]
        return end if state is None else state

    def _followed(self, function: cst.FunctionDef, state: State) -> State:
        """What has happened after the body of a function."""
        self._visited.add(id(function))
        self._active.append(id(function))
        self._returned.append([])
        end = self._block(function.body, state)
        ends = self._returned.pop() + ([] if exits(function.body) else [end])
        self._active.pop()
        return _joined(ends, state)

    def _function(self, name: cst.Name) -> cst.FunctionDef | None:
        """The function of this file that a name stands for, if it is the only one."""
        _, found = bindings(self._ctx, name.value, name)
        node = found[0].node if len(found) == 1 and found[0].how is How.FUNCTION else None
        return node if isinstance(node, cst.FunctionDef) and not node.decorators else None


def _joined(ends: list[State], otherwise: State) -> State:
    """What all ways through have done."""
    if not ends:
        return otherwise
    return ends[0] if all(one is not None for one in ends) else None
