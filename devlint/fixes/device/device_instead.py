"""What stands in the place of ``torch.device("cuda")`` where the program has a device, or a tensor at hand, anyway."""

from __future__ import annotations

from collections import Counter

import libcst as cst

from devlint.analysis.cuda.literal_roles import LiteralRole, LiteralUse, literal_uses
from devlint.analysis.devices.cuda_literals import LiteralKind, cuda_literal
from devlint.analysis.guards.cuda_flags import is_only_question
from devlint.analysis.guards.cuda_mentions import cuda_mention_ids, cuda_mentions
from devlint.analysis.names.scopes import scopes
from devlint.analysis.tensors.placed_by_name import partner_of_placed
from devlint.fixes.conditional_device import availability_caveat
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.device.load_location import defined_for_placements
from devlint.fixes.device.resolver import resolve_device
from devlint.fixes.device.shared.shared_function import shared_call
from devlint.fixes.torch_import import torch_name
from devlint.syntax.file_context import FileContext


def device_instead(ctx: FileContext, use: LiteralUse) -> DeviceChoice | None:
    """Another device for what a function is given, or for a function's own name; None where it must ask for CUDA."""
    if use.role is LiteralRole.VALUE:
        return _known_device(ctx, use)
    return _of_partner(ctx, use) or _given_device(ctx, use)


def _of_partner(ctx: FileContext, use: LiteralUse) -> DeviceChoice | None:
    """The device of a tensor that meets all that a function places by its name for the device."""
    statement = ctx.tree.parent(use.node)
    target = statement.targets[0].target if isinstance(statement, cst.Assign) and len(statement.targets) == 1 else None
    is_device = use.literal.kind in (LiteralKind.DEVICE, LiteralKind.STRING) and ctx.target.kind != "project"
    if not is_device or not isinstance(target, cst.Name):
        return None
    expression = partner_of_placed(ctx, target)
    return DeviceChoice(expression) if expression is not None else None


def _known_device(ctx: FileContext, use: LiteralUse) -> DeviceChoice | None:
    """The device that the program has, or that its other places define, for a function that is given CUDA."""
    known = resolve_device(ctx, use.node, use.literal.index)
    if known is None or known.is_string is not False or known.caveat or known.needs_parentheses:
        return None
    if ctx.target.kind == "accelerator":
        is_there = not known.edits or _is_needed_again(ctx, use.node)
        return known if is_there and use.literal.index is None else None
    is_there = not known.edits or (known.expression, known.edits) in defined_for_placements(ctx)
    is_there = is_there or _is_given_again(ctx, use)
    asks = known.condition is not None and is_only_question(ctx, known.condition, use.node)
    asks = asks or _is_written_alike(ctx, known.expression, use)
    return known if is_there and asks and use.literal.kind is LiteralKind.DEVICE else None


def _is_written_alike(ctx: FileContext, name: str, use: LiteralUse) -> bool:
    """Whether a function's name for the device has no value but the same words, which become the same choice."""
    scope = scopes(ctx).binder(name, use.node) if name.isidentifier() and use.literal.is_constant else None
    found = scope.bindings[name] if scope is scopes(ctx).scope_of(use.node) and scope.is_function else ()
    values = [cuda_literal(ctx, one.value) if one.value is not None else None for one in found]
    return bool(values) and all(
        one is not None and one.is_constant and (one.kind, one.index) == (use.literal.kind, use.literal.index)
        for one in values
    )


def _is_given_again(ctx: FileContext, use: LiteralUse) -> bool:
    """Whether the same function, or the module, hands the same device on in another place."""
    return ctx.fact(_given_by_function)[_giver(ctx, use)] > 1


def _given_by_function(ctx: FileContext) -> Counter[tuple[int, str]]:
    """How often each function, or the module, hands on a device of torch that it writes so."""
    return Counter(_giver(ctx, one) for one in literal_uses(ctx, LiteralRole.VALUE))


def _giver(ctx: FileContext, use: LiteralUse) -> tuple[int, str]:
    return id(scopes(ctx).function_of(use.node)), ctx.text_of(use.node)


def _given_device(ctx: FileContext, use: LiteralUse) -> DeviceChoice | None:
    """The call of a function of the module, which it has or other places define, for a function's own ``device``."""
    literal = use.literal
    torch = torch_name(ctx, use.node) if literal.kind is LiteralKind.DEVICE and ctx.target.kind == "cuda" else None
    if torch is None or torch[1] or not literal.is_constant or availability_caveat(ctx, use.node):
        return None
    own = id(scopes(ctx).function_of(use.node))
    if own == id(None) or len(ctx.fact(_mentions_by_function).keys() - {own, id(None)}) < 2:
        return None
    call = shared_call(ctx, use.node, ctx.target.device_expression(torch[0], index=literal.index), shared=True)
    if call is None or not all(any(one in made for _, made in defined_for_placements(ctx)) for one in call[1]):
        return None
    return DeviceChoice(*call)


def _is_needed_again(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether the same function names CUDA in another place, so that a definition serves both."""
    known = cuda_mention_ids(ctx)
    own = sum(id(one) in known for one in ctx.tree.below(node))
    return ctx.fact(_mentions_by_function)[id(scopes(ctx).function_of(node))] > own


def _mentions_by_function(ctx: FileContext) -> Counter[int]:
    """How often each function, or the module, names CUDA."""
    return Counter(id(scopes(ctx).function_of(one)) for one in cuda_mentions(ctx))
