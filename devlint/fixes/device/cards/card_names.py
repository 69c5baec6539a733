"""Which cards a file names, and what the device of one is called."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda.device_index_uses import device_index_uses
from devlint.analysis.cuda.literal_roles import LiteralRole, literal_uses
from devlint.analysis.devices.cuda_literals import CudaLiteral, cuda_literal
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import is_torch
from devlint.analysis.names.scopes import scopes
from devlint.analysis.transfers.cuda_method_calls import cuda_move
from devlint.core.lazy_regex import regex
from devlint.fixes.device.anchors.placement import outermost_function
from devlint.fixes.device.cards.card_anchors import use_where_set
from devlint.fixes.device.cards.card_index import index_node
from devlint.syntax.file_context import FileContext, fact

_NUMBER = regex(r"_?(?:id|idx|index|num|number)\Z")


def card_of(ctx: FileContext, value: cst.BaseExpression) -> CudaLiteral | None:
    """The card that a value is, where there is CUDA."""
    if isinstance(value, cst.IfExp) and "is_available()" in ctx.text_of(value.test):
        value = value.body
    elif isinstance(value, cst.Call) and len(value.args) == 1 and isinstance(value.args[0].value, cst.IfExp):
        return card_of(ctx, value.args[0].value) if (dotted_name(value.func) or "").endswith("device") else None
    return cuda_literal(ctx, value) if isinstance(value, (cst.Call, cst.BaseString, cst.BinaryOperation)) else None


def names_of_card(ctx: FileContext, literal: CudaLiteral) -> list[str]:
    """What the device of a card may be called: ``device`` where it is the only one of the file."""
    assert literal.index is not None
    own = "".join(one if one.isalnum() else "_" for one in literal.index).strip("_")
    last = (
        own if literal.is_constant else (dotted_name(cst.parse_expression(literal.index)) or "card").rpartition(".")[2]
    )
    named = f"device{literal.index}" if literal.is_constant else _named_after(last.strip("_").lower())
    alone = cards(ctx) == {literal.index} or (named == "card" and _is_only_one_around(ctx, literal))
    return ["device", named] if alone else [named, f"{named}_"]


def _is_only_one_around(ctx: FileContext, literal: CudaLiteral) -> bool:
    """Whether the function around a card, which it is given, names no other card and no device."""
    function, root = outermost_function(ctx, literal.node), (literal.index or "").partition(".")[0]
    owner = scopes(ctx).binder(root, literal.node)
    if function is None or owner is None or owner.node is not function:
        return False
    below = {id(one) for one in ctx.tree.below(function)}
    number = index_node(ctx, literal)
    own = {id(one) for one in (*ctx.tree.below(number), number)} if number is not None else set()
    named = (
        one
        for one in ctx.tree.below(function)
        if isinstance(one, cst.Name) and one.value == "device" and id(one) not in own
    )
    if not all(_is_of_torch(ctx, one) for one in named):
        return False
    return {index for index, node in _named_cards(ctx) if id(node) in below} == {literal.index}


def _is_of_torch(ctx: FileContext, name: cst.Name) -> bool:
    """Whether a name is the last of ``torch.device``, or that of an argument."""
    parent = ctx.tree.parent(name)
    return (isinstance(parent, cst.Attribute) and is_torch(ctx, parent, "device")) or (
        isinstance(parent, cst.Arg) and parent.keyword is name
    )


@fact
def cards(ctx: FileContext) -> frozenset[str | None]:
    """The cards that a file names; None for the current one."""
    return frozenset(index for index, _ in _named_cards(ctx))


@fact
def _named_cards(ctx: FileContext) -> list[tuple[str | None, cst.CSTNode]]:
    """The same with the places where it names them."""
    literals = [use.literal for use in literal_uses(ctx, *LiteralRole)]
    literals += [use.literal for use in device_index_uses(ctx)]
    found: list[tuple[str | None, cst.CSTNode]] = [(one.index, one.node) for one in literals]
    moves = (cuda_move(ctx, call) for call in ctx.tree.of_type(cst.Call))
    for call in (one.call for one in moves if one is not None and one.device is None):
        shared = use_where_set(ctx, call)
        found.append((shared.literal.index if shared is not None else None, call))
    for assign in ctx.tree.of_type(cst.Assign):
        if chooses_device(ctx, assign.value):
            held = card_of(ctx, assign.value)
            found.append((held.index if held is not None else None, assign))
    return found


def chooses_device(ctx: FileContext, value: cst.BaseExpression) -> bool:
    text = ctx.text_of(value)
    return "device(" in text and "is_available()" in text


def _named_after(number: str) -> str:
    """The name of a card's device by that of its number: ``gpu_device`` for ``gpu``, ``card`` for ``device_id``."""
    stem = _NUMBER.sub("", number)
    return f"{stem.removesuffix('device')}card" if stem.endswith("device") else f"{number}_device"
