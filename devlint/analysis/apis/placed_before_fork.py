"""A device that the program itself uses before it forks: the processes that it forks cannot use CUDA anyway."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

import libcst as cst

from devlint.analysis.apis.asked_at_import import is_weightless
from devlint.analysis.apis.forked_processes import forking_calls
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import block_path, statements, statements_above
from devlint.analysis.names.reachable_names import looks_up
from devlint.analysis.names.reaching_definitions import definition_in
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import executed_nodes
from devlint.syntax.file_context import FileContext
from devlint.torch_api.moves import MOVES

_BLOCKS = (cst.IndentedBlock, cst.Module)
_UNCERTAIN = (cst.IfExp, cst.BooleanOperation, cst.Lambda, cst.CompFor)


def is_placed_before_fork(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether the program moves something to the device at ``at`` there, or below before it may fork."""
    return is_placed_at_once(ctx, at) or _is_placed_below(ctx, at)


def is_placed_at_once(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a call of torch or a move takes the device, so that the program itself starts CUDA there."""
    around = takewhile(lambda one: not isinstance(one, cst.BaseSmallStatement), ctx.tree.ancestors(node))
    return any(isinstance(one, cst.Call) and _places(ctx, one) for one in (node, *around))


def _is_placed_below(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether a statement of the same block below, which is always reached, moves something to the name of a device."""
    statement = next((one for one in ctx.tree.ancestors(at) if isinstance(one, cst.Assign)), None)
    target = statement.targets[0].target if statement is not None and len(statement.targets) == 1 else None
    scope = scopes(ctx).scope_of(at)
    if not isinstance(target, cst.Name) or scope.is_class or len(scope.bindings.get(target.value, ())) != 1:
        return False
    if any(_may_fork(ctx, one) for one in statements_above(ctx, at, scope.node)):
        return False
    path = block_path(ctx, at, scope.node)
    below = next((statements(one)[index + 1 :] for one, index in reversed(path) if isinstance(one, _BLOCKS)), ())
    for one in below:
        if _may_fork(ctx, one):
            return False
        if isinstance(one, cst.SimpleStatementLine) and _places_name(ctx, one, target.value):
            return True
    return False


def _may_fork(ctx: FileContext, statement: cst.CSTNode) -> bool:
    """Whether a statement forks when it runs, or uses a function or class of the file in which something does."""
    forking = forking_calls(ctx)
    executed = {id(one) for one in executed_nodes(statement)}
    if any(id(one) in executed for one in forking):
        return True
    for scope in scopes(ctx).enclosing(statement) if forking else ():
        definitions = (definition_in(ctx, scope, one) for one in forking)
        names = {one.name.value for one in definitions if isinstance(one, (cst.FunctionDef, cst.ClassDef))}
        if any(looks_up(ctx, scope, statement, one) for one in names):
            return True
    return False


def _places_name(ctx: FileContext, statement: cst.CSTNode, device: str) -> bool:
    """Whether a statement certainly moves something to a device, or makes a tensor there, by its name."""
    calls = (one for one in executed_nodes(statement) if isinstance(one, cst.Call) and _places(ctx, one))
    given = (arg for call in calls for arg in call.args if dotted_name(arg.value) == device)
    return any(not any(isinstance(up, _UNCERTAIN) for up in _within(ctx, one, statement)) for one in given)


def _within(ctx: FileContext, node: cst.CSTNode, statement: cst.CSTNode) -> Iterator[cst.CSTNode]:
    return takewhile(lambda one: one is not statement, ctx.tree.ancestors(node))


def _places(ctx: FileContext, call: cst.Call) -> bool:
    called = origin(ctx, call.func) or ""
    if called.startswith("torch."):
        return called != "torch.device"
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in MOVES:
        return False
    return not is_weightless(ctx, call.func.value)
