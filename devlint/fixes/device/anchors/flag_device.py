"""A device built from a flag that already means "use the GPU": ``torch.device("cuda" if use_cuda else "cpu")``."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.guards.changing_flags import is_target
from devlint.analysis.guards.configured_flags import begins_as_true_elsewhere
from devlint.analysis.guards.cuda_flags import (
    Condition,
    conditions,
    is_availability,
    is_gpu_under,
)
from devlint.analysis.guards.option_flags import set_without_asking
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import attributes_named
from devlint.analysis.names.scopes import scopes
from devlint.fixes.device.anchors.absent_options import asks_for_absent_option
from devlint.fixes.device.anchors.called_device import and_available, called_device, from_flag_of_module, from_function
from devlint.fixes.device.anchors.flag_anchors import (
    after_visible_devices,
    asks_too_early,
    flag_anchor,
)
from devlint.fixes.device.anchors.flag_reach import (
    governs_nothing,
    leaves_moves_alone,
    leaves_others_on_cuda,
    meets_governed,
)
from devlint.fixes.device.anchors.instance_flag_anchor import instance_anchor
from devlint.fixes.device.anchors.late_answers import is_asked_late
from devlint.fixes.device.anchors.left_defaults import leaves_flag
from devlint.fixes.device.anchors.local_flag_anchor import (
    anchor_of_several,
    defines_its_own,
    local_flag_anchor,
    unchanged_use,
    users_of_flag,
)
from devlint.fixes.device.anchors.parallel_models import leaves_data_parallel_on
from devlint.fixes.device.anchors.placement import Anchor, outermost_function
from devlint.fixes.device.anchors.refused_flags import is_refused_without_cuda
from devlint.fixes.device.anchors.unasked_flags import is_unasked
from devlint.fixes.device.anchors.unread_devices import follows_no_flag
from devlint.fixes.device.anchors.variable_naming import NAMES, free_name
from devlint.fixes.device.choice import DeviceChoice, define_device
from devlint.fixes.torch_import import torch_name
from devlint.syntax.edits import fit_quotes
from devlint.syntax.file_context import FileContext, fact


def flag_device(ctx: FileContext, at: cst.CSTNode, guard: Condition | None, index: str | None) -> DeviceChoice | None:
    """A device built from the flag that governs CUDA in this scope; under another flag, a conditional expression."""
    if guard is not None and (leaves_others_on_cuda(ctx, guard, at) or is_asked_late(ctx, guard, at)):
        return None
    chief = _on_instance(ctx, guard, at, index) if guard is not None else None
    imported = _imported_flag(ctx) if chief is None and index is None else None
    if imported is not None and not users_of_flag(ctx, imported):
        chief = _of_imported_flag(ctx, imported, guard, at)
    for condition in (*conditions(ctx), *([guard] if guard is not None else [])):
        if chief is not None:
            break
        if not _decides(ctx, condition, guard, at):
            continue
        if guard is not None or not governs_nothing(ctx, condition, at):
            chief = _on_instance(ctx, condition, at, index)
        anchor = flag_anchor(ctx, condition, at) if chief is None else None
        if anchor is None or (guard is None and leaves_moves_alone(ctx, condition, anchor)):
            continue
        if leaves_data_parallel_on(ctx, condition, anchor) or asks_for_absent_option(ctx, condition, anchor):
            continue
        test, later = _with_availability(ctx, condition, at), after_visible_devices(ctx, anchor, at)
        anchors = (anchor,) if later is None else (anchor, later)
        for shared in (from_function, from_flag_of_module) if index is None else ():
            chief = chief or shared(ctx, anchor, at, condition, test)
        chief = chief or next(filter(None, (define_target_device(ctx, one, at, test, index) for one in anchors)), None)
    if chief is None and guard is not None and guard.names:
        chief = _in_function(ctx, guard, at, index)
    if chief is None and imported is not None:
        chief = _of_imported_flag(ctx, imported, guard, at)
    if guard is None or not guard.names or chief is None or is_gpu_under(ctx, chief.condition, guard, at):
        return chief
    own, torch = _for_several(ctx, guard, at, index), torch_name(ctx, at)
    if own is not None or torch is None:
        return own
    test = _with_availability(ctx, guard, at)
    expression = fit_quotes(ctx, at, ctx.target.string_expression(torch[0], test, index))
    return DeviceChoice(expression, torch[1], True, test) if expression is not None else None


def _decides(ctx: FileContext, condition: Condition, guard: Condition | None, at: cst.CSTNode) -> bool:
    """Whether a flag may decide about what is placed under a guard, or without asking."""
    if not condition.names or leaves_others_on_cuda(ctx, condition, at) or is_asked_late(ctx, condition, at):
        return False
    if guard is None and (condition.is_card or is_unasked(ctx, condition, at) or follows_no_flag(ctx, at)):
        return False
    return guard is not None or not any(leaves_flag(ctx, one, at) for one in condition.names)


def _on_instance(ctx: FileContext, condition: Condition, at: cst.CSTNode, index: str | None) -> DeviceChoice | None:
    """``self.device``, defined in ``__init__`` after ``self.use_cuda``."""
    anchor = instance_anchor(ctx, condition, at)
    torch = torch_name(ctx, anchor.statement, anchor.after) if anchor is not None else None
    if anchor is None or torch is None or leaves_data_parallel_on(ctx, condition, anchor):
        return None
    test = _with_availability(ctx, condition, at)
    if asks_too_early(ctx, anchor, test):
        return None
    expression = f"{next(iter(condition.names)).partition('.')[0]}.device"
    edit = anchor.insert(ctx, [f"{expression} = {ctx.target.device_expression(torch[0], test, index)}"])
    return DeviceChoice(expression, (*torch[1], edit), False, test) if edit is not None else None


def _of_imported_flag(
    ctx: FileContext, condition: Condition, guard: Condition | None, at: cst.CSTNode
) -> DeviceChoice | None:
    """``device = get_device()``, which asks an imported flag that is on by default, also for what asks no flag."""
    function, torch = outermost_function(ctx, at), torch_name(ctx, at)
    if function is None or torch is None or guard not in (None, condition):
        return None
    if scopes(ctx).binder(condition.text.partition(".")[0], at) is not scopes(ctx).module:
        return None
    if guard is None and not meets_governed(ctx, condition, at):
        return None
    anchor = unchanged_use(ctx, condition, function, at)
    if anchor is None or leaves_others_on_cuda(ctx, condition, at) or leaves_data_parallel_on(ctx, condition, anchor):
        return None
    return called_device(ctx, anchor, at, and_available(ctx, condition.text, at))


@fact
def _imported_flag(ctx: FileContext) -> Condition | None:
    """The only flag of a file that another file begins as True, and that nothing here sets."""
    found = []
    for condition in conditions(ctx):
        named = attributes_named(ctx, condition.text.rpartition(".")[2]) if condition.text in condition.names else []
        flags = [one for one in named if dotted_name(one) == condition.text]
        is_set = any(is_target(ctx, one) for one in flags)
        found += [condition] if flags and not is_set and begins_as_true_elsewhere(ctx, flags[0]) else []
    return found[0] if len(found) == 1 else None


def _in_function(ctx: FileContext, guard: Condition, at: cst.CSTNode, index: str | None) -> DeviceChoice | None:
    """A device of the function's own, where its flag gets its value elsewhere: in a configuration, by other files."""
    anchor = local_flag_anchor(ctx, guard, at)
    torch = torch_name(ctx, at)
    if anchor is None or torch is None or leaves_data_parallel_on(ctx, guard, anchor):
        return None
    if asks_for_absent_option(ctx, guard, anchor) or free_name(ctx, anchor, at, NAMES[:1]) is None:
        return None
    asks = "is_available" in guard.text or is_availability(ctx, guard, at)
    test = guard.text if asks else and_available(ctx, guard.text, at)
    shared = from_flag_of_module(ctx, anchor, at, guard, test) if index is None else None
    if shared is None and defines_its_own(ctx, at):
        return define_target_device(ctx, anchor, at, test, index)
    return shared or (from_function(ctx, anchor, at, guard, test) if index is None else None)


def _for_several(ctx: FileContext, guard: Condition, at: cst.CSTNode, index: str | None) -> DeviceChoice | None:
    """A device of the function's own, where it would ask its flag at several moves: most of the file asks another."""
    anchor = anchor_of_several(ctx, at)
    if anchor is None or leaves_data_parallel_on(ctx, guard, anchor) or asks_for_absent_option(ctx, guard, anchor):
        return None
    test = _with_availability(ctx, guard, at)
    shared = from_function(ctx, anchor, at, guard, test) if index is None else None
    return shared or define_target_device(ctx, anchor, at, test, index)


def _with_availability(ctx: FileContext, condition: Condition, at: cst.CSTNode) -> str:
    """The condition, with a test for availability where the program sets the flag without one."""
    torch = torch_name(ctx, at)
    if (
        torch is None
        or "is_available" in condition.text
        or not all(set_without_asking(ctx, dotted, at) for dotted in condition.names)
        or is_refused_without_cuda(ctx, condition, at)
    ):
        return condition.text
    return and_available(ctx, condition.text, at)


def define_target_device(
    ctx: FileContext,
    anchor: Anchor,
    at: cst.CSTNode,
    condition: str | None,
    index: str | None,
    names: Sequence[str] = NAMES,
) -> DeviceChoice | None:
    """``device = …`` at ``anchor``, built from the target and a condition, or from availability."""
    torch = torch_name(ctx, anchor.statement, anchor.after)
    if torch is None or asks_too_early(ctx, anchor, condition):
        return None
    expression = ctx.target.device_expression(torch[0], condition, index)
    return define_device(ctx, anchor, at, expression, torch[1], condition or ctx.target.available(torch[0]), names)
