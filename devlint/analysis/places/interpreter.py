"""Runs the statements of a function on places in place of values: branches joined, loops run twice."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from devlint.analysis.places.joins import joined, merged, merged_choice
from devlint.analysis.places.meetings import MeetingRecorder, Summaries
from devlint.analysis.places.objects import DEEPEST
from devlint.analysis.places.operations import (
    asks_for_device,
    devices_in,
    iterated,
    narrowed,
    operation,
    sign_of,
)
from devlint.analysis.places.parameters import annotated_instance, of_any_caller, parameter_values
from devlint.analysis.places.statements.bindings import Bindings
from devlint.analysis.places.statements.device_tests import is_without_cuda, left_there
from devlint.analysis.places.statements.lists import with_added
from devlint.analysis.places.statements.loops import repeated
from devlint.analysis.places.values import (
    NOWHERE_KNOWN,
    PLAIN,
    UNKNOWN,
    Device,
    Function,
    Items,
    Many,
    Mapping,
    Names,
    Tensor,
    Value,
)
from devlint.analysis.places.written.definitions import FunctionDefinition, FunctionNode
from devlint.analysis.places.written.file_definitions import imported_names
from devlint.analysis.places.written.moves import may_set_default

_ADDS_ONE = frozenset({"append", "insert", "extend", "add", "appendleft"})


class Interpreter(Bindings):
    """Runs the body of one function."""

    result: Value | None = None

    def __init__(self, summaries: Summaries, recorder: MeetingRecorder) -> None:
        super().__init__(summaries, recorder)
        self.uncalled: dict[FunctionNode, Function | None] = {}
        """The functions that stand inside of this one; None for those that were run."""

    def run(self, body: Iterable[ast.stmt], names: Names) -> Names | None:
        """Run statements, and change the values of names; None where the end is not reached."""
        current: Names | None = names
        for statement in body:
            if current is None:
                return None
            execute = _EXECUTE.get(type(statement))
            if execute is not None:
                current = execute(self, statement, current)
        return current

    def run_uncalled(self) -> None:
        """Run the functions inside of this one that nothing here calls: they are given away, and called elsewhere."""
        while waiting := [one for one in self.uncalled.values() if one is not None]:
            function = waiting[-1]
            given = parameter_values(self.program, function.definition, False)
            names = {**(function.names or {}), **{name: of_any_caller(name, one) for name, one in given.items()}}
            self.recorder.depth += 1
            self.run_inside(function.definition, names)
            self.recorder.depth -= 1

    def run_inside(self, function: FunctionDefinition, names: Names) -> Value:
        self.uncalled[function.node] = None
        outer, self.result = self.result, None
        self.run(function.node.body, names)
        inner, self.result = self.result, outer
        return inner or PLAIN

    def made(self, tensor: Tensor, names: Names) -> Tensor:
        if self.has_default_device:
            return Tensor(NOWHERE_KNOWN, tensor.rank)
        return super().made(tensor, names)

    def _assign(self, node: ast.Assign, names: Names) -> Names:
        value = self.value(node.value, names)
        self.assigned = node.value
        for target in node.targets:
            self.bind(target, value, names)
        return names

    def _annotated(self, node: ast.AnnAssign, names: Names) -> Names:
        if node.value is not None:
            value = self.value(node.value, names)
            if value is PLAIN and isinstance(node.target, ast.Attribute):
                value = annotated_instance(self.program, node.annotation) or value
            self.bind(node.target, value, names)
        return names

    def _augmented(self, node: ast.AugAssign, names: Names) -> Names:
        before, value = self.value(node.target, names), self.value(node.value, names)
        self.bind(node.target, operation(self.recorder, before, value, node, sign_of(node.op) + "="), names)
        return names

    def _expression(self, node: ast.Expr, names: Names) -> Names:
        call = node.value
        method = call.func if isinstance(call, ast.Call) else None
        if isinstance(call, ast.Call) and isinstance(method, ast.Attribute) and isinstance(method.value, ast.Name):
            name = method.value.id
            current = names.get(name)
            if method.attr in _ADDS_ONE and isinstance(current, (Items, Many)) and call.args:
                names[name] = longer = with_added(current, self.value(call.args[-1], names), method.attr)
                self.together.given(longer.added, call)
                return names
            if method.attr == "update" and isinstance(current, Mapping):
                more = self.value(call.args[0], names) if call.args else UNKNOWN
                named = {each.arg: self.value(each.value, names) for each in call.keywords if each.arg}
                items: dict[object, Value] = {**current.items, **(more.items if isinstance(more, Mapping) else {})}
                items.update(named)
                names[name] = Mapping(items)
                return names
        self.unused = call if isinstance(call, ast.Call) else self.unused
        self.value(call, names)
        return names

    def _return(self, node: ast.Return, names: Names) -> None:
        value = self.value(node.value, names) if node.value is not None else PLAIN
        self.recorder.summary.may_give_number |= value is PLAIN and getattr(node.value, "value", ...) is not None
        if not self.recorder.depth:
            self.together.returned(value, node, names)
        self.result = joined(self.result, value)

    def _if(self, node: ast.If, names: Names) -> Names | None:
        self.value(node.test, names)
        outer = self.has_default_device
        # Where a test asks which device it is, or whether there is one, a branch knows where it makes its tensors.
        asks, devices = outer or asks_for_device(node.test), devices_in(node.test, names)
        is_so, is_not = narrowed(node.test, dict(names), True), narrowed(node.test, names, False)
        self.has_default_device = asks or any(is_so[one] is PLAIN for one in devices)
        yes = self._branch(node.test, True, node.body, is_so)
        self.has_default_device = asks or any(is_not[one] is PLAIN for one in devices)
        no = self._branch(node.test, False, node.orelse, is_not)
        self.has_default_device = outer
        return merged_choice(node, yes, no)

    def _branch(self, test: ast.expr, holds: bool, body: list[ast.stmt], names: Names) -> Names | None:
        before = dict(names)
        after = self.recorder.under(test, holds, self.run, body, names)
        return left_there(before, after) if is_without_cuda(test, holds) else after

    def _for(self, node: ast.For | ast.AsyncFor, names: Names) -> Names | None:
        self.together.looped = node.iter
        listed = self.value(node.iter, names)

        def once(names: Names) -> Names | None:
            inner = dict(names)
            self.bind(node.target, iterated(listed), inner)
            return self.run(node.body, inner)

        return self.run(node.orelse, repeated(node, names, once, self.missed))

    def _while(self, node: ast.While, names: Names) -> Names | None:
        def once(names: Names) -> Names | None:
            self.value(node.test, names)
            return self.run(node.body, dict(names))

        return self.run(node.orelse, repeated(node, names, once, self.missed))

    def _with(self, node: ast.With | ast.AsyncWith, names: Names) -> Names | None:
        outer = self.has_default_device
        for item in node.items:
            value = self.value(item.context_expr, names)
            self.has_default_device |= isinstance(value, Device) or may_set_default(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, UNKNOWN, names)
        after = self.run(node.body, names)
        self.has_default_device = outer
        return after

    def _try(self, node: ast.Try, names: Names) -> Names | None:
        before = dict(names)
        body = self.run(node.body, names)
        after = self.run(node.orelse, body) if body is not None else None
        for handler in node.handlers:
            start = merged(before, body) or before
            after = merged(after, self.run(handler.body, dict(start)))
        if node.finalbody:
            final = self.run(node.finalbody, after if after is not None else dict(before))
            return final if after is not None else None
        return after

    def _match(self, node: ast.Match, names: Names) -> Names | None:
        self.value(node.subject, names)
        after: Names | None = dict(names)
        for case in node.cases:
            after = merged(after, self.run(case.body, dict(names)))
        return after

    def _assert(self, node: ast.Assert, names: Names) -> Names:
        self.value(node.test, names)
        return narrowed(node.test, names, True)

    def _define(self, node: ast.FunctionDef, names: Names) -> Names:
        names[node.name] = found = Function(FunctionDefinition(node), names)
        if self.recorder.depth < DEEPEST and not node.decorator_list and self.uncalled.get(node, found) is not None:
            self.uncalled[node] = found
        return names

    def _import(self, node: ast.Import | ast.ImportFrom, names: Names) -> Names:
        self.imports = {**self.imports, **imported_names(node)}
        return names


_EXECUTE: dict[type[ast.stmt], Callable[[Interpreter, Any, Names], Names | None]] = {
    ast.AnnAssign: Interpreter._annotated,
    ast.Assert: Interpreter._assert,
    ast.Assign: Interpreter._assign,
    ast.AsyncFor: Interpreter._for,
    ast.AsyncWith: Interpreter._with,
    ast.AugAssign: Interpreter._augmented,
    ast.Expr: Interpreter._expression,
    ast.For: Interpreter._for,
    ast.FunctionDef: Interpreter._define,
    ast.If: Interpreter._if,
    ast.Import: Interpreter._import,
    ast.ImportFrom: Interpreter._import,
    ast.Match: Interpreter._match,
    ast.Raise: lambda of, node, names: None,
    ast.Return: Interpreter._return,
    ast.Try: Interpreter._try,
    ast.While: Interpreter._while,
    ast.With: Interpreter._with,
}
"""How the statements of each kind are run."""
