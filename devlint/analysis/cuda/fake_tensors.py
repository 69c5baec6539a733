"""Where tensors have no memory, so that making one on CUDA needs none: torch's ``FakeTensor``, ``FakeTensorMode``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.resolution import bindings, origin, sole_target, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.slots.device_arguments import slot_owner
from devlint.syntax.file_context import FileContext
from devlint.torch_api.tensor_functions import FACTORIES

_FAKE = "FakeTensor"
_MODE = "FakeTensorMode"


def is_for_fake_tensors(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a device is only that of a ``FakeTensor``, or of tensors which factories make under ``FakeTensorMode``.

    ``x.cuda()`` and ``x.to("cuda")`` fail there without CUDA, as they do elsewhere.
    """
    if _FAKE not in ctx.source.text:
        return False
    slot = slot_owner(ctx, node)
    if slot is not None:
        return _is_fake_slot(ctx, slot)
    target = sole_target(ctx, node)
    if target is None:
        return False
    uses = uses_of(ctx, scopes(ctx).binder(target.value, target), target.value)
    slots = [slot_owner(ctx, one) for one in uses if one is not target]
    return bool(slots) and all(one is not None and _is_fake_slot(ctx, one) for one in slots)


def _is_fake_slot(ctx: FileContext, slot: cst.CSTNode) -> bool:
    """Whether a factory, a default device or ``with torch.device(...)`` is for fake tensors."""
    if isinstance(slot, cst.Call):
        owner, _, name = (origin(ctx, slot.func) or "").rpartition(".")
        if name == _FAKE:
            return True
        if owner != "torch" or (name not in FACTORIES and name != "set_default_device"):
            return False
    elif not isinstance(slot, cst.WithItem):
        return False
    blocks = (one for one in ctx.tree.ancestors(slot) if isinstance(one, cst.With))
    return any(_is_mode(ctx, item.item) for block in blocks for item in block.items)


def _is_mode(ctx: FileContext, item: cst.BaseExpression) -> bool:
    """Whether a context manager is a ``FakeTensorMode``: made on the spot, by name, or the one that a tensor has."""
    if isinstance(item, cst.Call):
        return (dotted_name(item.func) or "").rpartition(".")[2] == _MODE
    if isinstance(item, cst.Attribute):
        return item.attr.value == "fake_mode" or _is_made_for(ctx, item)
    if not isinstance(item, cst.Name):
        return False
    _, found = bindings(ctx, item.value, item)
    values = [one.value for one in found if one.how is How.ASSIGN]
    return bool(values) and all(isinstance(one, cst.Call) and _is_mode(ctx, one) for one in values)


def _is_made_for(ctx: FileContext, attribute: cst.Attribute) -> bool:
    """Whether all that the file assigns to an attribute, or to a class's variable, of this name are such modes."""
    name = attribute.attr.value
    values = [
        assign.value
        for assign in ctx.tree.of_type(cst.Assign)
        if any((dotted_name(one.target) or "").rpartition(".")[2] == name for one in assign.targets)
    ]
    return bool(values) and all(isinstance(one, cst.Call) and _is_mode(ctx, one) for one in values)
