"""``torch.cuda.current_device()`` as a value: what it may be where there is no CUDA."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.visible_devices import may_ask_for_cuda
from devlint.analysis.devices.cuda_literals import CudaLiteral, cuda_literal
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.resolution import origin, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.slots.device_arguments import device_slot
from devlint.analysis.transfers.cuda_method_calls import cuda_move
from devlint.analysis.transfers.storages import storage_lambda
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.conditional_device import conditional_device, needs_parentheses, replace_by_choice
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.device.resolver import resolve_device
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import LOADS

_FSDP = "torch.distributed.fsdp."
_WRAPPERS = frozenset({f"{_FSDP}{where}FullyShardedDataParallel" for where in ("", "fully_sharded_data_parallel.")})
_UNKNOWN = "it may be used for something else than a device"
_PRINTS = frozenset("print debug info warning error".split())


def current_card_fix(ctx: FileContext, call: cst.Call) -> Fix | None:
    """The program's device, the CPU or card 0 for the current card; None where that may be used for something else."""
    uses = _uses(ctx, call)
    found = [_use(ctx, one) for one in uses or ()]
    if not may_ask_for_cuda(ctx, call) or _is_of_conditional_device(ctx, call):
        return None
    if ctx.target.kind == "accelerator":
        return _card_of_any(ctx, call, found)
    choice = resolve_device(ctx, call) if set(found) == {"slot"} and uses == [call] else None
    if choice is not None and not choice.caveat and not choice.needs_parentheses:
        return _by_device(ctx, call, choice)
    located = _as_location(ctx, call, uses or [])
    if located is not None:
        return located
    torch = torch_name(ctx, call)
    other = _other(found) if found and None not in found else None
    written = edits.fit_quotes(ctx, call, other) if other is not None else None
    if torch is None or written is None:
        return None
    text = f" if {torch[0]}.cuda.is_available() else {written}"
    made: list[Edit | None] = [edits.insert_after(ctx, call, text), *torch[1]]
    if needs_parentheses(ctx, call):
        made[:1] = [edits.insert_before(ctx, call, "("), edits.insert_after(ctx, call, f"{text})")]
    return edits.as_fix("Fall back to the CPU where there is no CUDA", made)


def _as_location(ctx: FileContext, call: cst.Call, uses: list[cst.BaseExpression]) -> Fix | None:
    """A device for the current card, which is only where ``torch.load`` puts storages by a function."""
    functions = [one for one in (_storage_function(ctx, use) for use in uses) if one is not None]
    torch = torch_name(ctx, call)
    if torch is None or not uses or len(functions) != len(uses) or ctx.target.kind != "cuda":
        return None
    device = edits.fit_quotes(ctx, call, ctx.target.device_expression(torch[0]))
    if device is None:
        return None
    changes = [edits.replace_outer(ctx, one, ctx.text_of(use)) for one, use in zip(functions, uses)]
    return edits.as_fix("Load to the program's device", [replace_by_choice(ctx, call, device), *changes, *torch[1]])


def _storage_function(ctx: FileContext, card: cst.BaseExpression) -> cst.Lambda | None:
    """``lambda storage, loc: storage.cuda(card)`` around a card."""
    arg = ctx.tree.parent(card)
    owner = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    move = cuda_move(ctx, owner) if isinstance(owner, cst.Call) else None
    function = storage_lambda(ctx, move) if move is not None and move.device is arg and not move.rest else None
    place = ctx.tree.parent(function) if function is not None else None
    return function if isinstance(place, cst.Arg) and _is_location(ctx, place) else None


def _is_location(ctx: FileContext, place: cst.Arg) -> bool:
    """Whether an argument says where ``torch.load`` puts storages."""
    call = ctx.tree.parent(place)
    return isinstance(call, cst.Call) and origin(ctx, call.func) in LOADS and call.args[0] is not place


def _is_of_conditional_device(ctx: FileContext, call: cst.Call) -> bool:
    """Whether the card is written in a device that gets a test for CUDA: ``torch.device(f"cuda:{…}")``."""
    literal = next((one for up in ctx.tree.ancestors(call) if (one := _card_around(ctx, up, call)) is not None), None)
    choice = conditional_device(ctx, literal) if literal is not None else None
    return choice is not None and choice.caveat is None


def _card_around(ctx: FileContext, node: cst.CSTNode, number: cst.BaseExpression) -> CudaLiteral | None:
    """The card that a text or a device names by a number."""
    written = isinstance(node, (cst.Call, cst.FormattedString, cst.BinaryOperation))
    literal = cuda_literal(ctx, node) if written else None
    is_it = literal is not None and literal.index == ctx.text_of(number) and not literal.is_number
    return literal if is_it else None


def _other(found: list[str | None]) -> str | None:
    """What takes the place of the card without CUDA; None where nothing is both a device and a card's number."""
    if {"slot", "number"} <= {*found}:
        return None
    return '"cpu"' if "slot" in found else "0" if set(found) != {"option"} else "None"


def _card_of_any(ctx: FileContext, call: cst.Call, found: list[str | None]) -> Fix | None:
    """The program's device in a slot, and the current card of any accelerator elsewhere."""
    choice = resolve_device(ctx, call) if set(found) == {"slot"} else None
    if choice is not None:
        return _by_device(ctx, call, choice)
    torch = torch_name(ctx, call)
    caveat = None if found and None not in found else _UNKNOWN
    other = _other(found) if caveat is None else '"cpu"' if _is_called_device(ctx, call) else None
    written = edits.fit_quotes(ctx, call, other) if other is not None else None
    is_literals = "number" in found and not isinstance(ctx.tree.parent(call), cst.Assign)
    if torch is None or written is None or is_literals:
        return None
    text = f"{torch[0]}.accelerator.current_device_index() if {ctx.target.available(torch[0])} else {written}"
    message = "Ask for the current card of any accelerator"
    return edits.as_fix(message, [replace_by_choice(ctx, call, text), *torch[1]], caveat)


def _by_device(ctx: FileContext, call: cst.Call, choice: DeviceChoice) -> Fix | None:
    changes = [replace_by_choice(ctx, call, choice.expression), *choice.edits]
    return edits.as_fix(f"Replace by `{choice.expression}`", changes, choice.caveat)


def _is_called_device(ctx: FileContext, call: cst.Call) -> bool:
    """Whether what takes the card is called like a device: ``device=``, ``device_id=``, ``device = …``."""
    parent = ctx.tree.parent(call)
    if isinstance(parent, cst.Assign) and len(parent.targets) == 1:
        return "device" in (dotted_name(parent.targets[0].target) or "").lower()
    return isinstance(parent, cst.Arg) and parent.keyword is not None and "device" in parent.keyword.value.lower()


def _uses(ctx: FileContext, call: cst.Call) -> list[cst.BaseExpression] | None:
    """Where the value goes: the call itself, or all reads of the only name that it is given."""
    statement = ctx.tree.parent(call)
    if not isinstance(statement, cst.Assign):
        return [call]
    target = statement.targets[0].target if len(statement.targets) == 1 else None
    scope = scopes(ctx).binder(target.value, target) if isinstance(target, cst.Name) else None
    if scope is None or not isinstance(target, cst.Name) or not scope.is_function:
        return None
    bound = scope.bindings[target.value]
    if len(bound) != 1 or bound[0].how is not How.ASSIGN:
        return None
    return [one for one in uses_of(ctx, scope, target.value) if one is not target]


def _use(ctx: FileContext, node: cst.BaseExpression) -> str | None:
    """What a value is used for: the ``slot`` of a device, the ``number`` of a card, or to be ``printed``.

    An ``option`` is a card for those who have cards, and else None.
    """
    for child, parent in ctx.tree.path_up(node):
        if _card_around(ctx, parent, node) is not None:
            return "number"
        if isinstance(parent, cst.Call) and isinstance(child, cst.Arg):
            move = cuda_move(ctx, parent)
            named = child.keyword.value if child.keyword is not None else None
            if child.value is node and origin(ctx, parent.func) in _WRAPPERS and named == "device_id":
                return "option"
            if child.value is node and (device_slot(ctx, parent) is child or (move and move.device is child)):
                return "slot" if move is None else "number"
            name = (dotted_name(parent.func) or "").rpartition(".")[2]
            return "printed" if name in _PRINTS else None
        if isinstance(parent, (cst.BaseStatement, cst.BaseSmallStatement)):
            return None
    return None
