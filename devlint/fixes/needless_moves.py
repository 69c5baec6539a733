"""Moves under a test that stays, which would do after a fix what they did before it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

import libcst as cst

from devlint.analysis.guards.cuda_flags import is_condition_of
from devlint.analysis.guards.cuda_mentions import cuda_mentions
from devlint.analysis.guards.option_flags import set_without_asking
from devlint.analysis.guards.questions import Guard, parts_of
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import index_in, statements, statements_above
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import bound_values, scopes
from devlint.analysis.transfers.guarded_transfers import GuardedMove
from devlint.analysis.transfers.moves_for_cuda import runs_with_cuda_only
from devlint.core.diagnostic import Edit
from devlint.fixes.apis.failing_cuda_calls import cuda_call
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.guard_statements import kept_quiet
from devlint.syntax import line_edits
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import looks_like_device


def fails_before(ctx: FileContext, move: GuardedMove, guard: Guard) -> bool:
    """Whether a statement above a move, under the same test, fails without CUDA: ``torch.cuda.set_device(i)``."""
    owner, function = guard.owner, scopes(ctx).function_of(move.call)
    branch = owner if guard.holds else owner.orelse if isinstance(owner, cst.If) else None
    above: Iterable[cst.CSTNode]
    if ctx.target.kind != "cuda":
        return False
    if isinstance(owner, cst.If) and not ctx.tree.is_around(owner, move.call) and function is not None:
        above = statements_above(ctx, move.call, function)
    elif isinstance(branch, (cst.If, cst.Else)):
        above = takewhile(lambda one: not ctx.tree.is_around(one, move.call), statements(branch.body))
    else:
        return False
    small = (one for line in above if isinstance(line, cst.SimpleStatementLine) for one in line.body)
    calls = (one.value for one in small if isinstance(one, cst.Expr) and isinstance(one.value, cst.Call))
    return any(one is not None and one.statement is not None for one in (cuda_call(ctx, call) for call in calls))


def without_uncalled_test(ctx: FileContext, call: cst.Call) -> list[Edit]:
    """The edits that remove ``if torch.cuda.is_available:`` around moves: it is not called, and so always true."""
    owner = next((one for one in ctx.tree.ancestors(call) if isinstance(one, (cst.If, cst.FunctionDef))), None)
    if not isinstance(owner, cst.If) or owner.orelse is not None or isinstance(ctx.tree.parent(owner), cst.If):
        return []
    if not isinstance(owner.test, cst.Attribute) or origin(ctx, owner.test) != "torch.cuda.is_available":
        return []
    if not all(map(_is_move, owner.body.body)):
        return []
    return kept_quiet(ctx, owner, owner.body, line_edits.unwrap_block(ctx, owner)) or []


def moved_again(ctx: FileContext, guard: Guard) -> str | None:
    """Why moves are left as they are: torch says above them that there is CUDA, and right below they go to a device.

    ``if torch.cuda.is_available(): x = x.cuda()``, and then ``x = x.to(self.device)``: another device would be in vain.
    """
    owner = guard.owner
    block, is_plain = ctx.tree.parent(owner), isinstance(owner, cst.If) and owner.orelse is None and guard.holds
    if not isinstance(owner, cst.If) or not is_plain or block is None or not runs_with_cuda_only(ctx, guard):
        return None
    moved, again, at = [_moved_by(one) for one in statements(owner.body)], set[str](), index_in(ctx, block, owner)
    for line in statements(block)[at + 1 :] if at is not None else ():
        names = _moved_by(line, to_device=True)
        if not names:
            break
        again |= names
    is_in_vain = bool(moved) and all(names and names <= again for names in moved)
    return "what it moves is moved again right below" if is_in_vain else None


def _moved_by(line: cst.CSTNode, to_device: bool = False) -> set[str]:
    """The names that a line gives what it moves of them, ``x = x.cuda()``, or to a named device; none if it does more.

    Several as well: ``x, y = x.cuda(), y.cuda()``.
    """
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
    if not isinstance(small, cst.Assign) or len(small.targets) != 1:
        return set()
    target, value = small.targets[0].target, small.value
    pairs: list[tuple[cst.BaseExpression | cst.BaseAssignTargetExpression, cst.BaseExpression]] = [(target, value)]
    if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
        pairs = [(one.value, two.value) for one, two in zip(target.elements, value.elements)]
    names = {dotted_name(one) for one, _ in pairs}
    is_whole = all(_is_move_of(two, dotted_name(one), to_device) for one, two in pairs)
    return {one for one in names if one is not None} if is_whole else set()


def _is_move_of(value: cst.BaseExpression, name: str | None, to_device: bool) -> bool:
    """Whether an expression is ``name.cuda()`` or ``name.to(...)``; ``name.to(device)`` alone with ``to_device``."""
    if not isinstance(value, cst.Call) or not isinstance(value.func, cst.Attribute):
        return False
    given = dotted_name(value.args[0].value) if value.args else None
    is_named = given is not None and looks_like_device(given.rpartition(".")[2])
    moves = value.func.attr.value == "to" and is_named if to_device else value.func.attr.value in ("cuda", "to")
    return moves and name is not None and dotted_name(value.func.value) == name


def _is_move(statement: cst.CSTNode) -> bool:
    """Whether a statement is ``x.cuda()`` or ``x = x.cuda()``."""
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1 else None
    value = small.value if isinstance(small, (cst.Expr, cst.Assign)) else None
    return isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute) and value.func.attr.value == "cuda"


def says_the_same(ctx: FileContext, move: GuardedMove, guard: Guard, choice: DeviceChoice, stays: bool) -> bool:
    """Whether a device is CUDA wherever a test holds that stays, so that a move without CUDA fails as it did.

    The test must stay for what it moves (``stays``), or all moves of a function be under it, which alone need a device.
    A flag that asks torch whether there is CUDA is another matter, and so is one that is on although nobody asked for
    CUDA.
    """
    if not _implies(ctx, guard, choice):
        return False
    if _asks(choice):
        return stays and not _may_be_on_unasked(ctx, guard)
    return stays or _is_all_below(ctx, move, guard, choice)


def _may_be_on_unasked(ctx: FileContext, guard: Guard) -> bool:
    """Whether a flag of a test is set without asking for CUDA, or is a name for torch's answer."""
    names = [dotted_name(one) for one in (guard.test, *ctx.tree.below(guard.test))]
    flags = [one for one in names if one is not None]
    values = (ctx.text_of(value) for one in flags for value in bound_values(ctx, one, guard.owner))
    return any("is_available" in one for one in (*flags, *values)) or any(
        set_without_asking(ctx, one, guard.owner) for one in flags
    )


def _is_all_below(ctx: FileContext, move: GuardedMove, guard: Guard, choice: DeviceChoice) -> bool:
    """Whether a test is around all that needs the device of a function."""
    function = scopes(ctx).function_of(move.call)
    if function is None:
        return False
    span, owner = ctx.span(function), guard.owner
    own = [one for one in choice.edits if span.start <= one.span.start <= span.end]
    is_made = bool(own) and all(one in own or one.text.lstrip().startswith("def ") for one in choice.edits)
    if not is_made and not choice.expression.endswith(")"):
        return False
    inside = (one for one in cuda_mentions(ctx) if scopes(ctx).function_of(one) is function)
    return all(ctx.tree.is_around(owner, one) for one in inside)


def _asks(choice: DeviceChoice) -> bool:
    """Whether a device, or what defines it, asks torch whether there is CUDA."""
    texts = (choice.condition or "", *(one.text for one in choice.edits))
    return any("is_available" in one for one in texts)


def _implies(ctx: FileContext, guard: Guard, choice: DeviceChoice) -> bool:
    """Whether a device is a GPU wherever a test holds: its condition is the test, or one of those that it joins."""
    condition = choice.condition
    return condition is not None and any(is_condition_of(ctx, condition, one) for one in parts_of(guard))
