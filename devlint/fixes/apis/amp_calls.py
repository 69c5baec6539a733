"""The arguments of ``autocast`` and ``GradScaler`` rewritten for any device, with the CPU treated as before."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.amp import AUTOCAST, REST, SCALER, AmpUse, amp_uses, may_cast_on_cpu, uses_other_dtype
from devlint.analysis.cuda.mps_devices import may_be_foreign, may_be_mps
from devlint.analysis.devices.block_devices import is_apart_from
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import has_main_part
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.torchscript import is_compiled, mentions_torchscript
from devlint.analysis.owners.chosen_device import chosen_device, parameter_device
from devlint.core.diagnostic import Edit
from devlint.core.record import Record
from devlint.fixes.conditional_device import runs_at_import
from devlint.fixes.device import resolver
from devlint.fixes.device.anchors.first_use import first_use
from devlint.fixes.device.cards.card_above import card_above
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.device.types.device_type import DeviceType, type_of_choice
from devlint.fixes.device.with_block_device import with_block_device
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.edits import replace_expression
from devlint.syntax.file_context import FileContext
from devlint.syntax.line_edits import indentation

_LOOSE = (cst.IfExp, cst.Lambda, cst.NamedExpr, cst.Yield)
_MPS_SINCE = {AUTOCAST: (2, 5), SCALER: (2, 8)}


class AmpArguments(Record):
    """The edits that rewrite the arguments of one call, and why they may change what it does."""

    edits: tuple[Edit, ...]
    caveat: str | None = None


def arguments_for_device(ctx: FileContext, use: AmpUse) -> AmpArguments | None:
    """The arguments of a call for the program's device; None where they are unclear, or there is no device."""
    given, call = use.arguments(), use.call
    if call is None or given is None or (REST in given and "enabled" not in given) or is_compiled(ctx, call):
        return None
    choice = _device(ctx, call, given)
    twice = not _is_off(given) or _is_beside_another(ctx, call)
    found = type_of_choice(ctx, choice, call, twice) if choice is not None else None
    if choice is None or found is None:
        return None
    if runs_at_import(ctx, call) and (found.caveat or (found.edits and has_main_part(ctx))):
        return None
    changes = _changes(ctx, use, call, given, found)
    if changes is None:
        return None
    return AmpArguments((*found.edits, *changes), found.caveat or _caveat(ctx, use, found, choice))


def _device(ctx: FileContext, call: cst.Call, given: dict[str, cst.Arg]) -> DeviceChoice | None:
    """The program's device; where there is none yet, that of a card or of a tensor in the block."""
    choice = resolver.resolve_device(ctx, call, any_card=True)
    made_up = choice is None or choice.edits or choice.caveat or choice.needs_parentheses
    if made_up and ctx.target.kind != "project":
        choice = _chosen(ctx, call) or card_above(ctx, call) or with_block_device(ctx, call, _is_off(given)) or choice
        choice = (_of_given(ctx, call) if choice is not None and choice.edits and not choice.caveat else None) or choice
    if choice is not None and _is_only_given(choice) and is_apart_from(ctx, choice.expression, call):
        return choice.replace(caveat=f"`{choice.expression}` may be another device than that of what runs there")
    return choice


def _chosen(ctx: FileContext, call: cst.Call) -> DeviceChoice | None:
    """``self.device`` that ``__init__`` chooses, even if that is the CPU: there is nothing to cast then."""
    known = chosen_device(ctx, call)
    return DeviceChoice(known[0], (), known[1].is_string) if known is not None else None


def _of_given(ctx: FileContext, call: cst.Call) -> DeviceChoice | None:
    """``model.device`` of a parameter, where a function moves something there above all that uses CUDA."""
    function = scopes(ctx).function_of(call)
    anchor = first_use(ctx, function, call) if function is not None else None
    known = parameter_device(ctx, anchor.statement) if anchor is not None else None
    return DeviceChoice(known, (), None) if known is not None else None


def _is_only_given(choice: DeviceChoice) -> bool:
    """Whether a device is one that an instance is given, of which nothing more is known."""
    known = choice.edits or choice.caveat or choice.condition is not None or choice.needs_parentheses
    return not known and choice.expression.startswith("self.") and choice.expression.count(".") == 1


def _is_beside_another(ctx: FileContext, call: cst.Call) -> bool:
    """Whether the same function casts elsewhere, too."""
    here, uses = scopes(ctx).function_of(call), amp_uses(ctx)
    return any(
        one.call is not None and one.call is not call and scopes(ctx).function_of(one.call) is here for one in uses
    )


def _caveat(ctx: FileContext, use: AmpUse, found: DeviceType, choice: DeviceChoice) -> str | None:
    if use.kind == AUTOCAST and may_cast_on_cpu(ctx):
        return "on the CPU it would end an autocast that the program has for the CPU"
    if use.kind == AUTOCAST and mentions_torchscript(ctx) and scopes(ctx).function_of(use.node) is not None:
        return "TorchScript, which the file mentions, compiles no autocast with a device that is not constant"
    if "cuda" in found.expression or ctx.target.kind == "project":
        return None
    device, is_off = choice.expression, _is_off(use.arguments() or {})
    if not may_be_mps(ctx, device, use.node):
        is_asked = ctx.target.kind == "cuda" and not choice.edits and not is_off
        is_foreign = is_asked and may_be_foreign(ctx, device, use.node)
        return "on another library's device, as XLA's, which the program may use, it was off" if is_foreign else None
    since = _MPS_SINCE[use.kind]
    if ctx.target.torch_min_version < since:
        return f"before torch {since[0]}.{since[1]} there is none for MPS, which the program may use"
    is_as_asked = ctx.target.kind == "accelerator" or is_off
    return None if is_as_asked else "on MPS, which the program may use, it was off before"


def _changes(
    ctx: FileContext, use: AmpUse, call: cst.Call, given: dict[str, cst.Arg], found: DeviceType
) -> list[Edit] | None:
    """The edits of all arguments: the device first, positions that would shift named, ``enabled`` off on the CPU."""
    lead = found.expression if use.kind == SCALER else f"device_type={found.expression}"
    behind = [] if "enabled" in given else [f"enabled={found.not_cpu}"]
    imports: tuple[Edit, ...] = ()
    if use.of_cuda and use.kind == AUTOCAST and "dtype" not in given and uses_other_dtype(ctx) and not _is_off(given):
        torch = torch_name(ctx, call)
        if torch is None or REST in given:
            return None
        behind.append(f"dtype={torch[0]}.float16")
        imports = torch[1]
    slot = None if use.of_cuda else given.get(use.device_slot)
    if slot is not None:
        named = replace_expression(ctx, slot.value, found.expression)
        if named is None:
            return None
        changes = [named]
        lead = ""
    elif not call.args:
        return [edits.replace_arguments(ctx, call, ", ".join([lead, *behind])), *imports]
    else:
        changes = []
    tail = ", ".join(behind)
    for name, arg in given.items():
        front = lead + _comma(ctx, arg) if arg is call.args[0] and lead else ""
        if use.of_cuda and use.kind == AUTOCAST and arg.keyword is None and not arg.star:
            front += f"{name}="
        after = _comma(ctx, arg) + tail if tail and arg is call.args[-1] else ""
        changes += _around(ctx, arg, front, found.not_cpu if name == "enabled" else "", after)
    return [*changes, *imports]


def _comma(ctx: FileContext, arg: cst.Arg) -> str:
    """What separates an argument from a new neighbour: a line break where the argument has its own line."""
    indent = indentation(ctx, arg)
    return ", " if indent is None else f",{ctx.source.newline}{indent}"


def _is_off(given: dict[str, cst.Arg]) -> bool:
    return "enabled" in given and dotted_name(given["enabled"].value) == "False"


def _around(ctx: FileContext, arg: cst.Arg, front: str, not_cpu: str, after: str) -> list[Edit]:
    """``front`` before an argument, ``after`` behind it; ``a or b`` becomes ``(a or b) and device.type != "cpu"``."""
    value = arg.value
    word = dotted_name(value)
    opening, closing = "", after
    changes: list[Edit] = []
    if not_cpu and word == "True":
        changes.append(edits.replace_outer(ctx, value, not_cpu))
    elif not_cpu and word != "False":
        loose = not value.lpar and (isinstance(value, _LOOSE) or _is_or(value))
        opening, closing = ("(", f") and {not_cpu}{after}") if loose else ("", f" and {not_cpu}{after}")
    if arg.keyword is None:
        front, opening = front + opening, ""
    if front:
        changes.append(edits.insert_before_argument(ctx, arg, front))
    if opening:
        changes.append(edits.insert_before(ctx, value, opening))
    return [*changes, edits.insert_after(ctx, value, closing)] if closing else changes


def _is_or(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.BooleanOperation) and isinstance(value.operator, cst.Or)
