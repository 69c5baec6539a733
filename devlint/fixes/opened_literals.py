"""CUDA by its name in tests that are opened to any accelerator: as a device, as a string, or as a type."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.devices.cuda_literals import CudaLiteral, LiteralKind, cuda_literal
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.slots.framework_devices import says_device
from devlint.core.diagnostic import Edit
from devlint.fixes.device.gate_device import GateDevice
from devlint.syntax.edits import replace_expression
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import holds_device

_EQUALS = frozenset({"assertEqual", "assertEquals"})
_AUTOCAST = frozenset({"torch.autocast", "torch.amp.autocast"})
_FIRST_CARD = (None, "0")


def whole_literal(ctx: FileContext, node: cst.CSTNode) -> CudaLiteral | None:
    """The literal that ``node`` is, or the ``torch.device("cuda")`` that it is in."""
    arg = ctx.tree.parent(node)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    whole = cuda_literal(ctx, call) if isinstance(call, cst.Call) else None
    return whole or (cuda_literal(ctx, node) if isinstance(node, cst.BaseExpression) else None)


def opened_literal(ctx: FileContext, literal: CudaLiteral, in_slot: bool, device: GateDevice) -> Sequence[Edit] | None:
    """A literal as the device, or as the name of its kind where a string is wanted."""
    if literal.index not in _FIRST_CARD or literal.kind not in (LiteralKind.DEVICE, LiteralKind.STRING):
        return None
    node, text = literal.node, _device_text(ctx, literal, in_slot, device)
    if text is None:
        return None
    edit = replace_expression(ctx, node, text)
    return None if edit is None else (edit,)


def _device_text(ctx: FileContext, literal: CudaLiteral, in_slot: bool, device: GateDevice) -> str | None:
    node, has_index = literal.node, literal.index is not None
    if literal.kind is LiteralKind.DEVICE:
        if in_slot and not isinstance(ctx.tree.parent(node), cst.WithItem):
            return device.expression
        return device.first_card if has_index else device.device
    if in_slot:
        return device.expression
    if has_index:
        return None
    named = _is_named_device(ctx, node) or _is_compared_with_device(ctx, node)
    return device.type if _is_type(ctx, node) else device.string if named else None


def _is_type(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a string is the type of a device: in ``x.device.type == "cuda"``, ``assertEqual(…)``, autocast."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, cst.Arg) and parent.keyword is not None:
        return parent.keyword.value == "device_type"
    if isinstance(parent, cst.ComparisonTarget):
        whole = ctx.tree.parent(parent)
        other: cst.CSTNode | None = whole.left if isinstance(whole, cst.Comparison) else None
        plain = isinstance(whole, cst.Comparison) and len(whole.comparisons) == 1
        return plain and isinstance(parent.operator, cst.Equal) and _asks_for_type(other)
    call = ctx.tree.parent(parent) if isinstance(parent, cst.Arg) else None
    if not isinstance(call, cst.Call):
        return False
    if origin(ctx, call.func) in _AUTOCAST:
        return call.args[0] is parent
    if (dotted_name(call.func) or "").rpartition(".")[2] not in _EQUALS:
        return False
    return len(call.args) > 1 and call.args[1] is parent and _asks_for_type(call.args[0].value)


def _is_compared_with_device(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a string stands in ``device == "cuda"``, where the same string, or what stands for it, is given."""
    target = ctx.tree.parent(node)
    whole = ctx.tree.parent(target) if isinstance(target, cst.ComparisonTarget) else None
    if not isinstance(whole, cst.Comparison) or len(whole.comparisons) != 1 or not isinstance(whole.left, cst.Name):
        return False
    return isinstance(whole.comparisons[0].operator, (cst.Equal, cst.NotEqual)) and holds_device(whole.left.value)


def _asks_for_type(node: cst.CSTNode | None) -> bool:
    return isinstance(node, cst.Attribute) and node.attr.value == "type"


def _is_named_device(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether a string is given a name that says device: a variable's, a parameter's, that of an argument."""
    if says_device(ctx, node):
        return True
    parent = ctx.tree.parent(node)
    if isinstance(parent, cst.Arg):
        named = parent.keyword.value if parent.keyword is not None else _parameter_of(ctx, parent)
        return named is not None and holds_device(named)
    if isinstance(parent, cst.Param):
        return holds_device(parent.name.value)
    if isinstance(parent, cst.Assign):
        name = dotted_name(parent.targets[0].target)
        return len(parent.targets) == 1 and name is not None and holds_device(name.rpartition(".")[2])
    return isinstance(parent, cst.Element) and _is_parameter(ctx, parent)


def _parameter_of(ctx: FileContext, arg: cst.Arg) -> str | None:
    """The parameter that an argument is given to by its place: of a function of the file, or a method of the class."""
    call = ctx.tree.parent(arg)
    if not isinstance(call, cst.Call) or any(one.star for one in call.args):
        return None
    root, _, method = (dotted_name(call.func) or "").rpartition(".")
    if root not in ("", "self", "cls"):
        return None
    found = [one for one in ctx.tree.of_type(cst.FunctionDef) if one.name.value == method]
    at = next(index for index, one in enumerate(call.args) if one is arg)
    parameters = [one.name.value for one in found[0].params.params][bool(root) :] if len(found) == 1 else []
    return parameters[at] if at < len(parameters) else None


def _is_parameter(ctx: FileContext, element: cst.Element) -> bool:
    """Whether a string is one of the values that ``parametrize("device", ["cuda"])`` gives."""
    values = ctx.tree.parent(element)
    arg = ctx.tree.parent(values) if isinstance(values, (cst.List, cst.Tuple)) else None
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(call, cst.Call) or len(call.args) < 2 or call.args[1] is not arg:
        return False
    named = string_value(call.args[0].value)
    return (dotted_name(call.func) or "").endswith("parametrize") and named is not None and holds_device(named)
