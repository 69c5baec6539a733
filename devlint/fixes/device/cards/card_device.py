"""A card named by its number: its device is defined once, near what it is for, and all that is put on the card uses it.

``device = torch.device("cuda", rank) if torch.cuda.is_available() else torch.device("cpu")``
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from devlint.analysis.apis.forked_processes import is_made_before_fork
from devlint.analysis.apis.visible_devices import visible_devices_set_after
from devlint.analysis.cuda.device_index_uses import DeviceIndexUse
from devlint.analysis.devices.cuda_literals import CudaLiteral, LiteralKind
from devlint.analysis.guards.cuda_flags import Condition
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.reaching_definitions import certainly_bound
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.torchscript import mentions_torchscript
from devlint.fixes.device.anchors.first_use import first_use, first_use_in_main
from devlint.fixes.device.anchors.instance_flag_anchor import instance_anchor
from devlint.fixes.device.anchors.placement import (
    Anchor,
    function_start,
    outermost_function,
    runs_before,
    top_of_script,
)
from devlint.fixes.device.anchors.variable_naming import free_name
from devlint.fixes.device.cards.card_anchors import card_anchors, card_uses, shared_anchors, use_where_set
from devlint.fixes.device.cards.card_index import index_node, is_certain_card
from devlint.fixes.device.cards.card_names import card_of, cards, chooses_device, names_of_card
from devlint.fixes.device.cards.card_stability import is_same_number_between, is_same_number_in_functions
from devlint.fixes.device.cards.own_uses import above_first_use
from devlint.fixes.device.cards.reached_uses import is_reached
from devlint.fixes.device.choice import DeviceChoice, define_device
from devlint.fixes.torch_import import imports_torch_locally, torch_name
from devlint.syntax.file_context import FileContext


def card_device(ctx: FileContext, use: DeviceIndexUse) -> DeviceChoice | None:
    """The device of a card, one that the program has or a new one; None where it cannot be said in one place."""
    literal = use.literal
    if ctx.target.kind == "project" or literal.index is None or mentions_torchscript(ctx):
        return None
    name = _existing(ctx, literal)
    if name is not None:
        return DeviceChoice(name)
    own = _on_instance(ctx, literal) or _of_module(ctx, literal)
    if own is not None:
        return own
    anchors = _constant_anchors(ctx, literal.node) if literal.is_constant else card_anchors(ctx, use)
    return _defined(ctx, literal, anchors)


def device_where_unset(ctx: FileContext, move: cst.CSTNode) -> DeviceChoice | None:
    """The device of a card for ``x.cuda()`` where the card's number is None, one with what goes to the card."""
    use = use_where_set(ctx, move)
    if use is None or ctx.target.kind == "project" or mentions_torchscript(ctx):
        return None
    return _defined(ctx, use.literal, shared_anchors(ctx, use))


def _defined(ctx: FileContext, literal: CudaLiteral, anchors: Iterable[Anchor]) -> DeviceChoice | None:
    """A new device, in the first place that takes it."""
    for anchor in anchors:
        torch = torch_name(ctx, anchor.statement, anchor.after)
        if torch is None or visible_devices_set_after(ctx, anchor.statement, anchor.after):
            continue
        expression = _expression(ctx, literal, torch[0])
        if expression is None:
            return None
        test = ctx.target.available(torch[0])
        choice = define_device(ctx, anchor, literal.node, expression, torch[1], test, names_of_card(ctx, literal))
        if choice is not None:
            return choice
    return None


def _on_instance(ctx: FileContext, literal: CudaLiteral) -> DeviceChoice | None:
    """``self.device``, defined in ``__init__`` after ``self.rank``, where the class uses no other card.

    ``self.torch_device`` where ``self.device`` is the number.
    """
    number = index_node(ctx, literal)
    dotted = dotted_name(number) if number is not None else None
    if dotted is None or None in cards(ctx):
        return None
    instance, _, attribute = dotted.partition(".")
    name = "torch_device" if attribute == "device" else "device"
    after = instance_anchor(ctx, Condition(dotted, frozenset({dotted})), literal.node, name)
    uses = [one.literal.node for one, _ in card_uses(ctx) if one.literal.index == literal.index]
    for anchor in (after, above_first_use(ctx, after, uses)) if after is not None else ():
        torch = torch_name(ctx, anchor.statement, anchor.after) if anchor is not None else None
        value = _expression(ctx, literal, torch[0]) if torch is not None else None
        if anchor is None or torch is None or value is None:
            continue
        if visible_devices_set_after(ctx, anchor.statement, anchor.after) or is_made_before_fork(ctx, anchor.statement):
            continue
        edit = anchor.insert(ctx, [f"{instance}.{name} = {value}"])
        if edit is not None and any(is_reached(ctx, anchor, one) for one in uses):
            return DeviceChoice(f"{instance}.{name}", (*torch[1], edit))
    return None


def _of_module(ctx: FileContext, literal: CudaLiteral) -> DeviceChoice | None:
    """The device that statements of the module itself need for the card that one of its functions uses as well."""
    if scopes(ctx).function_of(literal.node) is None or literal.is_constant:
        return None
    same = (one for one, guard in card_uses(ctx) if guard is None and one.literal.index == literal.index)
    use = next((one for one in same if scopes(ctx).function_of(one.literal.node) is None), None)
    for anchor in card_anchors(ctx, use) if use is not None else ():
        choice = _defined(ctx, use.literal, [anchor]) if use is not None else None
        if choice is not None and runs_before(ctx, anchor, literal.node):
            is_free = free_name(ctx, anchor, literal.node, [choice.expression]) is not None
            is_same = is_same_number_in_functions(ctx, index_node(ctx, literal), anchor.statement)
            return choice if choice.edits and is_free and is_same else None
    return None


def _expression(ctx: FileContext, literal: CudaLiteral, torch: str) -> str | None:
    """The value of a card's device."""
    assert literal.index is not None
    if literal.is_constant or (ctx.target.kind == "accelerator" and is_certain_card(ctx, literal)):
        return ctx.target.device_expression(torch, index=literal.index)
    test = ctx.target.available(torch)
    if ctx.target.kind == "accelerator":
        return None
    if is_certain_card(ctx, literal):
        return f'{torch}.device("cuda", {literal.index}) if {test} else {torch}.device("cpu")'
    text = ctx.text_of(literal.node)
    if "\n" in text or literal.kind not in (LiteralKind.STRING, LiteralKind.DEVICE):
        return None
    quote = "'" if "'" in text and '"' not in text else '"'
    if literal.kind is LiteralKind.STRING:
        return f"{torch}.device({text} if {test} else {quote}cpu{quote})"
    return f"{text} if {test} else {torch}.device({quote}cpu{quote})"


def _existing(ctx: FileContext, literal: CudaLiteral) -> str | None:
    """A name whose only value is the device of this card, and which is bound where the card is used."""
    at = literal.node
    for scope in scopes(ctx).enclosing(at):
        for name, found in () if scope.is_class else scope.bindings.items():
            value = found[0].value if len(found) == 1 and found[0].how is How.ASSIGN else None
            held = card_of(ctx, value) if value is not None else None
            if (
                held is None
                or value is None
                or held.index != literal.index
                or any(one is at for one in ctx.tree.below(value))
            ):
                continue
            if scopes(ctx).binder(name, at) is scope and certainly_bound(ctx, name, scope, at):
                if literal.is_constant or _is_same_number(ctx, index_node(ctx, literal), found[0].node, at):
                    return name
    return None


def _is_same_number(ctx: FileContext, number: cst.BaseExpression | None, start: cst.CSTNode, at: cst.CSTNode) -> bool:
    """Whether a number is what it was where a device of it was made, perhaps by the module itself."""
    if scopes(ctx).function_of(start) is None and scopes(ctx).function_of(at) is not None:
        return is_same_number_in_functions(ctx, number, start)
    return is_same_number_between(ctx, number, start, at)


def _constant_anchors(ctx: FileContext, at: cst.CSTNode) -> Iterator[Anchor]:
    """Where the device of a card with a fixed number can be defined, the best place first."""
    top = top_of_script(ctx) if not imports_torch_locally(ctx, at) else None
    function = outermost_function(ctx, at)
    inside = (first_use(ctx, function, at), function_start(ctx, function, at)) if function is not None else ()
    for anchor in (top, *inside, first_use_in_main(ctx, at)):
        if anchor is not None and runs_before(ctx, anchor, at):
            yield _below_other_cards(ctx, anchor)


def _below_other_cards(ctx: FileContext, anchor: Anchor) -> Anchor:
    """The place after the devices of other cards, which a fix has defined here before."""
    block = ctx.tree.parent(anchor.statement) if anchor.after else None
    for statement in statements(block)[_index(block, anchor) + 1 :] if block is not None else ():
        small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
        if not isinstance(small, cst.Assign) or not chooses_device(ctx, small.value):
            break
        anchor = Anchor(anchor.scope, statement)
    return anchor


def _index(block: cst.CSTNode, anchor: Anchor) -> int:
    return next((at for at, one in enumerate(statements(block)) if one is anchor.statement), 0)
