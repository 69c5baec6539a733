"""The default of parameters and options, ``device="cuda"``, where the file may ask for CUDA at its top: one for all."""

from __future__ import annotations

from devlint.analysis.apis.asked_at_import import asks_at_import
from devlint.analysis.apis.forked_processes import forks_processes
from devlint.analysis.cuda.literal_roles import LiteralRole, LiteralUse, literal_uses
from devlint.analysis.devices.cuda_literals import CudaLiteral, LiteralKind, cuda_literal
from devlint.analysis.devices.named_devices import named_device
from devlint.analysis.names.bindings import How
from devlint.analysis.names.resolution import bindings
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import is_script
from devlint.core.diagnostic import Edit
from devlint.fixes.conditional_device import availability_caveat
from devlint.fixes.device.anchors.placement import Anchor, preamble, runs_before, top_of_script
from devlint.fixes.device.anchors.variable_naming import free_name, same_definition
from devlint.fixes.device.choice import define_device
from devlint.fixes.device.load_location import defined_for_placements
from devlint.fixes.torch_import import torch_name
from devlint.syntax.edits import fit_quotes, replace_expression
from devlint.syntax.file_context import FileContext

_NAMES = ("DEFAULT_DEVICE",)
_MOST = 1
"""How many defaults of a file may each say the same: for more, one name is better."""
_ROLES = (LiteralRole.PARAMETER, LiteralRole.OPTION, LiteralRole.FIELD)


def shared_default(ctx: FileContext, use: LiteralUse) -> tuple[Edit, ...] | None:
    """The edits that give a parameter a device that the script has, or that its defaults share; None if too few."""
    is_plain, index = ctx.target.kind == "cuda" and _is_plain(use.literal), use.literal.index
    is_parameter = is_plain and use.role is LiteralRole.PARAMETER and index is None
    known = (_known(ctx, use) or _needed(ctx, use)) if is_parameter else None
    if known is not None:
        own = replace_expression(ctx, use.literal.node, known[0])
        return (own, *known[1]) if own is not None else None
    anchor = _top(ctx) if is_plain else None
    torch = torch_name(ctx, anchor.statement, anchor.after) if anchor is not None else None
    if anchor is None or torch is None or not runs_before(ctx, anchor, use.literal.node):
        return None
    expression = fit_quotes(ctx, use.literal.node, ctx.target.string_expression(torch[0], None, index))
    if expression is None or availability_caveat(ctx, use.literal.node):
        return None
    uses = (one for role in _ROLES for one in literal_uses(ctx, role))
    same = [one for one in uses if _is_plain(one.literal) and one.literal.index == index]
    if len(same) <= _MOST and same_definition(ctx, anchor, expression, use.literal.node) not in _NAMES:
        return None
    choice = define_device(ctx, anchor, use.literal.node, expression, torch[1], names=_NAMES)
    own = replace_expression(ctx, use.literal.node, choice.expression) if choice is not None else None
    return (own, *choice.edits) if choice is not None and own is not None else None


def _top(ctx: FileContext) -> Anchor | None:
    """The end of what a script begins with, or a module that asks for CUDA anyway when it is imported."""
    if forks_processes(ctx) or not (is_script(ctx) or asks_at_import(ctx)):
        return None
    return preamble(ctx)


def _known(ctx: FileContext, use: LiteralUse) -> tuple[str, tuple[Edit, ...]] | None:
    """A name of the module for the same text, or for the choice that DEV103 makes of it, above the function.

    Of a ``torch.device`` its type, which is that text.
    """
    found = named_device(ctx, use.literal.node)
    if found is None or found[1].caveat is not None or found[1].is_string is None or found[1].index is not None:
        return None
    scope, bound = bindings(ctx, found[0], use.literal.node)
    value = bound[0].value if len(bound) == 1 and bound[0].how is How.ASSIGN else None
    if scope is not scopes(ctx).module or value is None:
        return None
    torch = torch_name(ctx, use.literal.node)
    asks = torch is not None and found[1].condition == ctx.target.available(torch[0])
    text = found[0] if found[1].is_string else f"{found[0]}.type"
    return (text, ()) if asks or cuda_literal(ctx, value) is not None else None


def _needed(ctx: FileContext, use: LiteralUse) -> tuple[str, tuple[Edit, ...]] | None:
    """The type of the device that other places need at the top of the script."""
    anchor, at = top_of_script(ctx), use.literal.node
    torch = torch_name(ctx, anchor.statement, anchor.after) if anchor is not None else None
    if anchor is None or torch is None or torch[1] or not runs_before(ctx, anchor, at):
        return None
    for name, edits in defined_for_placements(ctx):
        definition = anchor.insert(ctx, [f"{name} = {ctx.target.device_expression(torch[0])}"])
        if edits == (definition,) and free_name(ctx, anchor, at, [name]) is not None:
            return f"{name}.type", edits
    return None


def _is_plain(literal: CudaLiteral) -> bool:
    """Whether a device is said to be ``"cuda"``, or ``"cuda:0"``."""
    return literal.kind is LiteralKind.STRING and literal.is_constant
