"""Devices that a tensor or a model had before the program moved it: no place for what belongs on the GPU."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.classes import is_module
from devlint.analysis.names.resolution import bindings, origin, sole_value
from devlint.analysis.names.scopes import scopes
from devlint.analysis.owners.moved_parts import same_module
from devlint.analysis.tensors.shared_devices import operand_of
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import looks_like_device
from devlint.torch_api.module_makers import MAKES_MODULES
from devlint.torch_api.moves import MOVES


def had_before_move(ctx: FileContext, binding: Binding) -> bool:
    """Whether a name holds the device of something that is only moved afterwards: ``device = model.device``.

    What the program makes itself and never moves is on the CPU as well.
    """
    value = binding.value
    if not isinstance(value, cst.Attribute) or value.attr.value != "device":
        return False
    owner = _owner(value.value)
    if owner is None:
        return False
    start = ctx.span(value).start
    moves = [ctx.span(one).start for one in _moves(ctx, owner, value) if not _stays(ctx, one, binding.name)]
    if any(one > start for one in moves):
        return True
    return not moves and _is_made_on_cpu(ctx, owner, value)


def _owner(node: cst.BaseExpression) -> str | None:
    """``net.fc.weight`` of itself, and ``net`` of ``next(net.parameters())``."""
    while isinstance(node, (cst.Call, cst.Subscript)):
        if isinstance(node, cst.Subscript):
            node = node.value
        elif isinstance(node.func, cst.Attribute):
            node = node.func.value
        elif node.args:
            node = node.args[0].value
        else:
            return None
    return dotted_name(node)


def _moves(ctx: FileContext, owner: str, at: cst.CSTNode) -> list[cst.Call]:
    """The calls in the same function that move the owner, what it is a part of, or what is made of it."""
    root, here = owner.partition(".")[0], scopes(ctx).function_of(at)
    binder = scopes(ctx).binder(root, at)
    found = []
    for call in ctx.tree.of_type(cst.Call):
        is_move = isinstance(call.func, cst.Attribute) and call.func.attr.value in MOVES
        moved = call.func.value if is_move and isinstance(call.func, cst.Attribute) else None
        if moved is None or scopes(ctx).function_of(call) is not here or scopes(ctx).binder(root, call) is not binder:
            continue
        if any(f"{owner}.".startswith(f"{name}.") for name in _made_of(ctx, moved)):
            found.append(call)
    return found


def _made_of(ctx: FileContext, moved: cst.BaseExpression) -> Iterator[str]:
    """The names of what is moved, and of what that is made of: ``w`` of ``w.data.float()`` and of ``(2 * w)[0]``."""
    node: cst.BaseExpression | None = moved
    seen: set[str] = set()
    while node is not None:
        node = same_module(node)
        name = dotted_name(node)
        if name is not None:
            if name in seen:
                return
            seen.add(name)
            yield name
        node = operand_of(ctx, node) or (sole_value(ctx, node) if isinstance(node, cst.Name) else None)


def _stays(ctx: FileContext, move: cst.Call, name: str) -> bool:
    """Whether ``.to`` moves nothing to a GPU that is not there already: ``x.to(device)`` with its own, a dtype."""
    if isinstance(move.func, cst.Attribute) and move.func.attr.value == "cuda":
        return False
    told = [arg.value for arg in move.args if arg.keyword is None or arg.keyword.value == "device"][:1]
    return not any(
        "cuda" in ctx.text_of(one)
        or (dotted_name(one) != name and looks_like_device((dotted_name(one) or "").rpartition(".")[2]))
        for one in told
    )


def _is_made_on_cpu(ctx: FileContext, owner: str, at: cst.CSTNode) -> bool:
    """Whether the owner is a module that the program makes, and moves not even there."""
    _, found = bindings(ctx, owner.partition(".")[0], at)
    return bool(found) and all(one.how is How.ASSIGN and _is_new_module(ctx, one.value) for one in found)


def _is_new_module(ctx: FileContext, value: cst.BaseExpression | None) -> bool:
    if not isinstance(value, cst.Call):
        return False
    if any(arg.keyword is not None and arg.keyword.value == "device" for arg in value.args):
        return False
    made = origin(ctx, value.func) or dotted_name(value.func) or ""
    if made.startswith(MAKES_MODULES):
        return True
    _, found = bindings(ctx, made, value)
    return bool(found) and all(isinstance(one.node, cst.ClassDef) and is_module(ctx, one.node) for one in found)
