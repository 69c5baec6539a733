"""Devices that an option chooses and nothing is put on that meets what a program moves to CUDA without asking."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.asked_at_import import is_weightless
from devlint.analysis.devices.device_conditions import devices_at
from devlint.analysis.devices.used_devices import accelerator_devices
from devlint.analysis.devices.which_device import DeviceValue
from devlint.analysis.guards.cuda_flags import as_condition, asks_more_than_torch
from devlint.analysis.guards.cuda_mentions import cuda_mentions
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.resolution import uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.mentions import is_taken_elsewhere
from devlint.analysis.tensors.other_devices import means_another_device
from devlint.analysis.tensors.runs_together import reads_only
from devlint.analysis.transfers.joined_names import may_be_joined
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import holds_options
from devlint.torch_api.moves import MOVES

_TELL = frozenset("print info debug warning log write".split())


def is_not_meant(ctx: FileContext, name: str, value: DeviceValue, at: cst.CSTNode) -> bool:
    """Whether a device that the program has is not the one of what it moves to CUDA without asking."""
    return means_another_device(ctx, at, name, value) or is_unread(ctx, name, value, at)


def follows_no_flag(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether the program makes a device of its flag that is not the one of what it moves at a place."""
    return any(
        value.condition is not None and is_not_meant(ctx, name, value, at) for name, value in devices_at(ctx, at)
    )


def is_unread(ctx: FileContext, name: str, value: DeviceValue, at: cst.CSTNode) -> bool:
    """Whether nothing that may meet what is placed at ``at`` is put on a device that an option chooses.

    Without asking that goes to CUDA whatever the option says, and what meets that must go there as well.
    """
    scope = scopes(ctx).binder(name, at) if name.isidentifier() else None
    if scope is None or not _is_chosen(ctx, scope.bindings[name], value, at):
        return False
    placing = [one for one in reads_only(ctx, uses_of(ctx, scope, name)) if not _places_nothing(ctx, one)]
    if placing and may_be_joined(ctx, at, placing):
        return False
    if _asks_flags(ctx, [one.value for one in scope.bindings[name] if one.value is not None]):
        return False
    return scope is not scopes(ctx).module or not is_taken_elsewhere(project_around(ctx), name)


def _is_chosen(ctx: FileContext, found: list[Binding], value: DeviceValue, at: cst.CSTNode) -> bool:
    """Whether a flag, or an option, chooses a device: ``torch.device(args.device)``."""
    if value.condition is not None:
        return asks_more_than_torch(ctx, value.condition, at)
    given = [one.value for one in found if one.how is How.ASSIGN and one.value is not None]
    return value.index is None and len(given) == len(found) and any(_reads_option(ctx, one) for one in given)


def _reads_option(ctx: FileContext, value: cst.BaseExpression) -> bool:
    if dotted_name(value) in accelerator_devices(ctx):  # Accelerator.prepare() puts models and batches there
        return False
    read = (one for one in (value, *ctx.tree.below(value)) if isinstance(one, (cst.Attribute, cst.Subscript)))
    return any(holds_options((dotted_name(one.value) or "").rpartition(".")[2]) for one in read)


def _places_nothing(ctx: FileContext, read: cst.Name) -> bool:
    """Whether a device is only told to the user, or that of a loss without weights, which is nowhere."""
    arg = next((one for one in ctx.tree.ancestors(read) if isinstance(one, (cst.Arg, cst.BaseSmallStatement))), None)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(call, cst.Call):
        return False
    if isinstance(call.func, cst.Attribute) and call.func.attr.value in MOVES:
        return is_weightless(ctx, call.func.value)
    return (dotted_name(call.func) or "").rpartition(".")[2] in _TELL


def _asks_flags(ctx: FileContext, devices: list[cst.BaseExpression]) -> bool:
    """Whether a flag decides about something on CUDA besides some devices."""
    others = (one for one in cuda_mentions(ctx) if not any(ctx.tree.is_around(two, one) for two in devices))
    guards = (one for node in others for one in guards_of(ctx, node))
    asked = (as_condition(ctx, one.test, one.holds) for one in guards)
    return any(one is not None and one.names for one in asked)
