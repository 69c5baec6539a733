"""Puts a tensor on the device where it is made: ``device=`` in a factory, ``.to(device)``, or a move of the batch."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.names.resolution import origin
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.tensors.cpu_tensors import cpu_tensors
from devlint.analysis.tensors.factories import factory_call
from devlint.core.diagnostic import Edit, Fix
from devlint.core.observed_tensors import ObservedTensor
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.device.resolver import resolve_device
from devlint.fixes.observed_partner import partner_at_hand
from devlint.syntax import edits, line_edits
from devlint.syntax.file_context import FileContext

_CAVEAT = "the tensor is then on that device in all its uses"
_TENSOR_METHODS = frozenset("float double half long int bool view reshape unsqueeze squeeze T t detach clone".split())
_APPENDABLE = ("factory", "library", "module", "joined", "unknown")
_HOLDERS = (cst.Name, cst.Attribute, cst.Subscript)
_WITHOUT_PARENTHESES = (cst.Call, cst.Subscript, cst.Attribute, cst.Name)


def move_where_made(ctx: FileContext, node: cst.CSTNode, tensor: ObservedTensor, is_tried: bool) -> Fix | None:
    """The fix for the expression that made a tensor; safe where the program is run again with it."""
    caveat = None if is_tried else _CAVEAT
    if tensor.kind == "brought":
        return edits.as_fix("Leave it on its device", [_left_there(ctx, node)], caveat)
    index = tensor.device.partition(":")[2]
    choice = _device(ctx, node, tensor, index if index not in ("", "0") else None)
    if choice is None:
        return None
    device = choice.expression
    if tensor.kind == "joined" and _root(device) in _names_in(ctx, node):
        return None  # what it is computed from is on the CPU, too
    written = _rewrite(ctx, node, tensor, choice)
    if written is None:
        return None
    message, edit = written
    return edits.as_fix(message.format(device), [*edit, *choice.edits], caveat)


def _device(ctx: FileContext, node: cst.CSTNode, tensor: ObservedTensor, index: str | None) -> DeviceChoice | None:
    """The device that the program has; that of what the tensor meets comes before one that is defined for it."""
    choice = resolve_device(ctx, node, index, any_card=True)
    is_at_hand = choice is not None and not choice.edits and not choice.needs_parentheses
    if is_at_hand or isinstance(node, cst.For) or ctx.target.kind == "project":
        return choice
    inferred = cpu_tensors(ctx).get(ctx.span(node))
    if inferred is not None and inferred.device:
        return DeviceChoice(inferred.device)
    partner = partner_at_hand(ctx, node, tensor.partners)
    return DeviceChoice(f"{partner}.device") if partner is not None else choice


def _rewrite(
    ctx: FileContext, node: cst.CSTNode, tensor: ObservedTensor, choice: DeviceChoice
) -> tuple[str, list[Edit | None]] | None:
    """The message and the edits for a kind of expression."""
    device = choice.expression
    if isinstance(node, cst.For):
        moved = _move_batch(ctx, node, tensor, device) if tensor.kind == "loader" else None
        return ("Move the batch to `{}`", moved) if moved else None
    if tensor.kind == "use":
        used = _move_operand(ctx, node, tensor, device)
        return ("Move the tensor to `{}` here", used) if used else None
    made = factory_call(ctx, node)
    if made is not None and tensor.kind == "factory" and made.name.rpartition(".")[2] == tensor.operation:
        if made.takes_no_device:
            return "Add `device={}`", [edits.add_argument(ctx, made.call, ("device", device))]
        given = made.keyword("device", "out")
        if given is not None and ctx.text_of(given.value) != "None":
            return None
    if tensor.kind == "loaded":
        if not isinstance(node, cst.Call) or origin(ctx, node.func) != "torch.load":
            return None
        if len(node.args) > 1 or any(arg.star for arg in node.args):
            return None
        return "Add `map_location={}`", [edits.add_argument(ctx, node, ("map_location", device))]
    if tensor.kind not in _APPENDABLE or not isinstance(node, cst.BaseExpression) or _is_taken_apart(ctx, node):
        return None
    return "Move it with `.to({})`", _append_move(ctx, node, device)


def _left_there(ctx: FileContext, node: cst.CSTNode) -> Edit | None:
    """Takes ``.cpu()`` or ``.to("cpu")`` from the end of an expression."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None
    arguments = [string_value(arg.value) for arg in node.args]
    if (node.func.attr.value, arguments) not in (("cpu", []), ("to", ["cpu"])):
        return None
    return edits.cut_after(ctx, node, node.func.value)


def _root(device: str) -> str:
    """The name of what an expression asks for its device: ``x`` of ``x.device``; empty where it asks nothing."""
    root, dot, _ = device.removeprefix("next(").partition(".")
    return root if dot else ""


def _names_in(ctx: FileContext, node: cst.CSTNode) -> set[str]:
    return {one.value for one in (node, *ctx.tree.below(node)) if isinstance(one, cst.Name)}


def _is_taken_apart(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether an expression gives a tuple, as what its values are given to shows."""
    parent = ctx.tree.parent(node)
    return isinstance(parent, cst.Assign) and any(
        isinstance(each.target, (cst.Tuple, cst.List)) for each in parent.targets
    )


def _append_move(ctx: FileContext, node: cst.BaseExpression, device: str) -> list[Edit | None]:
    """``.to(device)`` after an expression, in parentheses where it needs some."""
    if isinstance(node, _WITHOUT_PARENTHESES) or node.lpar:
        return [edits.insert_after(ctx, node, f".to({device})")]
    return [edits.insert_before(ctx, node, "("), edits.insert_after(ctx, node, f").to({device})")]


def _move_operand(ctx: FileContext, node: cst.CSTNode, tensor: ObservedTensor, device: str) -> list[Edit | None]:
    """Moves of the operands of an operation that are called as the tensor is."""
    operands = [one for one in (node, *ctx.tree.below(node)) if isinstance(one, _HOLDERS)]
    for name in tensor.names:
        if device == f"{name}.device":  # that of an input, which is taken for the right one
            continue
        found = [
            one for one in operands if _quoted(ctx.text_of(one)) == _quoted(name) and _is_operand(ctx, one, tensor)
        ]
        if found:
            return [edits.insert_after(ctx, one, f".to({device})") for one in found]
    return []


def _quoted(text: str) -> str:
    """An expression whose strings are all in quotes of one kind."""
    return text.replace('"', "'")


def _is_operand(ctx: FileContext, node: cst.CSTNode, tensor: ObservedTensor) -> bool:
    """Whether an expression is read as a tensor, and not for its shape or as the name of an argument."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, cst.Attribute):
        return parent.value is node and parent.attr.value in (*_TENSOR_METHODS, tensor.operation)
    return not (isinstance(parent, cst.Arg) and parent.keyword is node)


def _move_batch(ctx: FileContext, loop: cst.For, tensor: ObservedTensor, device: str) -> list[Edit | None] | None:
    """Moves of the variables that met: at the start of the loop's body, or where it takes the batch apart."""
    if not isinstance(loop.body, cst.IndentedBlock):
        return None
    names = _held_by(_bound_by(ctx, loop.target), tensor)
    if names:
        return [line_edits.insert_line_before(ctx, loop.body.body[0], _moves(names, device))]
    for line in loop.body.body:
        if isinstance(line, cst.SimpleStatementLine) and isinstance(line.body[-1], cst.Assign):
            bound = {name for target in line.body[-1].targets for name in _bound_by(ctx, target.target)}
            names = _held_by(bound, tensor)
            if names:
                return [line_edits.insert_line_after(ctx, line, _moves(names, device))]
    return None


def _held_by(variables: set[str], tensor: ObservedTensor) -> list[str]:
    """The names of a tensor that are these variables, or what dictionaries in them have by a word."""
    return [name for name in tensor.names if name.partition('["')[0] in variables]


def _bound_by(ctx: FileContext, target: cst.BaseExpression) -> set[str]:
    """The variables of a target, which may be a tuple."""
    if not isinstance(target, (cst.Name, cst.Tuple, cst.List)):
        return set()
    return _names_in(ctx, target)


def _moves(names: Sequence[str], device: str) -> list[str]:
    return [f"{name} = {name}.to({device})" for name in dict.fromkeys(names)]
