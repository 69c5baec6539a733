"""Tensors that a function has at hand and that are certainly on the device of one that it makes or moves there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import libcst as cst

from devlint.analysis.devices.current_card import may_be_other_card
from devlint.analysis.guards.cuda_mentions import cuda_mentions
from devlint.analysis.guards.guards import guard_of
from devlint.analysis.guards.questions import Guard
from devlint.analysis.names.reaching_definitions import certainly_bound
from devlint.analysis.names.resolution import is_torch, uses_of
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.tensors.dimensions import are_in_one_statement, is_as_large
from devlint.analysis.tensors.given_names import (
    assigned_name,
    indexes_several,
    is_known_tensor,
    is_lasting,
    is_made_there,
    is_tensor_at,
    name_at_last,
    names_given,
)
from devlint.analysis.tensors.name_marks import asks_size, may_be_of_several_kinds
from devlint.analysis.tensors.runs_together import exits_of, leaves_between, reads_only, runs_whenever, uses_below
from devlint.analysis.tensors.shared_devices import (
    Operand,
    has_no_weights,
    like_what_it_becomes,
    operands_beside,
    result_on_same_device,
)
from devlint.analysis.tensors.tensor_sources import (
    is_indexed_by_rows,
    is_of_that_size,
    is_steady,
    moved_source,
    parameter_source,
    tensor_source,
    unchanged_source,
)
from devlint.analysis.tensors.tensors_behind import is_same_at, keeps_one_device, tensors_behind
from devlint.analysis.transfers.guarded_transfers import differs_only_in_moves
from devlint.analysis.transfers.only_moves import is_needless
from devlint.analysis.transfers.queried_tensors import guarding_tensor
from devlint.syntax.file_context import FileContext, fact, fact_of

_MOST_READS = 20
"""How many uses of a name are followed."""
_MOST_NAMES, _MOST_NAMES_FURTHER = 3, 5
"""Through how many names a tensor is followed, and where that shows nothing."""
_MOST_STEPS = 12
_MOST_PARTNERS = 3
"""Of how many tensors a function may take its device: a name for it would be better than more."""


def partner_device(ctx: FileContext, at: cst.CSTNode) -> str | None:
    """``x.device`` for a tensor ``x`` that what is placed at ``at`` certainly meets where both must be on one device.

    Only where this holds for all that the function around it places.
    """
    made = _placing_call(ctx, at)
    function = scopes(ctx).function_of(made) if made is not None else None
    if made is None or function is None:
        return None
    name = _partners(ctx, function).get(id(made))
    return f"{name}.device" if name is not None else None


def _placing_call(ctx: FileContext, at: cst.CSTNode) -> cst.Call | None:
    """The call that makes or moves what is placed at ``at``: that call itself, its type or an argument of it."""
    if isinstance(at, cst.Call) and not is_torch(ctx, at.func, "device"):
        return at
    for _, parent in ctx.tree.path_up(at):
        if isinstance(parent, cst.Call) and not is_torch(ctx, parent.func, "device"):
            return parent
        if not isinstance(parent, (cst.Arg, cst.Attribute, cst.Call)):
            return None
    return None


@fact
def _placing_calls(ctx: FileContext) -> dict[int, list[cst.Call | None]]:
    """What each function places, by the identity of the function; None for what is no call."""
    found: dict[int, list[cst.Call | None]] = {}
    for one in cuda_mentions(ctx):
        function = scopes(ctx).function_of(one)
        if function is not None:
            call = _placing_call(ctx, one)
            guard = guard_of(ctx, call) if call is not None else None
            if guard is None or guarding_tensor(ctx, guard, one, part=True) is None:  # else that tensor says where
                follows = guard is None or _goes_without_test(ctx, guard)
                found.setdefault(id(function), []).append(call if follows else None)
    return found


def _goes_without_test(ctx: FileContext, guard: Guard) -> bool:
    """Whether a test guards nothing but moves, so that what meets a tensor below is where that is in both cases."""
    owner = guard.owner
    if isinstance(owner, cst.IfExp):
        return guard.holds and differs_only_in_moves(ctx, owner.body, owner.orelse)
    return isinstance(owner, cst.If) and guard.holds and is_needless(ctx, owner)


@fact_of
def _partners(ctx: FileContext, function: cst.FunctionDef) -> dict[int, str]:
    """The names of tensors beside what a function places, by the identity of the call; none if one has none.

    Nor where they are many tensors: the function has one device.
    """
    known: dict[int, list[str]] = {}
    placed: dict[str, str] = {}
    meeting: list[tuple[cst.Call, str]] = []
    calls = _placing_calls(ctx).get(id(function), [])
    if None in calls:
        return {}
    ordered = sorted(filter(None, calls), key=lambda one: ctx.span(one).start)
    for call in ordered:
        names = list(dict.fromkeys(placed.get(name, name) for name in names_beside(ctx, call)))
        meeting += [(call, name) for name in names]
        if not names:
            moved, there = (
                moved_source(ctx, call, scopes(ctx).scope_of(call)),
                {one for kept in known.values() for one in kept},
            )
            names = [one for one in moved.names if one in there][:1] if moved is not None else []
        if not names:
            continue
        known[id(call)] = names
        target = name_at_last(ctx, call)
        if target is not None and ("." in names[0] or is_steady(ctx, scopes(ctx).scope_of(call), names[0])):
            placed.setdefault(target, names[0])
    common = [name for name in next(iter(known.values()), []) if all(name in names for names in known.values())]
    chosen = {id(one): _nearest(ctx, one, known[id(one)], common) for one in ordered if id(one) in known}
    for alone in (one for one in ordered if id(one) not in known):
        name = next((name for one, name in meeting if _is_there_too(ctx, alone, one, name)), None)
        if name is None and has_no_weights(ctx, alone):  # which may be anywhere
            name = next((name for name in chosen.values() if is_tensor_at(ctx, name, alone)), None)
        if name is None:
            return {}
        chosen[id(alone)] = name
    return chosen if len(set(chosen.values())) <= _MOST_PARTNERS else {}


def _nearest(ctx: FileContext, call: cst.Call, names: list[str], common: list[str]) -> str:
    """The tensor that a call asks for its size, or one that all of a function meet."""
    asked = uses_of(ctx, scopes(ctx).scope_of(call), names[0])
    return names[0] if asked and is_as_large(ctx, call, asked[0]) else (common or names)[0]


def _is_there_too(ctx: FileContext, alone: cst.Call, met: cst.Call, name: str) -> bool:
    """Whether what a call places goes where a tensor is that certainly meets what another call places there.

    Wherever the first runs, so does the second: both go to the current card, or the program fails.
    """
    scope = scopes(ctx).scope_of(met)
    if "." in name or scopes(ctx).scope_of(alone) is not scope or not certainly_bound(ctx, name, scope, alone):
        return False
    one, other = guard_of(ctx, alone), guard_of(ctx, met)
    if (one is None) is not (other is None) or (one is not None and other is not None and one.test is not other.test):
        return False
    is_sure = keeps_one_device(ctx, scope, name, met) and runs_whenever(ctx, scope, met, alone)
    return is_sure and not may_be_other_card(ctx, alone, met) and not _may_be_left_with(ctx, scope, alone, met)


def _may_be_left_with(ctx: FileContext, scope: Scope, alone: cst.Call, met: cst.Call) -> bool:
    """Whether the function may return what a call places, ``alone``, before what another one places meets a tensor."""
    ends = [ctx.span(one.expression).start for one in _met(ctx, met, scope, _MOST_NAMES_FURTHER)]
    left = [end for start, end in exits_of(ctx, scope) if ctx.span(alone).start < start and end < max(ends, default=0)]
    target = name_at_last(ctx, alone)
    if not left or target is None:
        return bool(left)
    return any(ctx.span(one).start < max(left) for one in reads_only(ctx, uses_of(ctx, scope, target)))


def names_beside(ctx: FileContext, made: cst.Call) -> Iterator[str]:
    """The names of tensors that are where ``made`` is, and are bound before it."""
    scope, guard = scopes(ctx).scope_of(made), guard_of(ctx, made)
    chosen = guard.owner if guard is not None and isinstance(guard.owner, cst.IfExp) else made
    if guard is not None and indexes_several(ctx, scope, name_at_last(ctx, made) or assigned_name(ctx, chosen)):
        return
    is_found = False
    for operand in (*like_what_it_becomes(ctx, chosen), *_met(ctx, chosen, scope, _MOST_NAMES)):
        for name in _names_of(ctx, made, operand, scope):
            is_found = True
            yield name
    if not is_found:
        yield from _names_further(ctx, made, list(_met(ctx, chosen, scope, _MOST_NAMES_FURTHER)), scope)


def _names_further(ctx: FileContext, made: cst.Call, met: list[Operand], scope: Scope) -> Iterator[str]:
    """The names of tensors that what ``made`` makes meets further down, or that such a tensor is made of."""
    for operand in met:
        yield from _names_of(ctx, made, operand, scope)
        may_leave = leaves_between(ctx, scope, made, operand.expression)
        for part in tensors_behind(ctx, operand, scope) if not operand.is_raw else ():
            name = _bound_name(ctx, made, part, scope, may_leave)
            if name is not None and is_same_at(ctx, scope, name, made, part.expression):
                yield name


def _names_of(ctx: FileContext, made: cst.Call, operand: Operand, scope: Scope) -> Iterator[str]:
    """The names of the tensor that stands beside what ``made`` makes."""
    if operand.is_raw and not is_made_there(ctx, made):
        return
    as_large = is_as_large(ctx, made, operand.expression)
    may_leave = leaves_between(ctx, scope, made, operand.expression)
    is_beside = as_large and are_in_one_statement(ctx, made, operand.expression)
    needs_size = operand.needs_size and not _has_size(ctx, made, operand, scope)
    if not (needs_size or operand.is_raw or may_leave) and (is_beside or is_lasting(ctx, operand.expression)):
        yield ctx.text_of(operand.expression)
    name = _bound_name(ctx, made, operand, scope, may_leave)
    if name is not None:
        yield name


def _has_size(ctx: FileContext, made: cst.Call, operand: Operand, scope: Scope) -> bool:
    """Whether what stands beside ``made`` has dimensions by what is made, or by what it is indexed with."""
    node = operand.expression
    has_size = is_as_large(ctx, made, node) or is_of_that_size(ctx, made, node, scope)
    return has_size or (is_indexed_by_rows(ctx, made, operand) and is_known_tensor(ctx, node))


def _bound_name(ctx: FileContext, made: cst.Call, operand: Operand, scope: Scope, may_leave: bool) -> str | None:
    """The name, bound before ``made``, of the tensor that an operand is or comes from."""
    node, needs_size = operand.expression, operand.needs_size and not _has_size(ctx, made, operand, scope)
    source = tensor_source(ctx, node, scope) or parameter_source(ctx, node, scope)
    source = source or unchanged_source(ctx, node, scope, made)
    if source is None or (needs_size and not source.has_size) or (operand.is_raw and not source.is_raw):
        return None
    name = next((one for one in reversed(source.names) if certainly_bound(ctx, one, scope, made)), None)
    if name is None or may_be_of_several_kinds(ctx, scope, name):
        return None
    return name if not may_leave or asks_size(ctx, scope, name, made) else None


def _met(
    ctx: FileContext, node: cst.BaseExpression, scope: Scope, most: int, way: tuple[cst.Name, ...] = ()
) -> Iterator[Operand]:
    """What stands beside a tensor, here and where the name that it is given is used in the same block.

    ``way`` are the uses of names through which it has come here.
    """
    for _ in range(_MOST_STEPS):
        yield from operands_beside(ctx, node)
        around = result_on_same_device(ctx, node)
        if around is None:
            break
        node = around
    for value, target in names_given(ctx, node) if len(way) < most else ():
        for read in uses_below(ctx, scope, target, *_statement_of(ctx, value)):
            if not _may_leave_with(ctx, scope, (*way, read)):
                yield from _met(ctx, read, scope, most, (*way, read))


def _may_leave_with(ctx: FileContext, scope: Scope, way: tuple[cst.Name, ...]) -> bool:
    """Whether the function may return, or go on with a loop, before a tensor gets so far, and use it all the same."""
    first = min((one.node for one in scope.bindings[way[0].value]), key=lambda one: ctx.span(one).start)
    return leaves_between(ctx, scope, first, way[-1]) and any(
        len(reads_only(ctx, uses_of(ctx, scope, one.value))) > 1 for one in way
    )


def _statement_of(ctx: FileContext, value: cst.BaseExpression) -> tuple[cst.CSTNode, cst.CSTNode]:
    """The statement that gives a name a value, or the test around it that guards only moves, and the block it is in."""
    statement, line, block = islice(ctx.tree.ancestors(value), 3)
    guard = guard_of(ctx, value)
    if guard is not None and isinstance(guard.owner, cst.If) and _goes_without_test(ctx, guard):
        if guard.owner.body in (line, block):
            return guard.owner, next(ctx.tree.ancestors(guard.owner))
    return statement, block
