"""Devices that an option chooses and nothing is put on that meets what a program moves to CUDA without asking."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.apis.asked_at_import import is_weightless
from devlint.analysis.devices.device_conditions import devices_at
from devlint.analysis.devices.device_values import device_value
from devlint.analysis.devices.unseen_bindings import star_imports
from devlint.analysis.devices.used_devices import accelerator_devices
from devlint.analysis.devices.which_device import DeviceValue
from devlint.analysis.guards.cuda_flags import as_condition, asks_more_than_torch
from devlint.analysis.guards.cuda_mentions import cuda_mentions
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of
from devlint.analysis.names.resolution import (
    attributes_named,
    in_torch_device,
    targets_named,
    torch_device_of,
    uses_of,
)
from devlint.analysis.names.scopes import bound_values, scopes
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.exports import is_chosen_device
from devlint.analysis.project.mentions import is_taken_elsewhere, owners_elsewhere
from devlint.analysis.slots.chosen_by_callers import is_chosen_by_callers
from devlint.analysis.tensors.other_devices import means_another_device
from devlint.analysis.tensors.runs_together import reads_only
from devlint.analysis.transfers.joined_names import is_joined_elsewhere, may_be_joined
from devlint.fixes.device.anchors.unasked_flags import is_wish_for_cuda
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import holds_options
from devlint.torch_api.moves import MOVES

_TELL = frozenset("print info debug warning log write".split())


def is_not_meant(ctx: FileContext, name: str, value: DeviceValue, at: cst.CSTNode) -> bool:
    """Whether a device that the program has is not the one of what it moves to CUDA without asking."""
    if is_wish_for_cuda(ctx, at) and _is_chosen(ctx, _given(ctx, name, at), name, value, at):
        return True
    return means_another_device(ctx, at, name, value) or is_unread(ctx, name, value, at)


def follows_no_flag(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether what the program moves at a place is for whoever asks for CUDA, or its flag's device is another."""
    return is_wish_for_cuda(ctx, at) or any(
        value.condition is not None and is_not_meant(ctx, name, value, at) for name, value in devices_at(ctx, at)
    )


def is_unread(ctx: FileContext, name: str, value: DeviceValue, at: cst.CSTNode) -> bool:
    """Whether nothing that may meet what is placed at ``at`` is put on a device that an option chooses.

    Without asking that goes to CUDA whatever the option says, and what meets that must go there as well.
    """
    given = _given(ctx, name, at)
    reads = [*_reads(ctx, name, at), *_other_reads(ctx, given or [])]
    placing = [one for one in reads if not _places_nothing(ctx, one)]
    if not placing and _is_only_kept(ctx, given or []):
        return not _is_read_elsewhere(ctx, name, at)
    if not _is_chosen(ctx, given, name, value, at):
        return False
    if (placing and may_be_joined(ctx, at, placing)) or _asks_flags(ctx, given or []):
        return False
    return not (is_joined_elsewhere(ctx, at) and _is_read_elsewhere(ctx, name, at))


def _given(ctx: FileContext, name: str, at: cst.CSTNode) -> list[cst.BaseExpression] | None:
    """What a name, an option, or an attribute of the instance, is assigned; None where it gets a value otherwise."""
    if "." not in name:
        scope = scopes(ctx).binder(name, at)
        found = scope.bindings[name] if scope is not None else []
        values = [one.value for one in found if one.value is not None]
        return values if found and all(one.how is How.ASSIGN and one.value is not None for one in found) else None
    owner = class_of(ctx, at) if not _is_option(name) else None
    targets = [one for one in targets_named(ctx, name) if owner is None or class_of(ctx, one) is owner]
    assigns = [ctx.tree.parent(one) for one in targets]
    values = [one.value for one in assigns if isinstance(one, cst.Assign)]
    return values if len(values) == len(targets) and (values or _is_option(name)) else None


def _is_only_kept(ctx: FileContext, given: list[cst.BaseExpression]) -> bool:
    """Whether an attribute is given parameters that do nothing else: ``self.device = device``."""
    for one in given:
        scope = scopes(ctx).binder(one.value, one) if isinstance(one, cst.Name) else None
        if not isinstance(one, cst.Name) or scope is None:
            return False
        hows = [two.how for two in scope.bindings[one.value]]
        others = [two for two in reads_only(ctx, uses_of(ctx, scope, one.value)) if two is not one]
        if hows != [How.PARAMETER] or others:
            return False
    return bool(given)


def _is_option(name: str) -> bool:
    """Whether a name is ``args.device``, or ``self.args.device``."""
    return holds_options(name.rpartition(".")[0].rpartition(".")[2])


def _reads(ctx: FileContext, name: str, at: cst.CSTNode) -> Iterator[cst.Name | cst.Attribute]:
    """The reads of a name, of an option by whatever name of the options, or of an attribute by the same words."""
    if "." not in name:
        yield from reads_only(ctx, uses_of(ctx, scopes(ctx).binder(name, at), name))
        return
    for one in attributes_named(ctx, name.rpartition(".")[2]):
        dotted = dotted_name(one) or ""
        is_same = dotted == name or (_is_option(name) and _is_option(dotted))
        if is_same and not isinstance(ctx.tree.parent(one), cst.AssignTarget):
            yield one


def _other_reads(ctx: FileContext, given: list[cst.BaseExpression]) -> Iterator[cst.Name | cst.Attribute]:
    """What else the parameters that an attribute is given are read for: ``self.net = Net().to(device)``."""
    for value in (in_torch_device(ctx, one) for one in given):
        param = _parameter(ctx, value.value, value) if isinstance(value, cst.Name) else None
        if isinstance(value, cst.Name) and param is not None:
            uses = reads_only(ctx, uses_of(ctx, scopes(ctx).binder(value.value, value), value.value))
            yield from (one for one in uses if one is not value and torch_device_of(ctx, one) is None)


def _is_read_elsewhere(ctx: FileContext, name: str, at: cst.CSTNode) -> bool:
    """Whether another file may put something on a device: what meets what there is not known."""
    owner, _, attribute = name.rpartition(".")
    project, definition = project_around(ctx), class_of(ctx, at)
    if not owner:
        is_global = scopes(ctx).binder(name, at) is scopes(ctx).module
        return is_taken_elsewhere(project, name) if is_global else _parameter(ctx, name, at) is not None
    is_option = _is_option(name)
    word = definition.name.value if definition is not None and not is_option else attribute
    owners = owners_elsewhere(project, word, attribute)
    return owners is None or any(one != "torch" and holds_options(one) is is_option for one in owners)


def _is_chosen(
    ctx: FileContext, given: list[cst.BaseExpression] | None, name: str, value: DeviceValue, at: cst.CSTNode
) -> bool:
    """Whether a flag, or an option, chooses a device: ``torch.device(args.device)``, ``args.device`` itself."""
    if name in accelerator_devices(ctx):
        return False
    if value.condition is not None:
        place = given[0] if given and "." in name else at
        return (given is not None or "." not in name) and asks_more_than_torch(ctx, value.condition, place)
    if given is None and "." not in name:
        is_chosen = _is_chosen_elsewhere(ctx, name, at) or _is_chosen_by_callers(ctx, name, at)
        return value.index is None and is_chosen
    if given is None or value.index is not None or _is_of_class(ctx, name, at):
        return False
    is_chosen = any(_reads_option(ctx, one) or _asks_flag(ctx, one) or _is_given_so(ctx, one) for one in given)
    return is_chosen or (_is_option(name) and not given)


def _is_chosen_elsewhere(ctx: FileContext, name: str, at: cst.CSTNode) -> bool:
    """Whether something else than torch chooses a device in the file of the project that this one has it from."""
    scope = scopes(ctx).binder(name, at)
    found = scope.bindings[name] if scope is not None else []
    modules = [(one.origin or "").rpartition(".") for one in found if one.how is How.IMPORT]
    sources = (
        [(module, one) for module, _, one in modules] if found else [(one, name) for one in star_imports(ctx, name)]
    )
    project = project_around(ctx)
    known = [(project.module(module), one) for module, one in sources]
    return any(module is not None and is_chosen_device(project, module, one) for module, one in known)


def _is_chosen_by_callers(ctx: FileContext, name: str, at: cst.CSTNode) -> bool:
    """Whether a device is a parameter, for which a caller's option or flag chooses."""
    param = _parameter(ctx, name, at)
    return param is not None and is_chosen_by_callers(ctx, param)


def _is_given_so(ctx: FileContext, value: cst.BaseExpression) -> bool:
    """Whether a value is such a parameter: ``self.device = torch.device(device)``."""
    value = in_torch_device(ctx, value)
    return isinstance(value, cst.Name) and _is_chosen_by_callers(ctx, value.value, value)


def _parameter(ctx: FileContext, name: str, at: cst.CSTNode) -> cst.Param | None:
    """The parameter that a name stands for, if it is given no other value than that as a device."""
    scope = scopes(ctx).binder(name, at)
    first, *others = scope.bindings[name] if scope is not None else (None,)
    if first is None or not isinstance(first.node, cst.Param):
        return None
    made = [in_torch_device(ctx, one.value) for one in others if one.how is How.ASSIGN and one.value is not None]
    is_same = len(made) == len(others) and all(isinstance(one, cst.Name) and one.value == name for one in made)
    return first.node if is_same else None


def _is_of_class(ctx: FileContext, name: str, at: cst.CSTNode) -> bool:
    """Whether a name is ``Config.device`` of a class in the file, whose body says what that is."""
    owner = name.partition(".")[0]
    scope = scopes(ctx).binder(owner, at) if "." in name else None
    return scope is not None and any(isinstance(one.node, cst.ClassDef) for one in scope.bindings[owner])


def _asks_flag(ctx: FileContext, value: cst.BaseExpression) -> bool:
    """Whether a device has a condition that asks more than torch, perhaps by another name: ``args.device = device``.

    Or the branch of such a test gives it.
    """
    known = device_value(ctx, value)
    condition = known.condition if known is not None else None
    if condition is not None:
        return asks_more_than_torch(ctx, condition, value)
    tests = [(one.test, as_condition(ctx, one.test, one.holds)) for one in guards_of(ctx, value)]
    return any(
        _reads_option(ctx, test) if one is None else one.names and asks_more_than_torch(ctx, one.text, value)
        for test, one in tests
    )


def _reads_option(ctx: FileContext, value: cst.BaseExpression) -> bool:
    if dotted_name(value) in accelerator_devices(ctx):  # Accelerator.prepare() puts models and batches there
        return False
    read = (one for one in (value, *ctx.tree.below(value)) if isinstance(one, (cst.Attribute, cst.Subscript)))
    return any(holds_options((dotted_name(one.value) or "").rpartition(".")[2]) for one in read)


def _places_nothing(ctx: FileContext, read: cst.Name | cst.Attribute) -> bool:
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
    named = [value for one in devices if isinstance(one, cst.Name) for value in bound_values(ctx, one.value, one)]
    chosen = [*devices, *named]
    others = (one for one in cuda_mentions(ctx) if not any(ctx.tree.is_around(two, one) for two in chosen))
    guards = (one for node in others for one in guards_of(ctx, node))
    asked = (as_condition(ctx, one.test, one.holds) for one in guards)
    return any(one is not None and one.names for one in asked)
