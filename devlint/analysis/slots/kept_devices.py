"""The device that an instance is given to keep, where it is certainly the one that ``x.cuda()`` means."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.device_values import device_value, is_only_called_so
from devlint.analysis.devices.named_devices import device_in_scope
from devlint.analysis.devices.option_devices import may_be_cpu_by_choice
from devlint.analysis.devices.used_devices import names_used_as_device
from devlint.analysis.devices.which_device import DeviceValue, may_be_none
from devlint.analysis.guards.condition_text import condition_text
from devlint.analysis.guards.implications import means_cuda
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import bindings, in_torch_device, targets_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.slots.given.given_devices import is_given_elsewhere
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import holds_options


def kept_device(ctx: FileContext, attribute: str, node: cst.BaseExpression) -> DeviceValue | None:
    """The device that is assigned to an attribute, ``self.device``; None where it may be another, or none at all."""
    value = _kept(ctx, node)
    if value is None or not value.cuda or value.caveat or _is_of_another(node):
        return None
    if attribute not in names_used_as_device(ctx) and (is_only_called_so(ctx, node) or _is_unused(ctx, node)):
        return None
    return None if _may_be_cpu(ctx, node) or _is_given_another(ctx, node) else value


def _is_unused(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether an option or a parameter, ``self.device = args.device``, is nowhere in the file used as a device."""
    name = dotted_name(node)
    if name is None or in_torch_device(ctx, node) is not node or name in names_used_as_device(ctx):
        return False
    given = bindings(ctx, name, node)[1] if isinstance(node, cst.Name) else []
    return all(isinstance(one.node, cst.Param) for one in given)


def _kept(ctx: FileContext, node: cst.BaseExpression) -> DeviceValue | None:
    """What device is assigned; a parameter that may be None is one where ``__init__`` has replaced None before."""
    value = device_value(ctx, node)
    if value is None or not may_be_none(value):
        return value
    told = in_torch_device(ctx, node)
    if told is not node:
        inner = _kept(ctx, told)
        return inner.replace(is_string=False) if inner is not None else None
    scope = scopes(ctx).binder(node.value, node) if isinstance(node, cst.Name) else None
    return device_in_scope(ctx, scope, node.value, node) if scope is not None and isinstance(node, cst.Name) else value


def _is_of_another(value: cst.BaseExpression | None) -> bool:
    """Whether a device is where something else was when the instance was made: ``self.device = model.device``."""
    if not isinstance(value, cst.Attribute):
        return False
    owner = (dotted_name(value.value) or "").rpartition(".")[2]
    return value.attr.value == "device" and not holds_options(owner)


def _may_be_cpu(ctx: FileContext, value: cst.BaseExpression | None) -> bool:
    """Whether a device is one of options that may be the CPU where there is CUDA: ``torch.device(cfg.device)``."""
    value = in_torch_device(ctx, value) if value is not None else None
    dotted = dotted_name(value) if isinstance(value, cst.Attribute) else None
    return dotted is not None and holds_options(dotted.rpartition(".")[0]) and may_be_cpu_by_choice(ctx, dotted)


def _is_given_another(ctx: FileContext, value: cst.BaseExpression | None) -> bool:
    """Whether a device is a parameter for which a caller gives another device than the current GPU."""
    told = in_torch_device(ctx, value) if value is not None else None
    if not isinstance(told, cst.Name):
        return False
    nodes = [one.node for one in bindings(ctx, told.value, told)[1]]
    return len(nodes) == 1 and isinstance(nodes[0], cst.Param) and is_given_elsewhere(ctx, nodes[0])


def assigns(statement: cst.CSTNode, attribute: str) -> bool:
    """Whether an assignment gives an attribute, ``self.device``, a value."""
    if isinstance(statement, cst.Assign):
        return any(dotted_name(one.target) == attribute for one in statement.targets)
    return isinstance(statement, cst.AnnAssign) and dotted_name(statement.target) == attribute


def device_set_in(
    ctx: FileContext, statement: cst.CSTNode, attribute: str
) -> tuple[cst.CSTNode, DeviceValue | None] | None:
    """What gives an attribute a value in a statement, and the device that it is, if that is known.

    It may be an ``if``: one of its branches gives CUDA, the other one the CPU.
    """
    if isinstance(statement, cst.If):
        chosen = _given_in_branches(ctx, statement, attribute)
        return (statement, chosen) if chosen is not None else None
    for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
        if isinstance(small, (cst.Assign, cst.AnnAssign)) and assigns(small, attribute):
            return small, (kept_device(ctx, attribute, small.value) if small.value is not None else None)
    return None


def _given_in_branches(ctx: FileContext, choice: cst.If, attribute: str) -> DeviceValue | None:
    """The device that both branches of an ``if`` give an attribute, where its test says whether there is CUDA."""
    inside = [one for one in targets_named(ctx, attribute) if ctx.tree.is_around(choice, one)]
    if len(inside) != 2 or not isinstance(choice.orelse, cst.Else):
        return None
    values = []
    for block in (choice.body, choice.orelse.body):
        lines = [one for one in statements(block) if isinstance(one, cst.SimpleStatementLine)]
        values += [
            one.value for line in lines for one in line.body if isinstance(one, cst.Assign) and assigns(one, attribute)
        ]
    if len(values) != 2:
        return None
    first, second = (device_value(ctx, one) for one in values)
    if first is None or second is None or first.cuda is second.cuda or first.is_string is not second.is_string:
        return None
    known = kept_device(ctx, attribute, values[0] if first.cuda else values[1])
    if known is None or known.condition is not None or not means_cuda(ctx, choice.test, first.cuda):
        return None
    return known.replace(condition=condition_text(ctx, choice.test, first.cuda))
