"""A device that the program itself uses before it forks: the processes that it forks cannot use CUDA anyway."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, takewhile

import libcst as cst

from devlint.analysis.apis.asked_at_import import certain_nodes, is_weightless
from devlint.analysis.apis.forked_processes import forking_calls, runs_in_fork
from devlint.analysis.choosers.forking_files import forks_elsewhere
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import block_path, statements, statements_above
from devlint.analysis.names.reachable_names import looks_up
from devlint.analysis.names.reaching_definitions import definition_in
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import executed_nodes
from devlint.analysis.project.ask import project_around
from devlint.syntax.file_context import FileContext
from devlint.torch_api.moves import MOVES

_BLOCKS = (cst.IndentedBlock, cst.Module)
_MOVES_OF_DEVICE = ("cuda", "to")
_STARTS = frozenset(
    "current_device get_device_capability get_device_name get_device_properties init mem_get_info set_device "
    "synchronize device_count is_available".split()
)
"""Functions of ``torch.cuda`` after which a forked process cannot use CUDA."""
_UNCERTAIN = (cst.IfExp, cst.BooleanOperation, cst.Lambda, cst.CompFor)


def is_placed_before_fork(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether the program moves something to the device at ``at`` there, or below before it may fork."""
    return is_placed_at_once(ctx, at) or _is_placed_below(ctx, at)


def asks_before_fork(ctx: FileContext, at: cst.CSTNode, after: bool, condition: str | None) -> bool:
    """Whether a question for CUDA at, or ``after``, a statement may come before a fork that no CUDA comes before.

    ``condition`` is what it asks first: what is moved under that alone starts CUDA whenever it is asked.
    """
    function = scopes(ctx).function_of(at)
    scope = scopes(ctx).opened_by(function) if function is not None else scopes(ctx).module
    if not forking_calls(ctx):
        return _is_of_losses(ctx, scope.node) and forks_elsewhere(project_around(ctx))
    if any(_outcome(ctx, one, None) is _STARTED for one in statements_above(ctx, at, scope.node)):
        return False
    for block, index in reversed(block_path(ctx, at, scope.node)):
        for one in statements(block)[index + after :] if isinstance(block, _BLOCKS) else ():
            found = _outcome(ctx, one, condition)
            if found is not None:
                return found is _FORKED
        after = True
    if function is None or scope.parent is None or not _is_of_losses(ctx, function):
        return False
    return not runs_in_fork(ctx, function, scope.parent)


_STARTED, _FORKED = "started", "forked"


def _outcome(ctx: FileContext, statement: cst.CSTNode, condition: str | None) -> str | None:
    """What a statement surely does first: start CUDA, or perhaps fork; None where it may do neither."""
    if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
        return None
    if isinstance(statement, cst.If):
        branches = [statement.body, *([statement.orelse] if statement.orelse is not None else [])]
        found = [_first_outcome(ctx, one, condition) for one in branches]
        if _FORKED in found:
            return _FORKED
        is_asked = condition is not None and ctx.text_of(statement.test) in condition
        is_sure = found[0] == _STARTED and (is_asked or (len(found) > 1 and found[1] == _STARTED))
        return _STARTED if is_sure else None
    if isinstance(statement, (cst.For, cst.While, cst.With, cst.Try)):
        return _first_outcome(ctx, statement, condition)
    if any(_starts_cuda(ctx, one) for one in certain_nodes(statement)):
        return _STARTED
    return _FORKED if _may_fork(ctx, statement) else None


def _first_outcome(ctx: FileContext, block: cst.CSTNode, condition: str | None) -> str | None:
    inner = [block] if isinstance(block, cst.If) else statements(getattr(block, "body", block))
    return next(filter(None, (_outcome(ctx, one, condition) for one in inner)), None)


def _starts_cuda(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a call moves something with tensors to a device, or asks torch for what only a started CUDA tells."""
    if not isinstance(node, cst.Call):
        return False
    owner, _, name = (origin(ctx, node.func) or "").rpartition(".")
    if owner == "torch.cuda":
        return name in _STARTS
    if not isinstance(node.func, cst.Attribute) or node.func.attr.value not in _MOVES_OF_DEVICE:
        return False
    return not is_weightless(ctx, node.func.value)


def _is_of_losses(ctx: FileContext, function: cst.CSTNode) -> bool:
    """Whether a function moves losses without tensors to a device, and surely nothing else: that starts no CUDA."""
    if not isinstance(function, cst.FunctionDef):
        return False
    moved = (
        one.func.value
        for one in ctx.tree.below(function)
        if isinstance(one, cst.Call) and isinstance(one.func, cst.Attribute) and one.func.attr.value == "cuda"
    )
    first = next(moved, None)
    return first is not None and all(is_weightless(ctx, one) for one in chain((first,), moved))


def is_placed_at_once(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a call of torch or a move takes the device, so that the program itself starts CUDA there."""
    around = takewhile(lambda one: not isinstance(one, (cst.BaseSmallStatement, cst.Lambda)), ctx.tree.ancestors(node))
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
