"""Whether the number of a card stays the same from where its device is defined to where it is used, and is meant."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from devlint.analysis.devices.card_numbers import is_number
from devlint.analysis.devices.which_device import FUNCTION_INDEX, RUNTIME_INDEX, DeviceValue
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of, is_module, method_of
from devlint.analysis.names.resolution import attributes_named, is_torch, reads_named, targets_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.owners.before_placement import run_by
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.attributes import AttributeAssignment, set_from_outside
from devlint.analysis.project.mentions import USES
from devlint.analysis.project.processes import may_run_with
from devlint.analysis.project.searches import search
from devlint.analysis.transfers.cuda_method_calls import cuda_move
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext

_PLAIN = (cst.Name, cst.Attribute, cst.Integer, cst.BinaryOperation)

_SETTER = "set_device"
_CHANGES_CURRENT_DEVICE = regex(r"(?<!\bdef )set_device|cuda\.device\(|device_of\(")
"""What changes the current device, so that it may no longer be the one with a known index."""
_REPLICATES = regex(r"\bDataParallel\b|\bdata_parallel\(")
_ONE_CARD_EACH = regex(r"\b(?:Accelerator|PartialState)\(")
"""What gives every process of a program the card of its own as the current one."""


def is_same_number_between(
    ctx: FileContext, number: cst.BaseExpression | None, start: cst.CSTNode, end: cst.CSTNode
) -> bool:
    """Whether a number that is computed at ``start`` is what it would be at ``end``, further down."""
    if number is None:
        return False
    parts = [number, *ctx.tree.below(number)]
    unknown = [one for one in parts if isinstance(one, cst.BaseExpression) and not isinstance(one, _PLAIN)]
    if not all(isinstance(one, cst.Subscript) and is_number(ctx, one) for one in unknown):
        return False
    first, last = ctx.span(start).start, ctx.span(end).end
    alone = any(up is start for up in ctx.tree.ancestors(end)) and isinstance(start, cst.SimpleStatementLine)
    alone = alone or _only_moves(ctx, first, last)
    for one in parts:
        if isinstance(one, cst.Name) and not _is_attribute_name(ctx, one):
            owner = scopes(ctx).binder(one.value, number)
            nodes = [bound.node for bound in owner.bindings[one.value]] if owner is not None else []
            if any(first <= ctx.span(node).start < last for node in nodes):
                return False
        if isinstance(one, cst.Attribute) and not (alone or _is_settled(ctx, one, first, last)):
            return False
    return True


def _only_moves(ctx: FileContext, start: int, end: int) -> bool:
    """Whether nothing that could set an attribute stands in a part of the file: no call but ``x.cuda()``, no target."""
    calls = (one for one in ctx.tree.of_type(cst.Call) if start <= ctx.span(one).start < end)
    targets = (one for one in ctx.tree.of_type(cst.AssignTarget) if start <= ctx.span(one).start < end)
    return all(cuda_move(ctx, one) is not None for one in calls) and all(
        isinstance(one.target, cst.Name) for one in targets
    )


def is_same_number_in_functions(ctx: FileContext, number: cst.BaseExpression | None, start: cst.CSTNode) -> bool:
    """Whether a number that the module computes at ``start`` is the same whenever one of its functions computes it."""
    module, first = scopes(ctx).module, ctx.span(start).start
    for one in (number, *ctx.tree.below(number)) if number is not None else ():
        if isinstance(one, cst.Name) and not _is_attribute_name(ctx, one):
            nodes = [bound.node for bound in module.bindings.get(one.value, ())]
            if scopes(ctx).binder(one.value, one) is not module or not _are_above(ctx, nodes, first):
                return False
        if isinstance(one, cst.Attribute) and not _are_above(ctx, targets_named(ctx, ctx.text_of(one)), first):
            return False
    return is_same_number_between(ctx, number, start, ctx.module.body[-1])


def _is_attribute_name(ctx: FileContext, name: cst.Name) -> bool:
    """Whether a name is the last of ``args.gpu``, and no variable."""
    parent = ctx.tree.parent(name)
    return isinstance(parent, cst.Attribute) and parent.attr is name


def _are_above(ctx: FileContext, nodes: Iterable[cst.CSTNode], start: int) -> bool:
    """Whether all of some places are ones of the module itself, and above another one."""
    return all(scopes(ctx).function_of(one) is None and ctx.span(one).start < start for one in nodes)


def _is_settled(ctx: FileContext, attribute: cst.Attribute, start: int, end: int) -> bool:
    """Whether nothing may set an attribute from ``start`` to ``end``: no other file, and nothing that is called."""
    project = project_around(ctx)
    outside = set_from_outside(project, attribute.attr.value)
    if dotted_name(attribute) is None or outside is None or any(_may_run(ctx, one) for one in outside):
        return False
    if (outside or project.root is None) and _hands_on(ctx, attribute, start, end):
        return False
    here = scopes(ctx).function_of(attribute)
    for one in attributes_named(ctx, attribute.attr.value):
        if not isinstance(ctx.tree.parent(one), (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.Element)):
            continue
        function = scopes(ctx).function_of(one)
        is_init = function is not None and function.name.value == "__init__" and function is not here
        before = ctx.span(one).start < start if function is here else not _hands_on(ctx, attribute, start, end)
        if not is_init and not before:
            return False
    return True


def _may_run(ctx: FileContext, setter: AttributeAssignment) -> bool:
    """Whether this file may call what sets an attribute: more than the process that it runs in, ``args.gpu = gpu``."""
    return not setter.worker or setter.worker in ctx.source.text


def _hands_on(ctx: FileContext, attribute: cst.Attribute, start: int, end: int) -> bool:
    """Whether the owner of an attribute is given to a call, or a method of it is called, in a part of the file."""
    owner = (dotted_name(attribute) or "").partition(".")[0]
    for call in ctx.tree.of_type(cst.Call):
        if start <= ctx.span(call).start < end:
            given = any(dotted_name(arg.value) == owner for arg in call.args)
            if given or (dotted_name(call.func) or "").startswith(f"{owner}."):
                return True
    return False


def _changes_current_device(ctx: FileContext) -> bool:
    """Whether this file, or another one that may run with it, may change the current card."""
    return _CHANGES_CURRENT_DEVICE.search(ctx.source.text) is not None or _is_used_beside(ctx, _SETTER)


def _is_used_beside(ctx: FileContext, name: str) -> bool:
    """Whether a file that may run in one process with this one uses a word, as far as anybody knows."""
    project = project_around(ctx)
    found = search(project, USES, name)
    return found is None or may_run_with(project, [one.path for one in found])


def _runs_in_replicas(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether ``DataParallel`` may run ``at`` for other cards, each of which is the current one for its copy.

    So it is in the methods of modules, but for ``__init__``, and in what they call.
    """
    function = scopes(ctx).function_of(at)
    if function is None or not ctx.fact(_has_replicas):
        return False
    if _is_run_by_module(ctx, at):
        return True
    uses = reads_named(ctx, function.name.value) if class_of(ctx, function) is None else []
    return any(_is_run_by_module(ctx, one) for one in uses)


def is_another_card(ctx: FileContext, name: str, value: DeviceValue, at: cst.CSTNode) -> bool:
    """Whether a device of which nothing is known need not be the card that is the current one at a place."""
    return _is_another_in_replicas(ctx, value, at) or _is_below_card(ctx, name, value, at)


def _is_another_in_replicas(ctx: FileContext, value: DeviceValue, at: cst.CSTNode) -> bool:
    """Whether a device that may name a card is the same in all copies of a module, each of which has a card of its own.

    So is what a caller gives, or an option; ``"cuda"`` without a number is the current card.
    """
    definition, method = class_of(ctx, at), method_of(ctx, at)
    if value.index is not None or value.condition is not None or definition is None or method is None:
        return False
    return _runs_in_replicas(ctx, at) and method.name.value in run_by(ctx, definition, {"forward"})


def _is_below_card(ctx: FileContext, name: str, value: DeviceValue, at: cst.CSTNode) -> bool:
    """Whether ``with torch.cuda.device(k):`` chooses a card, and a device of which nothing is known may be another."""
    if value.index is not None or value.condition is not None:
        return False
    blocks = (one for one in ctx.tree.ancestors(at) if isinstance(one, cst.With))
    calls = (item.item for one in blocks for item in one.items if isinstance(item.item, cst.Call))
    cards = (one for one in calls if is_torch(ctx, one.func, "cuda.device"))
    return any(not any(dotted_name(arg.value) == name for arg in one.args) for one in cards)


def _is_run_by_module(ctx: FileContext, node: cst.CSTNode) -> bool:
    definition, method = class_of(ctx, node), method_of(ctx, node)
    is_called = method is not None and method.name.value != "__init__"
    return is_called and definition is not None and is_module(ctx, definition)


def _has_replicas(ctx: FileContext) -> bool:
    """Whether this file, or another one that may run with it, uses ``DataParallel``."""
    return _REPLICATES.search(ctx.source.text) is not None or _is_used_beside(ctx, "DataParallel")


def index_caveat(ctx: FileContext, name: str, value: DeviceValue, index: str | None, at: cst.CSTNode) -> str | None:
    """Why a device may not be the one that is meant at ``at``: the one with ``index``, or the current one."""
    changes_current = ctx.fact(_changes_current_device)
    if value.index == index or (value.index == FUNCTION_INDEX and index is None):
        return None
    if value.index is None:
        return f"`{name}` is the current card, which the program changes" if changes_current else None
    if value.index in (RUNTIME_INDEX, FUNCTION_INDEX):
        return f"`{name}` may be another card than the {'current one' if index is None else f'one named here, {index}'}"
    if value.index != "0" or index is not None:
        return (
            f"`{name}` is card {value.index}, here {'the current one' if index is None else f'card {index}'} is meant"
        )
    changes_current = changes_current or _ONE_CARD_EACH.search(ctx.source.text) is not None
    if changes_current:
        return f"`{name}` is card 0, but the program changes the current card"
    return f"`{name}` is card 0, and `DataParallel` uses others" if _runs_in_replicas(ctx, at) else None
