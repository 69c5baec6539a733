"""Guarded moves that run only where torch has CUDA, whatever a fix does."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

import libcst as cst

from devlint.analysis.guards.cuda_only_code import enters_cuda
from devlint.analysis.guards.guards import guard_of, guards_of
from devlint.analysis.guards.implications import implies_cuda, program_says_cuda, torch_says_cuda
from devlint.analysis.guards.own_answers import asks_tensor
from devlint.analysis.guards.questions import Guard
from devlint.analysis.names.bindings import Binding, dotted_name
from devlint.analysis.names.classes import class_of, method_of, methods
from devlint.analysis.names.control_flow import branches, exits, statements, stops
from devlint.analysis.names.reaching_definitions import may_reach
from devlint.analysis.names.resolution import bindings, sole_value, targets_named, uses_of
from devlint.analysis.names.test_code import is_test
from devlint.analysis.transfers.guarded_transfers import differs_only_in_moves
from devlint.analysis.transfers.only_moves import is_needless, is_only_moves
from devlint.analysis.transfers.queried_tensors import queried_tensor
from devlint.syntax.comparisons import joined_parts
from devlint.syntax.file_context import FileContext


def stays_for_cuda(ctx: FileContext, move: cst.CSTNode, guard: Guard) -> bool:
    """Whether a move runs only where torch has CUDA, and still would after a fix, which is then of no use.

    So it is for a test that is skipped elsewhere, for one of two different values, after ``on_gpu = x.is_cuda``, where
    a function answers so (``if is_cuda(net):``), for several cards (``num_gpus > 1``), in a ``with
    torch.cuda.device(i):`` below the test, where the program ends without CUDA, and for ``isinstance(x,
    torch.cuda.FloatTensor)``, which only a tensor on CUDA is.
    """
    owner, test = guard.owner, guard.test
    below = takewhile(lambda one: one is not owner, ctx.tree.ancestors(move))
    if any(isinstance(one, cst.With) and enters_cuda(ctx, one) for one in below) or asks_for_type(ctx, test):
        return True
    if isinstance(owner, (cst.Decorator, cst.Assign, cst.Assert)):
        return True
    value = sole_value(ctx, test) if isinstance(test, cst.Name) else None
    if value is not None and guard.holds and queried_tensor(ctx, value) is not None:
        return True
    asked = value if value is not None else test
    if guard.holds and isinstance(asked, cst.Call) and asks_tensor(ctx, asked.func):
        return True
    if guard.holds and any(map(_asks_for_several, joined_parts(test, cst.And))):
        return True
    if not torch_says_cuda(ctx, test, guard.holds):
        return False
    if _ends_program(ctx, guard, move) or _is_extra(ctx, guard, move):
        return True
    if isinstance(owner, cst.IfExp):
        moved, kept = (owner.body, owner.orelse) if guard.holds else (owner.orelse, owner.body)
        return not differs_only_in_moves(ctx, moved, kept)
    return _is_in_test(ctx, move) and not (isinstance(owner, cst.If) and is_needless(ctx, owner))


def stays_below_test(ctx: FileContext, move: cst.CSTNode) -> bool:
    """Whether a move is under a test in which torch says CUDA, amid other code: it needs no new device, and stays."""
    guard = guard_of(ctx, move)
    owner = guard.owner if guard is not None and torch_says_cuda(ctx, guard.test, guard.holds) else None
    if not isinstance(owner, cst.If) or not ctx.tree.is_around(owner.body, move) or is_needless(ctx, owner):
        return False
    ends = [*statements(owner.body)[:1], *statements(owner.body)[-1:]]
    return not any(is_only_moves(ctx, one) for one in ends)


def is_skipped_without_cuda(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether code is part of a test that a mark skips where there is no CUDA: there is nothing to gain in it."""
    return ctx.target.kind == "cuda" and any(isinstance(one.owner, cst.Decorator) for one in guards_of(ctx, node))


def runs_with_cuda_only(ctx: FileContext, guard: Guard) -> bool:
    """Whether what keeps its test runs only where torch has said that there is CUDA, asked in any way."""
    if ctx.target.kind != "cuda" or not isinstance(guard.owner, (cst.If, cst.IfExp)):
        return False
    test, holds = guard.test, guard.holds
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        test, holds = test.expression, not holds
    return program_says_cuda(ctx, test, holds) or (holds and _is_switched_on_for_cuda(ctx, test))


def _is_switched_on_for_cuda(ctx: FileContext, test: cst.BaseExpression) -> bool:
    """Whether only the class's own method ``cuda`` switches a flag of it on, which moves what it has to CUDA.

    Or code that runs only where torch has said that there is CUDA.
    """
    name, definition = dotted_name(test), class_of(ctx, test)
    if name is None or not name.startswith("self.") or definition is None:
        return False
    values = set()
    for target in targets_named(ctx, name):
        assign, method = ctx.tree.parent(target), method_of(ctx, target)
        value = dotted_name(assign.value) if isinstance(assign, cst.Assign) else None
        values.add((value, (method is not None and method.name.value == "cuda") or _is_below_answer(ctx, target)))
    return ("True", True) in values and all(value == "False" or is_cuda for value, is_cuda in values)


def _is_below_answer(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a statement runs only where torch has said that there is CUDA."""
    owners = ((child, up) for child, up in ctx.tree.path_up(node) if isinstance(up, cst.If))
    return any(child is up.body and program_says_cuda(ctx, up.test) for child, up in owners)


def asks_for_type(ctx: FileContext, test: cst.BaseExpression) -> bool:
    """Whether a test, or a part of it, is ``isinstance(x, torch.cuda.FloatTensor)``, or asks ``type(x)`` for that."""
    parts = (one for one in (test, *ctx.tree.below(test)) if isinstance(one, (cst.Call, cst.Comparison)))
    return any(_asks_kind(one) and implies_cuda(ctx, one) for one in parts)


def _asks_kind(test: cst.Call | cst.Comparison) -> bool:
    call = test.left if isinstance(test, cst.Comparison) else test
    name = "type" if call is not test else "isinstance"
    return isinstance(call, cst.Call) and dotted_name(call.func) == name


def _asks_for_several(test: cst.BaseExpression) -> bool:
    """Whether a test is for more than one card: ``num_gpus > 1``, ``device_count() >= 2``."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return False
    least, number = test.comparisons[0].operator, test.comparisons[0].comparator
    if not isinstance(number, cst.Integer):
        return False
    return number.evaluated_value > (0 if isinstance(least, cst.GreaterThan) else 1) and isinstance(
        least, (cst.GreaterThan, cst.GreaterThanEqual)
    )


def _ends_program(ctx: FileContext, guard: Guard, move: cst.CSTNode) -> bool:
    """Whether an ``if`` above a move raises an exception, or leaves the program, where its test says no CUDA."""
    test = guard.owner
    if not isinstance(test, cst.If) or ctx.tree.is_around(test, move):
        return False
    leaving = [one for one in branches(test) if exits(one)]
    return bool(leaving) and all(map(stops, leaving))


def _is_in_test(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether code is part of a test, or of a class of tests."""
    definition = class_of(ctx, node)
    own = methods(definition) if definition is not None else ()
    around = (one for one in ctx.tree.ancestors(node) if isinstance(one, cst.FunctionDef))
    return any(is_test(ctx, one) for one in (*around, *own))


def _is_extra(ctx: FileContext, guard: Guard, move: cst.CSTNode) -> bool:
    """Whether a test is over what a program does with CUDA in addition: what is moved has a new name, used only there.

    ``if torch.cuda.is_available(): on_gpu = x.to("cuda")``, and then ``measure(on_gpu)``, compares CUDA with the CPU.
    """
    statement = ctx.tree.parent(move)
    if not isinstance(statement, cst.Assign) or not isinstance(guard.owner, cst.If) or guard.owner.orelse is not None:
        return False
    target = statement.targets[0].target
    if len(statement.targets) != 1 or not isinstance(target, cst.Name) or not guard.holds:
        return False
    scope, found = bindings(ctx, target.value, target)
    mine = [one for one in found if one.node is target or one.node is statement]
    if scope is None or not mine or any(one.value == target.value for one in _names(ctx, move)):
        return False
    named = uses_of(ctx, scope, target.value)
    uses = [one for one in named if not isinstance(ctx.tree.parent(one), cst.AssignTarget)]
    inside = [one for one in uses if ctx.tree.is_around(guard.owner.body, one)]
    outside = [one for one in uses if one not in inside and not _is_made_beside(ctx, one, found, guard.owner.body)]
    reaching = (one for use in outside for one in may_reach(ctx, scope, found, use))
    return bool(inside) and not any(one is each for one in reaching for each in mine)


def _is_made_beside(ctx: FileContext, use: cst.CSTNode, found: Iterable[Binding], body: cst.CSTNode) -> bool:
    """Whether a block around a use, which is not around ``body``, gives the name its value first."""
    blocks = (one for one in ctx.tree.ancestors(use) if isinstance(one, cst.IndentedBlock))
    own = [one for one in blocks if not ctx.tree.is_around(one, body)]
    lines = (line for block in own for line in block.body if ctx.span(line).end <= ctx.span(use).start)
    made = [one for line in lines if isinstance(line, cst.SimpleStatementLine) for one in (line, *ctx.tree.below(line))]
    return any(one.node is each for one in found for each in made)


def _names(ctx: FileContext, node: cst.CSTNode) -> list[cst.Name]:
    return [one for one in ctx.tree.below(node) if isinstance(one, cst.Name)]
