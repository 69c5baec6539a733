"""A card that is named by its number becomes a device that there is on every machine."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.process_groups import is_beside_nccl
from devlint.analysis.cuda.device_data import handed_on_by_test
from devlint.analysis.cuda.device_index_uses import DeviceIndexUse, device_index_uses, only_first_device
from devlint.analysis.devices.cuda_literals import CudaLiteral, LiteralKind
from devlint.analysis.devices.current_card import is_current_card
from devlint.analysis.guards.questions import Guard
from devlint.analysis.guards.spread_models import spreads_model
from devlint.analysis.transfers.cuda_method_calls import move_edits
from devlint.analysis.transfers.overridden_moves import OWN_MOVES, overriding_class
from devlint.analysis.transfers.queried_tensors import literal_tensor
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.conditional_device import (
    accelerator_caveat,
    availability_caveat,
    conditional_device,
    conditional_expression,
)
from devlint.fixes.device import resolver
from devlint.fixes.device.cards.card_device import card_device
from devlint.fixes.device.cards.card_index import index_node, is_certain_card
from devlint.fixes.device.cards.card_variable import card_variable_fix
from devlint.fixes.device.cards.tested_card import tested_card_fix
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.device.gained_moves import gains_nothing
from devlint.fixes.device.load_location import takes_text_alone
from devlint.syntax import edits
from devlint.syntax.edits import replace_expression
from devlint.syntax.file_context import FileContext

_FALLS_BACK = "Fall back to the CPU where there is no CUDA"
_NO_NUMBER = "it may be no number, but a string or a device"


def card_number_fix(ctx: FileContext, use: DeviceIndexUse, guard: Guard | None) -> Fix | None:
    """Write a device for a card's number: that of a tensor beside it, one the program has, or a new one."""
    if use.move is not None and not use.move.whole:
        return None
    literal = use.literal
    if takes_text_alone(ctx, use.call):
        return None if guard else _in_place(ctx, use, _caveat(ctx, literal))
    placed = use.call is not None or isinstance(ctx.tree.parent(literal.node), cst.WithItem)
    if use.as_string and not _is_named_again(ctx, use):
        return None if guard else _in_place(ctx, use, _caveat(ctx, literal))
    is_device = not use.as_string and (placed or literal.kind is LiteralKind.DEVICE)
    beside = literal_tensor(ctx, literal) if is_device else None
    if beside is not None:
        return edits.as_fix("Put it where the other tensor is", _put(ctx, use, f"{beside}.device"))
    if placed and (_is_current(ctx, use) or (literal.index == "0" and only_first_device(ctx))):
        choice = _device_of(ctx, use)
        if choice is None or (guard is not None and choice.edits):  # there is a card, and a definition serves nobody
            return None
        if guard is not None and choice.condition is None and gains_nothing(ctx, literal.node, guard, choice):
            return None  # the device may be the CPU where there is CUDA, too
        text = choice.expression
        if isinstance(literal.node, cst.Call) and use.call is None and choice.is_string is not False:
            text = f"{ctx.text_of(literal.node.func)}({text})"
        made = [*_put(ctx, use, text, choice.is_string is True), *choice.edits]
        caveat = choice.caveat or accelerator_caveat(ctx, literal)
        return edits.as_fix(f"Replace by `{choice.expression}`", made, caveat)
    if guard or spreads_model(ctx, literal.node):
        return None
    return tested_card_fix(ctx, use) or _choose_here(ctx, use, placed)


def _device_of(ctx: FileContext, use: DeviceIndexUse) -> DeviceChoice | None:
    """The device of the first card or the current one: a new one for both, ``"cuda"``, where they are the same."""
    choice = resolver.resolve_device(ctx, use.literal.node, index="0" if use.literal.index == "0" else None)
    is_there = choice is not None and not choice.edits and choice.caveat is None
    if use.literal.index != "0" or is_there or not _is_current(ctx, use):
        return choice
    return resolver.resolve_device(ctx, use.literal.node)


def _is_current(ctx: FileContext, use: DeviceIndexUse) -> bool:
    """Whether what is put on a card goes to the current one, by its number or, for a checkpoint, by its name."""
    literal = use.literal
    if literal.is_current:
        return True
    number = index_node(ctx, literal) if literal.kind is LiteralKind.NUMBER or _is_loaded_to(ctx, use) else None
    return number is not None and is_current_card(ctx, number)


def _is_loaded_to(ctx: FileContext, use: DeviceIndexUse) -> bool:
    """Whether a checkpoint is loaded to a card by its name; whoever keeps a device may ask for its number."""
    arg, named = ctx.tree.parent(use.literal.node), use.literal.kind in (LiteralKind.STRING, LiteralKind.DEVICE)
    if use.call is None or use.as_string or not named or not isinstance(arg, cst.Arg):
        return False
    return arg.keyword is not None and arg.keyword.value == "map_location"


def _choose_here(ctx: FileContext, use: DeviceIndexUse, placed: bool) -> Fix | None:
    """The card's device, defined once, or else the choice in the place of the number; two cards stay two."""
    owner = overriding_class(ctx, use.call) if use.call is not None else None
    caveat = OWN_MOVES.format(owner) if owner is not None else _caveat(ctx, use.literal)
    card = card_device(ctx, use) if placed else None
    whole = card_variable_fix(ctx, use) if caveat == _NO_NUMBER else None
    if whole is not None:
        return whole
    made = [*_put(ctx, use, card.expression), *card.edits] if card is not None else [None]
    if card is not None and None not in made:
        return edits.as_fix(f"Replace by `{card.expression}`", made, caveat)
    if use.move is None and not placed and is_beside_nccl(ctx, use.literal.node):
        return None
    if use.move is None:
        return _in_place(ctx, use, caveat)
    caveat = caveat or availability_caveat(ctx, use.literal.node)
    choice = conditional_expression(ctx, use.literal)
    return None if choice is None else edits.as_fix(_FALLS_BACK, [*_put(ctx, use, choice[0]), *choice[1]], caveat)


def _in_place(ctx: FileContext, use: DeviceIndexUse, caveat: str | None) -> Fix | None:
    """The choice where the card is named."""
    caveat = caveat or availability_caveat(ctx, use.literal.node) or handed_on_by_test(ctx, use.literal.node)
    here = conditional_device(ctx, use.literal)
    return None if here is None else edits.as_fix(_FALLS_BACK, here.edits, caveat)


def _is_named_again(ctx: FileContext, use: DeviceIndexUse) -> bool:
    """Whether another place names the same card, so that a definition serves both."""
    return sum(one.literal.index == use.literal.index for one in device_index_uses(ctx)) > 1


def _caveat(ctx: FileContext, literal: CudaLiteral) -> str | None:
    """Why a card may be another one after a fix; None where it is the same."""
    is_written = literal.kind in (LiteralKind.STRING, LiteralKind.DEVICE)
    if not is_written and not literal.is_current and not is_certain_card(ctx, literal):
        return _NO_NUMBER
    return accelerator_caveat(ctx, literal)


def _put(ctx: FileContext, use: DeviceIndexUse, text: str, is_string: bool = False) -> list[Edit | None]:
    """Write ``text`` for the number, and ``.to`` for ``.cuda``; ``str(text)`` where only a string will do."""
    text = f"str({text})" if use.as_string and not is_string else text
    if use.move is not None:
        return [*move_edits(ctx, use.move, text)]
    return [replace_expression(ctx, use.literal.node, text)]
