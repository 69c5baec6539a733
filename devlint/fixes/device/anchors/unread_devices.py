"""Devices that a program makes from a flag and puts nothing on, while it moves everything to CUDA without asking."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.unasked_moves import imports_place_unasked
from devlint.analysis.devices.which_device import DeviceValue
from devlint.analysis.guards.cuda_flags import as_condition, is_only_question
from devlint.analysis.guards.cuda_mentions import cuda_mentions
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import uses_of
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.mentions import is_taken_elsewhere
from devlint.analysis.tensors.runs_together import reads_only
from devlint.syntax.file_context import FileContext, fact, fact_of

_TELL = frozenset("print info debug warning log write".split())


def is_unread(ctx: FileContext, name: str, value: DeviceValue, at: cst.CSTNode) -> bool:
    """Whether nothing is put on a device that a flag chooses, and what is placed out of its sight goes to CUDA unasked.

    What meets that must go there as well: the flag never decided about anything.
    """
    if value.condition is None or not name.isidentifier() or not _names_flag(ctx, value.condition, at):
        return False
    scope = scopes(ctx).binder(name, at)
    reads = reads_only(ctx, uses_of(ctx, scope, name)) if scope is not None else []
    if scope is None or not all(_places_nothing(ctx, one) for one in reads):
        return False
    if _asks_flags(ctx, [one.value for one in scope.bindings[name] if one.value is not None]):
        return False
    if scope is scopes(ctx).module and is_taken_elsewhere(project_around(ctx), name):
        return False
    return _places_out_of_sight(ctx, scope) or _imports_place_unasked(ctx)


def _places_nothing(ctx: FileContext, read: cst.Name) -> bool:
    """Whether a device is only told to the user."""
    arg = next((one for one in ctx.tree.ancestors(read) if isinstance(one, (cst.Arg, cst.BaseSmallStatement))), None)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    return isinstance(call, cst.Call) and (dotted_name(call.func) or "").rpartition(".")[2] in _TELL


def _names_flag(ctx: FileContext, condition: str, at: cst.CSTNode) -> bool:
    """Whether a condition asks more than torch: ``torch.cuda.is_available() and not args.no_cuda``."""
    return " " in condition if "(" in condition else not is_only_question(ctx, condition, at)


def _asks_flags(ctx: FileContext, devices: list[cst.BaseExpression]) -> bool:
    """Whether a flag decides about something on CUDA besides some devices."""
    others = (one for one in cuda_mentions(ctx) if not any(ctx.tree.is_around(two, one) for two in devices))
    guards = (one for node in others for one in guards_of(ctx, node))
    asked = (as_condition(ctx, one.test, one.holds) for one in guards)
    return any(one is not None and one.names for one in asked)


@fact_of
def _places_out_of_sight(ctx: FileContext, scope: Scope) -> bool:
    """Whether something is put on CUDA outside of the function that makes a device."""
    if not scope.is_function:
        return False
    moves = (one for one in cuda_mentions(ctx) if isinstance(one, cst.Attribute))
    return any(not ctx.tree.is_around(scope.node, one) for one in moves)


@fact
def _imports_place_unasked(ctx: FileContext) -> bool:
    module = own_module(ctx)
    return module is not None and imports_place_unasked(project_around(ctx), module)
