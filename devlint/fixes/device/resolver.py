"""Where the device comes from: the resolver that every fix uses.

In this order: what an nn.Module knows of itself; a device the program already has; a flag that already means "use the
GPU"; the module's parameters; a device that another file of the project exports; in a library, a tensor that what is
placed certainly meets; else a definition of its own, once, in the place a careful author would choose.
"""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.amp import amp_uses, is_in_oldest_torch
from devlint.analysis.apis.process_groups import starts_nccl_first
from devlint.analysis.cuda.constant_flags import is_never_true
from devlint.analysis.cuda.probes import handled_otherwise
from devlint.analysis.devices.device_conditions import condition_under, devices_at
from devlint.analysis.devices.ignored_devices import ignored_caveat
from devlint.analysis.devices.none_devices import is_of_missing
from devlint.analysis.guards.cuda_flags import Condition, as_condition, is_gpu_under
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.legacy_types.placed_types import placed_types
from devlint.analysis.names.classes import method_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import is_script
from devlint.analysis.names.torchscript import is_compiled, may_be_compiled, mentions_torchscript
from devlint.analysis.owners.module_device import input_device, weight_device
from devlint.analysis.slots.given.given_otherwise import otherwise_caveat
from devlint.analysis.tensors.partners import partner_device
from devlint.analysis.transfers.moves_for_cuda import stays_below_test
from devlint.analysis.transfers.overridden_moves import OWN_MOVES, overriding_class
from devlint.analysis.transfers.placements import placements
from devlint.fixes.conditional_device import stays_cuda
from devlint.fixes.device.anchors.first_use import first_use, first_use_in_main, is_for_main_part
from devlint.fixes.device.anchors.flag_anchors import asks_too_early
from devlint.fixes.device.anchors.flag_device import define_target_device, flag_device
from devlint.fixes.device.anchors.left_defaults import leaves_default
from devlint.fixes.device.anchors.parallel_models import is_on_sole_card, leaves_parallel_model
from devlint.fixes.device.anchors.placement import (
    Anchor,
    function_start,
    outermost_function,
    runs_before,
    top_of_script,
)
from devlint.fixes.device.anchors.unread_devices import is_not_meant
from devlint.fixes.device.anchors.variable_naming import NAMES, free_name
from devlint.fixes.device.cards.card_anchors import use_where_set
from devlint.fixes.device.cards.card_device import device_where_unset
from devlint.fixes.device.cards.card_stability import index_caveat, is_another_card
from devlint.fixes.device.choice import DeviceChoice, called_or_inline, define_device, has_no_definition
from devlint.fixes.device.class_device import class_device, places_to_ask
from devlint.fixes.device.configured_device import configured_device
from devlint.fixes.device.guarding_devices import decides_otherwise, of_guarding_device, of_guarding_tensor
from devlint.fixes.device.later_device import later_device
from devlint.fixes.device.project_device import imported_device
from devlint.fixes.device.second_device import beside_other, is_beside_other, is_beside_scripts, with_local_device
from devlint.fixes.device.shared.shared_function import function_with_uses, is_sole_placement, shared_call
from devlint.fixes.device.torchscript_device import for_torchscript
from devlint.fixes.torch_import import imports_torch_locally, torch_name
from devlint.syntax.file_context import FileContext, fact


def resolve_device(
    ctx: FileContext, at: cst.CSTNode, index: str | None = None, any_card: bool = False
) -> DeviceChoice | None:
    """The device for what the program puts on a GPU at ``at``; None where there is no place for one.

    ``index`` is the card where the program named one ("0"); with ``any_card`` it does not matter which card it is.
    """
    choice = _choose(ctx, at, index, any_card)
    owner = overriding_class(ctx, at) if choice is not None and choice.caveat is None else None
    if choice is not None and owner is not None:
        choice = choice.replace(caveat=OWN_MOVES.format(owner))
    if choice is not None and choice.caveat is None:
        fails = handled_otherwise(ctx, at) if not any_card else None  # an autocast for CUDA fails nowhere
        choice = choice.replace(caveat=decides_otherwise(ctx, at, choice) or fails)
    if choice is not None and choice.caveat is None and not any_card:
        choice = beside_other(ctx, at, choice) or choice
    return for_torchscript(ctx, at, choice) if choice is not None and mentions_torchscript(ctx) else choice


def _choose(ctx: FileContext, at: cst.CSTNode, index: str | None, any_card: bool) -> DeviceChoice | None:
    """The device for ``at`` as Python runs it."""
    if ctx.target.kind == "project":
        return configured_device(ctx, at)
    beside, asked = of_guarding_tensor(ctx, at), of_guarding_device(ctx, at, index)
    if beside is not None or (asked is not None and asked.expression.isidentifier()):
        return beside or asked
    guard = _guard_condition(ctx, at)
    return (
        (_of_module_input(ctx, at) if guard is None else None)
        or asked
        or (device_where_unset(ctx, at) if guard is None else None)
        or _existing_device(ctx, at, guard, index, any_card)
        or (_of_partner(ctx, at, index) if guard is not None and not is_script(ctx) else None)
        or _of_flag(ctx, at, guard, index)
        or (_of_partner_or_weight(ctx, at, index) if guard is None else None)
        or (imported_device(ctx, at, index) if guard is None or not guard.names else None)
        or (later_device(ctx, at, guard) if index is None else None)
        or _new_definition(ctx, at, index)
    )


def _of_flag(ctx: FileContext, at: cst.CSTNode, guard: Condition | None, index: str | None) -> DeviceChoice | None:
    """The device of a flag, but in a function whose script gets one for other places that says the same."""
    choice, anchor = flag_device(ctx, at, guard, index), top_of_script(ctx)
    if choice is None or anchor is None or index is not None or not is_beside_scripts(ctx, at, choice, anchor):
        return choice
    return choice if not _without_device(ctx) or _has_own(ctx, anchor, at) else None


def _guard_condition(ctx: FileContext, at: cst.CSTNode) -> Condition | None:
    """The condition of the innermost guard that is one."""
    found = (as_condition(ctx, guard.test, guard.holds) for guard in guards_of(ctx, at))
    return next((condition for condition in found if condition is not None), None)


def _of_module_input(ctx: FileContext, at: cst.CSTNode) -> DeviceChoice | None:
    """``x.device`` of a tensor parameter of an nn.Module's method."""
    expression = input_device(ctx, at)
    return DeviceChoice(expression) if expression else None


def _existing_device(
    ctx: FileContext, at: cst.CSTNode, guard: Condition | None, index: str | None, any_card: bool
) -> DeviceChoice | None:
    """A device the program has (a local one, the instance's, an enclosing scope's) that agrees with the guard."""
    for name, value in devices_at(ctx, at):
        condition = condition_under(ctx, name, value.condition, guard, at)
        if guard is None and (leaves_parallel_model(ctx, name, condition, at) or leaves_default(ctx, name, at)):
            continue
        if guard is None and is_not_meant(ctx, name, value, at):
            continue
        if is_on_sole_card(ctx, guard, at):
            continue
        if is_never_true(ctx, condition or "", at) and not any(guards_of(ctx, at)):
            continue
        if is_of_missing(ctx, name, at) or is_another_card(ctx, name, value, at):
            continue
        if guard is None or not guard.names or value.condition is None or is_gpu_under(ctx, condition, guard, at):
            caveat = value.caveat or (None if any_card else index_caveat(ctx, name, value, index, at))
            caveat = caveat or (ignored_caveat(ctx, name, value, at) if index is None and not any_card else None)
            caveat = caveat or stays_cuda(ctx, name, at) or otherwise_caveat(ctx, name, value, at, any_card)
            return DeviceChoice(name, (), value.is_string, condition, caveat)
    return None


def _of_partner_or_weight(ctx: FileContext, at: cst.CSTNode, index: str | None) -> DeviceChoice | None:
    """The device of a tensor that a module's method has at hand, else of the module's own parameters."""
    weight = _of_module_weight(ctx, at)
    return (_of_partner(ctx, at, index) or weight) if weight is not None else None


def _of_module_weight(ctx: FileContext, at: cst.CSTNode) -> DeviceChoice | None:
    """The device of an nn.Module's own parameters, in a library that has no other."""
    expression = None if is_script(ctx) else weight_device(ctx, at)
    method = method_of(ctx, at)
    if expression is None or method is None:
        return None
    anchor = first_use(ctx, method, at) if not is_sole_placement(ctx, at) else None
    return (define_device(ctx, anchor, at, expression) if anchor is not None else None) or DeviceChoice(expression)


def _new_definition(ctx: FileContext, at: cst.CSTNode, index: str | None) -> DeviceChoice | None:
    """A new definition: at module level in a script, in the function of a library, else a conditional expression."""
    anchor = top_of_script(ctx) if not imports_torch_locally(ctx, at) else None
    main = first_use_in_main(ctx, at) if is_for_main_part(ctx) else None
    place = main if scopes(ctx).function_of(at) is not None else None
    if main is None and anchor is not None and runs_before(ctx, anchor, at) and not _has_own(ctx, anchor, at):
        place = anchor
    names = _names_free_at_all(ctx) if place is anchor else NAMES
    choice = define_target_device(ctx, place, at, None, index, names) if place is not None else None
    if choice is not None:
        return choice
    partner = _of_partner(ctx, at, index) if main is None else None
    if partner is not None:
        return partner
    of_class = class_device(ctx, at, _functions_without_device(ctx)) if index is None else None
    if of_class is not None:
        return of_class
    function = function_with_uses(ctx, at)
    in_function = (first_use(ctx, function, at), function_start(ctx, function, at)) if function is not None else ()
    for local in filter(None, in_function):
        choice = _from_function(ctx, local, at, index) or define_target_device(ctx, local, at, None, index)
        if choice is not None:
            return choice
    main, choice = first_use_in_main(ctx, at), None
    if main is not None:
        choice = _from_function(ctx, main, at, index) or define_target_device(ctx, main, at, None, index)
    return choice or called_or_inline(ctx, at, index, _is_asked_by_several(ctx))


@fact
def _names_free_at_all(ctx: FileContext) -> list[str]:
    """The names for a device at the top of a script, those first that are free wherever the script needs one."""
    anchor = top_of_script(ctx)
    if anchor is None:
        return [*NAMES]
    needed = _places_without_device(ctx)
    return sorted(NAMES, key=lambda name: any(free_name(ctx, anchor, one, [name]) is None for one in needed))


def _has_own(ctx: FileContext, anchor: Anchor, at: cst.CSTNode) -> bool:
    """Whether a function of a script gets a device of its own: ``device`` is something else's, or another function's.

    Nobody would write a second name beside it for one function, nor a name that the other function hides.
    """
    function, needed = outermost_function(ctx, at), _without_device(ctx)
    local = function_start(ctx, function, at) if function is not None else None
    if local is None or len(needed) > 1 or None in needed or free_name(ctx, local, at, NAMES[:1]) is None:
        return False
    return free_name(ctx, anchor, at, NAMES[:1]) is None or any(
        one is not local.scope for one in with_local_device(ctx)
    )


def _of_partner(ctx: FileContext, at: cst.CSTNode, index: str | None) -> DeviceChoice | None:
    """``x.device`` of a tensor that the function has and that what it places meets, where it is given no device.

    What a flag moves meets it in both cases, so it is what the flag says.
    """
    expression, guard = partner_device(ctx, at) if index is None else None, _guard_condition(ctx, at)
    return DeviceChoice(expression, condition=guard.text if guard else None) if expression is not None else None


def _from_function(ctx: FileContext, anchor: Anchor, at: cst.CSTNode, index: str | None) -> DeviceChoice | None:
    """``device = get_device()`` where several functions of the module would each define the same device."""
    torch = torch_name(ctx, anchor.statement, anchor.after)
    if torch is None or torch[1] or index is not None or may_be_compiled(ctx, at):
        return None
    if asks_too_early(ctx, anchor, None):
        return None
    call = shared_call(ctx, at, ctx.target.device_expression(torch[0]), _is_asked_by_several(ctx))
    if call is None:
        return None
    if is_sole_placement(ctx, at):
        return DeviceChoice(*call, condition=ctx.target.available(torch[0]))
    return define_device(ctx, anchor, at, call[0], call[1], ctx.target.available(torch[0]))


def _functions_without_device(ctx: FileContext) -> list[cst.FunctionDef]:
    """The functions of the module that place something and have nothing to tell them where."""
    return [one for one in _without_device(ctx) if one is not None]


@fact
def _is_asked_by_several(ctx: FileContext) -> bool:
    """Whether more than one place would ask a function that gives the device."""
    inline = sum(has_no_definition(ctx, one) for one in _places_without_device(ctx))
    return places_to_ask(ctx, _functions_without_device(ctx)) + inline > 1


@fact
def _without_device(ctx: FileContext) -> list[cst.FunctionDef | None]:
    """The same, and None where the module itself places something so."""
    return list(dict.fromkeys(outermost_function(ctx, at) for at in _places_without_device(ctx)))


@fact
def _places_without_device(ctx: FileContext) -> list[cst.CSTNode]:
    """The places of a module that need a device and have nothing to tell them which."""
    found = []
    casts = (one for one in amp_uses(ctx) if one.names_cuda() and is_in_oldest_torch(ctx, one.kind))
    types = (one.choice for one in placed_types(ctx))
    legacy = (one.node if one.test is None else one.cuda_node for one in types)
    for at in (*placements(ctx), *legacy, *(one.call for one in casts if one.call is not None)):
        guard = _guard_condition(ctx, at)
        if ctx.target.kind == "cuda" and (stays_below_test(ctx, at) or starts_nccl_first(ctx, at)):
            continue
        known = guard is None and (_of_module_input(ctx, at) or use_where_set(ctx, at) or _of_module_weight(ctx, at))
        known = known or of_guarding_tensor(ctx, at) or of_guarding_device(ctx, at) or later_device(ctx, at, guard)
        known = known or _existing_device(ctx, at, guard, None, False) or _of_partner(ctx, at, None)
        if known or is_compiled(ctx, at) or is_beside_other(ctx, at):
            continue
        if flag_device(ctx, at, guard, None) is None:
            found.append(at)
    return found
