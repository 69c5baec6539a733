"""Devices that the program already has a name for, where the name is certainly bound."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.devices.device_values import binding_value, device_value, imported_value
from devlint.analysis.devices.option_devices import device_of_given_options, device_of_options, is_bound, option_caveat
from devlint.analysis.devices.torch_device_values import asks_for_default
from devlint.analysis.devices.unseen_bindings import may_have_changed, star_imports
from devlint.analysis.devices.used_devices import names_used_as_device
from devlint.analysis.devices.which_device import MAY_BE_NONE, DeviceValue, may_be_none, merge_values
from devlint.analysis.guards.condition_text import condition_text
from devlint.analysis.guards.implications import implies_cuda
from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.reaching_definitions import may_reach
from devlint.analysis.names.resolution import in_torch_device, is_none, uses_of
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.owners.moved_owners import had_before_move
from devlint.analysis.slots.given.given_devices import may_mean_another
from devlint.analysis.tensors.none_values import is_entry_of_settings, may_bind_none
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact_of
from devlint.torch_api.cuda_naming import polarity
from devlint.torch_api.device_naming import CARD_NAME, holds_options, is_plainly_device, looks_like_device

_STORED = regex(r"_cpu\Z|offload", re.IGNORECASE)
_COPIES = frozenset({"detach", "clone"})


def named_device(ctx: FileContext, at: cst.CSTNode, local_only: bool = False) -> tuple[str, DeviceValue] | None:
    """A name, or attribute of a name, that holds a device at ``at``; the innermost scope's first.

    With ``local_only`` nothing of the module's own scope is taken.
    """
    table = scopes(ctx)
    for scope in table.enclosing(at):
        if scope.is_class or (local_only and scope is table.module):
            continue
        for name in _candidates(ctx, scope):
            if table.binder(name, at) is scope:
                value = device_in_scope(ctx, scope, name, at)
                if value is None or not value.cuda or _says_which_card(name, value) or _says_what_for(name, value):
                    continue
                if not _is_another(ctx, scope, name) and not _is_for_storing(ctx, scope, name):
                    return name, value
        found = device_of_options(ctx, scope, at)
        if found is not None:
            return found
    return None if local_only else _from_star_import(ctx, at) or device_of_given_options(ctx, at)


def _says_which_card(name: str, value: DeviceValue) -> bool:
    """Whether a device is called after its card, as ``device1`` and ``rank_device`` are: it is not the current one."""
    if value.index in (None, "0"):
        return False
    return name.endswith(value.index or "") or CARD_NAME.match(name.removesuffix("_device")) is not None


def _says_what_for(name: str, value: DeviceValue) -> bool:
    """Whether a device is called after what it is for, ``storage_device``, and nothing shows that it is a GPU."""
    is_known = value.condition is not None or value.index is not None or value.is_string is True
    return not is_known and looks_like_device(name) and not is_plainly_device(name)


def _is_another(ctx: FileContext, scope: Scope, name: str) -> bool:
    """Whether a name is a parameter and nothing else, for which callers may give another device."""
    nodes = [one.node for one in scope.bindings[name]]
    return len(nodes) == 1 and isinstance(nodes[0], cst.Param) and may_mean_another(ctx, nodes[0])


def _is_for_storing(ctx: FileContext, scope: Scope, name: str) -> bool:
    """Whether a name says where something is stored: ``"cpu" if gather_on_cpu else "cuda"``.

    Such a flag names the CPU, and is none of those that mean that the program runs on it (``use_cpu``). A parameter to
    which nothing but copies go says so, too: ``weight.detach().to(kept_on)``.
    """
    found = scope.bindings[name]
    uses = uses_of(ctx, scope, name) if all(one.how is How.PARAMETER for one in found) else []
    if uses and all(_takes_a_copy(ctx, one) for one in uses):
        return True
    for one in found:
        test = one.value.test if isinstance(one.value, cst.IfExp) and one.how is How.ASSIGN else None
        flag = (dotted_name(test) or "").rpartition(".")[2] if test is not None else ""
        if _STORED.search(flag) and polarity(flag) is None:
            return True
    return False


def _takes_a_copy(ctx: FileContext, name: cst.CSTNode) -> bool:
    """Whether a device is given to ``.to`` of a tensor that was detached or copied for it."""
    arg = ctx.tree.parent(name)
    move = ctx.tree.parent(arg) if arg is not None else None
    method = move.func if isinstance(move, cst.Call) else None
    if not isinstance(method, cst.Attribute) or method.attr.value != "to":
        return False
    receiver = method.value
    while isinstance(receiver, (cst.Call, cst.Attribute)):
        if isinstance(receiver, cst.Attribute) and receiver.attr.value in _COPIES:
            return True
        receiver = receiver.func if isinstance(receiver, cst.Call) else receiver.value
    return False


@fact_of
def _candidates(ctx: FileContext, scope: Scope) -> list[str]:
    """Names of a scope that may hold a device, the likeliest first."""
    found = [name for name, all_of in scope.bindings.items() if looks_like_device(name) or _is_device_call(all_of)]
    return sorted(found, key=lambda name: (name.lower() != "device", not looks_like_device(name)))


def _is_device_call(found: list[Binding]) -> bool:
    """Whether a name is bound to ``torch.device(...)``, whatever it is called."""
    return all(
        isinstance(one.value, (cst.Call, cst.IfExp)) and one.how is How.ASSIGN and _mentions_device(one.value)
        for one in found
    )


def _mentions_device(value: cst.CSTNode) -> bool:
    if isinstance(value, cst.IfExp):
        return _mentions_device(value.body) or _mentions_device(value.orelse)
    return isinstance(value, cst.Call) and (dotted_name(value.func) or "").rpartition(".")[2] == "device"


def device_in_scope(ctx: FileContext, scope: Scope, name: str, at: cst.CSTNode) -> DeviceValue | None:
    """What device ``name`` of ``scope`` holds at ``at``; None where it may be unbound, None or something else."""
    found = scope.bindings[name]
    devices = [one for one in found if not _assigns_none(one)]
    if any(one.value is at or one.value in ctx.tree.ancestors(at) for one in found if one.value is not None):
        return None  # the device that the name is about to get, which may be another than it has
    if any(asks_for_default(ctx, one.value) for one in found if one.value is not None):
        return None
    if not devices or not is_bound(ctx, name, scope, at, devices):
        return None
    current = may_reach(ctx, scope, found, at)
    if any(_assigns_none(one) for one in current) or may_have_changed(ctx, scope, name, at):
        return None
    if not any(isinstance(one.value, cst.Attribute) for one in current):  # `item.device` alone proves nothing
        reaching = set(map(id, current))
        devices = [one for one in devices if id(one) in reaching]
    values = [binding_value(ctx, one) for one in devices]
    value = merge_values(values)
    if value is None or _moved_to_cpu(ctx, scope, devices) or any(had_before_move(ctx, one) for one in devices):
        return None
    if not may_be_none(value) and any(_may_give_none(ctx, one) for one in devices):
        value = value.replace(caveat=f"`{name}` {MAY_BE_NONE}")
    if len(devices) > 1 and value.condition is None:
        value = value.replace(condition=_branch_condition(ctx, devices))
    if value.condition is None and _is_cpu_in_next_round(ctx, at, devices):
        return None
    if may_be_none(value):
        return value.replace(caveat=None if _resolved(ctx, devices, at) else f"{value.caveat}, and nothing moves then")
    return value.replace(caveat=value.caveat or _caveat_of_option(ctx, devices))


def _is_cpu_in_next_round(ctx: FileContext, at: cst.CSTNode, devices: list[Binding]) -> bool:
    """Whether a line below ``at`` in a loop around both sets a device to the CPU, which it is in the next round."""
    loops = [one for one in ctx.tree.ancestors(at) if isinstance(one, (cst.For, cst.While))]
    later = [one for one in devices if ctx.span(one.node).start > ctx.span(at).start]
    for one in later:
        known = binding_value(ctx, one)
        if known is not None and not known.cuda and any(ctx.tree.is_around(loop, one.node) for loop in loops):
            return True
    return False


def _may_give_none(ctx: FileContext, binding: Binding) -> bool:
    """Whether a name may be None by what looks its value up: ``os.environ.get("DEVICE")``, ``config["device"]``."""
    if binding.how is How.PARAMETER:
        return False
    return may_bind_none(ctx, binding) or (binding.how is How.ASSIGN and is_entry_of_settings(binding.value))


def _caveat_of_option(ctx: FileContext, devices: list[Binding]) -> str | None:
    """Why ``device = torch.device(args.device)``, or without a call, may not be a GPU: by the option's default."""
    value = devices[0].value if len(devices) == 1 and devices[0].how is How.ASSIGN else None
    value = in_torch_device(ctx, value) if value is not None else None
    name = dotted_name(value) if isinstance(value, cst.Attribute) else None
    is_option = name is not None and holds_options(name.rpartition(".")[0])
    return option_caveat(ctx, name, value) if name is not None and is_option else None


def _moved_to_cpu(ctx: FileContext, scope: Scope, devices: list[Binding]) -> bool:
    """Whether another function may set the name to the CPU, or to what its caller says where it is the CPU before."""
    elsewhere = [one for one in devices if scopes(ctx).scope_of(one.node) is not scope]
    values = [value for value in (binding_value(ctx, one) for one in elsewhere) if value is not None]
    if any(not value.cuda for value in values):
        return True
    first = [binding_value(ctx, one) for one in devices if one not in elsewhere] if values else []
    return any(value is not None and not value.cuda for value in first) and not any(map(_is_evident, values))


def _is_evident(value: DeviceValue) -> bool:
    """Whether a device is said to be a GPU where it is set: no option of the program, which may be any."""
    return value.is_string is not None or value.index is not None or value.condition is not None


def _assigns_none(binding: Binding) -> bool:
    return is_none(binding.value) and binding.how is How.ASSIGN


def _branch_condition(ctx: FileContext, devices: list[Binding]) -> str | None:
    """The test of ``if test: device = gpu`` / ``else: device = cpu``, or of a default that an ``if`` replaces."""
    if len(devices) > 2:
        return _chain_condition(ctx, devices)
    for one, other in (devices, devices[::-1]):
        owner = next((up for up in ctx.tree.ancestors(one.node) if isinstance(up, (cst.If, cst.FunctionDef))), None)
        gpu = binding_value(ctx, one)
        cpu = binding_value(ctx, other)
        if isinstance(owner, cst.If) and gpu and cpu and gpu.cuda and not cpu.cuda and implies_cuda(ctx, owner.test):
            return condition_text(ctx, owner.test)
    return None


def _chain_condition(ctx: FileContext, devices: list[Binding]) -> str | None:
    """The first test of ``if test: device = gpu`` / ``elif …: device = other`` / ``else: device = cpu``."""
    gpus = [one for one in devices if getattr(binding_value(ctx, one), "cuda", True)]
    chain = next((up for up in ctx.tree.ancestors(gpus[0].node) if isinstance(up, cst.If)), None) if gpus else None
    if len(gpus) != 1 or chain is None or isinstance(ctx.tree.parent(chain), cst.If):
        return None
    rest = {id(one) for one in ctx.tree.below(chain.orelse)} if chain.orelse is not None else set()
    if any(one is not gpus[0] and id(one.node) not in rest for one in devices) or id(gpus[0].node) in rest:
        return None
    return condition_text(ctx, chain.test) if implies_cuda(ctx, chain.test) else None


def _resolved(ctx: FileContext, devices: list[Binding], at: cst.CSTNode) -> bool:
    """Whether a parameter that defaults to None was given a device before ``at``: ``if device is None: device = …``."""
    start = ctx.span(at).start
    given = [one for one in devices if one.how is How.ASSIGN and ctx.span(one.node).end < start]
    return any(one.value is not None and device_value(ctx, one.value) is not None for one in given)


def _from_star_import(ctx: FileContext, at: cst.CSTNode) -> tuple[str, DeviceValue] | None:
    """A name that the file uses as a device and nothing but a star import can bind."""
    table = scopes(ctx)
    if not table.star_import:
        return None
    for name in sorted(names_used_as_device(ctx)):
        if not looks_like_device(name) or not uses_of(ctx, None, name) or table.binder(name, at) is not None:
            continue
        values = [imported_value(ctx, one, name) or DeviceValue(None) for one in star_imports(ctx, name)]
        value = merge_values([*values]) if all(one.cuda for one in values) else None
        if value is not None:
            return name, value
    return None
