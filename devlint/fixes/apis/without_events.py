"""Events that a program does without where there is no CUDA: nothing is recorded there, and no time is taken."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

import libcst as cst

from devlint.analysis.apis.process_groups import is_beside_nccl
from devlint.analysis.apis.streams import (
    is_beside_graph,
    ordering_statement,
    ordering_statements,
    stream_calls,
    unguarded_streams,
)
from devlint.analysis.apis.whole_numbers import becomes_whole
from devlint.analysis.guards.guards import is_guarded
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import bindings, is_none, origin
from devlint.analysis.names.scopes import scopes
from devlint.core.diagnostic import Fix
from devlint.fixes.apis.generic_events import event_target, event_uses
from devlint.fixes.apis.without_streams import or_else
from devlint.fixes.guard_statements import grouped_under, neighbouring_statements
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext
from devlint.torch_api.cuda_functions import CURRENT_STREAMS

_EVENT, _STREAM = "torch.cuda.Event", "torch.cuda.Stream"
_OWN = (cst.FunctionDef, cst.ClassDef, cst.Lambda, cst.BaseComp)
_STATEMENTS = frozenset({"record", "synchronize", "wait"})


def without_events(ctx: FileContext, event: cst.Call) -> Fix | None:
    """The fix that puts None in the place of all events of a function, and what they do under the test.

    None where one is handed on, or where the function fails without CUDA for another reason.
    """
    torch = torch_name(ctx, event)
    if torch is None or ctx.target.kind == "accelerator" or is_beside_graph(ctx, event) or is_beside_nccl(ctx, event):
        return None
    own = scopes(ctx).function_of
    made = [one for one in unguarded_streams(ctx) if own(one) is own(event)]
    uses = _Uses(ctx)
    kinds = {id(one): origin(ctx, one.func) for one in made}
    for one in made:
        if kinds[id(one)] not in (_EVENT, _STREAM):
            return None
        if not uses.follow(one) if kinds[id(one)] == _EVENT else ordering_statements(ctx, one) is None:
            return None
    if any(own(one) is own(event) and not uses.guards(one) for one in stream_calls(ctx, CURRENT_STREAMS)):
        return None
    test = f"{torch[0]}.cuda.is_available()"
    makers = uses.makers(one for one in made if kinds[id(one)] == _EVENT) if _STREAM not in kinds.values() else {}
    changes = grouped_under(ctx, [*makers.values(), *uses.statements.values()], test, lambda one: _waits(ctx, one))
    for one in made:
        changes += or_else(ctx, one, test, "None") if kinds[id(one)] == _EVENT and id(one) not in makers else ()
    for asked in uses.times.values():
        changes += or_else(ctx, _scaled(ctx, asked), test, f"{torch[0]}.nan")
    return edits.as_fix("Do without events where there is no CUDA", [*changes, *torch[1]])


class _Uses:
    """What is done with events: statements that can be skipped, and times that are asked for."""

    def __init__(self, ctx: FileContext) -> None:
        self.ctx = ctx
        self.statements: dict[int, cst.Expr] = {}
        self.times: dict[int, cst.Call] = {}
        self.seen: dict[int, list[cst.BaseExpression]] = {}

    def follow(self, event: cst.Call) -> bool:
        """Whether all is known that is done with an event, which has a name for itself and other events."""
        target = event_target(self.ctx, event)
        uses = list(event_uses(self.ctx, target)) if target is not None and self._holds_events(target) else [None]
        if isinstance(target, cst.Name):
            self.seen[id(event)] = [one for one in uses if one is not None]
        return all(one is not None and self._take(one) for one in uses)

    def makers(self, events: Iterable[cst.Call]) -> dict[int, cst.Assign]:
        """By event, the statement that makes it, where that goes under the test beside others that go there.

        Nobody asks then for a name without a value: all that is done with it stands below, in the same block.
        """
        made: dict[int, cst.Assign] = {}
        for one in events:
            statement = next((up for up in self.ctx.tree.ancestors(one) if isinstance(up, cst.Assign)), None)
            if statement is not None:
                made[id(one)] = statement
        found = {one for one in made if self._is_used_below(one, made)}
        welcome = {id(one) for one in made.values() if found.issuperset(map(id, _values(one)))}
        below = welcome | self.statements.keys()

        def has_company(statement: cst.Assign) -> bool:
            return len(neighbouring_statements(self.ctx, statement, lambda other: id(other) in below)) > 1

        return {
            one: statement for one, statement in made.items() if id(statement) in welcome and has_company(statement)
        }

    def _is_used_below(self, event: int, made: dict[int, cst.Assign]) -> bool:
        """Whether all uses of an event's name stand below a statement that makes one of that name, in its block."""
        uses = self.seen.get(event)
        makers = [made[other] for other, used in self.seen.items() if used == uses and other in made]
        return uses is not None and all(any(self._goes_below(one, maker) for maker in makers) for one in uses)

    def _goes_below(self, use: cst.BaseExpression, statement: cst.Assign) -> bool:
        """Whether a use goes under the test below ``statement``, in its block, and in no function of its own."""
        line = self.ctx.tree.parent(statement)
        block = self.ctx.tree.parent(line) if line is not None else None
        around = list(takewhile(lambda up: up is not block, self.ctx.tree.ancestors(use)))
        is_inside = isinstance(block, cst.IndentedBlock) and self.ctx.tree.parent(around[-1]) is block
        goes = any(id(up) in self.statements or id(up) in self.times for up in around)
        is_apart = any(isinstance(up, _OWN) for up in around)
        return is_inside and goes and not is_apart and self.ctx.span(use).start > self.ctx.span(statement).end

    def guards(self, node: cst.CSTNode) -> bool:
        """Whether ``node`` is in a statement that is put under the test, or can be by itself."""
        inside = any(id(one) in self.statements for one in self.ctx.tree.ancestors(node))
        return inside or ordering_statement(self.ctx, node) is not None

    def _holds_events(self, target: cst.BaseExpression) -> bool:
        """Whether a name or attribute is given nothing but events, and None."""
        if isinstance(target, cst.Name):
            values = [one.value for one in bindings(self.ctx, target.value, target)[1]]
            return all(one is not None and self._is_event(one) for one in values)
        if not isinstance(target, cst.Attribute):
            return False
        dotted = dotted_name(target)
        given = (one for one in self.ctx.tree.of_type(cst.Assign) for to in one.targets if _names(to.target, dotted))
        return all(self._is_event(one.value) for one in given)

    def _is_event(self, value: cst.BaseExpression) -> bool:
        if isinstance(value, cst.Tuple):
            return all(self._is_event(one.value) for one in value.elements)
        is_made = isinstance(value, cst.Call) and origin(self.ctx, value.func) == _EVENT
        return is_made or is_none(value)

    def _take(self, use: cst.BaseExpression) -> bool:
        """Whether a use is known, and noted."""
        statement = self._statement(use)
        if statement is not None:
            if not is_guarded(self.ctx, statement):
                self.statements[id(statement)] = statement
            return not any(isinstance(one, cst.NamedExpr) for one in self.ctx.tree.below(statement))
        asked = self._time(use)
        if asked is None:
            return False
        if not is_guarded(self.ctx, asked):
            self.times[id(asked)] = asked
        return not becomes_whole(self.ctx, asked)

    def _statement(self, use: cst.BaseExpression) -> cst.Expr | None:
        """The statement ``start.record()`` around its event, or one in which a stream waits for it."""
        member = self.ctx.tree.parent(use)
        call = self.ctx.tree.parent(member) if isinstance(member, cst.Attribute) else None
        statement = self.ctx.tree.parent(call) if isinstance(call, cst.Call) else None
        if isinstance(member, cst.Attribute) and member.attr.value in _STATEMENTS and member.value is use:
            return statement if isinstance(statement, cst.Expr) else None
        return ordering_statement(self.ctx, use)

    def _time(self, use: cst.BaseExpression) -> cst.Call | None:
        """The call ``start.elapsed_time(end)``, around either of its events."""
        parent = self.ctx.tree.parent(use)
        call = self.ctx.tree.parent(parent) if isinstance(parent, (cst.Arg, cst.Attribute)) else None
        function = call.func if isinstance(call, cst.Call) else None
        asks = isinstance(function, cst.Attribute) and function.attr.value == "elapsed_time"
        return call if asks and isinstance(call, cst.Call) else None


def _names(target: cst.BaseExpression, dotted: str | None) -> bool:
    """Whether a target is that name, or one of several that are."""
    if isinstance(target, (cst.Tuple, cst.List)):
        return any(_names(one.value, dotted) for one in target.elements)
    return dotted_name(target) == dotted


def _waits(ctx: FileContext, statement: cst.BaseSmallStatement) -> bool:
    """Whether a statement only waits for CUDA, without a test."""
    call = statement.value if isinstance(statement, cst.Expr) else None
    is_waiting = isinstance(call, cst.Call) and origin(ctx, call.func) == "torch.cuda.synchronize"
    return is_waiting and not is_guarded(ctx, statement)


def _values(statement: cst.Assign) -> list[cst.BaseExpression]:
    """What a statement gives names to: one value, or those of a tuple."""
    value = statement.value
    return [one.value for one in value.elements] if isinstance(value, cst.Tuple) else [value]


def _scaled(ctx: FileContext, time: cst.BaseExpression) -> cst.BaseExpression:
    """A time with the numbers that it is multiplied with or divided by."""
    parent = ctx.tree.parent(time)
    while isinstance(parent, cst.BinaryOperation):
        other = parent.right if parent.left is time else parent.left
        kinds = (cst.Divide, cst.Multiply) if parent.left is time else (cst.Multiply,)
        if not isinstance(other, (cst.Integer, cst.Float)) or not isinstance(parent.operator, kinds):
            break
        time, parent = parent, ctx.tree.parent(parent)
    return time
