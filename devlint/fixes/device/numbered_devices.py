"""Devices that may be the number of a card, which ``torch.load`` takes for none of its locations."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.guards.option_flags import arguments_elsewhere
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.given_arguments import Rank, given_arguments
from devlint.analysis.names.resolution import is_torch, targets_named
from devlint.analysis.tensors.none_values import is_entry_of_settings
from devlint.analysis.transfers.cuda_method_calls import cuda_move
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact, fact_of

_GIVE_NUMBERS = ("int", "current_device", "current_device_index", "get_rank", "get_local_rank")
"""Functions that return the number of a card."""
_NUMBER = regex(
    r"(?:.*[._])?(?:rank|gpus?|cards?|cuda|index|idx|ids?|\w*rank|\w*gpu)(?:_\w+|\d+)?(?:\[.*\])?\Z", flags=2
)
"""The name of what may be a number: it is taken for one."""
_NAMING_CARD = (cst.SimpleString, cst.FormattedString, cst.BinaryOperation, cst.Call)
_DIGITS = regex(r"[-+]?\d+\Z|.*\bcurrent_device\(\)\Z")


def may_name_card(ctx: FileContext, device: str) -> bool:
    """Whether a name or an attribute of a file may be the number of a card, by what it is given."""
    return device in _given_to_cuda(ctx) or _is_assigned_number(ctx, device) or _is_given_number(ctx, device)


def goes_to_other_card(ctx: FileContext, device: str) -> bool:
    """Whether the file names a card that it does not make the current one, and that is not the device's own.

    By ``x.cuda(args.gpu)``, or as another fix writes it: ``torch.device("cuda", args.gpu)``.
    """
    calls = (one for one in ctx.tree.of_type(cst.Call) if is_torch(ctx, one.func, "cuda.set_device"))
    chosen = {ctx.text_of(one.args[0].value) for one in calls if one.args}
    assigned = (ctx.tree.parent(one) for one in targets_named(ctx, device))
    own = {_card(ctx, node) for one in assigned if one is not None for node in ctx.tree.below(one)}
    return bool((_given_to_cuda(ctx) | _numbers_of_devices(ctx)) - chosen - own - {device, "0"})


@fact
def _numbers_of_devices(ctx: FileContext) -> frozenset[str]:
    """The numbers in the devices of a file: ``i`` of ``torch.device("cuda", i)`` and ``f"cuda:{i}"``."""
    found = (_card(ctx, node) for kind in _NAMING_CARD for node in ctx.tree.of_type(kind))
    return frozenset(one for one in found if one is not None)


def _card(ctx: FileContext, node: cst.CSTNode) -> str | None:
    literal = cuda_literal(ctx, node) if isinstance(node, _NAMING_CARD) else None
    return literal.index if literal is not None and not literal.is_current else None


@fact
def _given_to_cuda(ctx: FileContext) -> frozenset[str]:
    """What ``x.cuda(card)`` is given."""
    moves = (cuda_move(ctx, call) for call in ctx.tree.of_type(cst.Call))
    return frozenset(ctx.text_of(one.device.value) for one in moves if one is not None and one.device is not None)


@fact_of
def _is_assigned_number(ctx: FileContext, device: str) -> bool:
    """Whether it is assigned the number of a card: ``device = torch.cuda.current_device()``, ``self.device = rank``."""
    return any(
        _is_number(value) or _is_numbered_name(ctx, value) or is_entry_of_settings(value)
        for value in _assigned_values(ctx).get(device, ())
    )


@fact
def _assigned_values(ctx: FileContext) -> dict[str, list[cst.BaseExpression]]:
    """What a file assigns, by the text of each target."""
    found: dict[str, list[cst.BaseExpression]] = {}
    for one in ctx.tree.of_type(cst.Assign):
        for to in one.targets:
            found.setdefault(ctx.text_of(to.target), []).append(one.value)
    return found


def _is_numbered_name(ctx: FileContext, value: cst.BaseExpression) -> bool:
    """Whether a value is a parameter that is given numbers: ``self.device = device``."""
    return isinstance(value, cst.Name) and _is_given_number(ctx, value.value)


@fact_of
def _is_given_number(ctx: FileContext, name: str) -> bool:
    """Whether a parameter of this name is a number by its annotation, its default or what calls give to it."""
    return any(_is_numbered(ctx, one) for one in ctx.tree.of_type(cst.Param) if one.name.value == name)


def _is_numbered(ctx: FileContext, param: cst.Param) -> bool:
    kind = ctx.text_of(param.annotation.annotation) if param.annotation is not None else ""
    if (param.default is not None and _is_number(param.default)) or "int" in kind:
        return True
    if any(isinstance(one, Rank) or _is_number(one) for one in given_arguments(ctx, param) or ()):
        return True
    texts = arguments_elsewhere(ctx, param) or ()
    return any(text is not None and bool(_DIGITS.match(text) or _NUMBER.match(text)) for text in texts)


def _is_number(value: cst.BaseExpression) -> bool:
    """Whether a value is a number, is counted, or is called like the number of a card."""
    if isinstance(value, cst.IfExp):
        return _is_number(value.body) or _is_number(value.orelse)
    if isinstance(value, (cst.Integer, cst.UnaryOperation)):
        return True
    if isinstance(value, cst.BinaryOperation):
        return not isinstance(value.left, (cst.SimpleString, cst.FormattedString))
    if isinstance(value, cst.Call):
        return (dotted_name(value.func) or "").rpartition(".")[2] in _GIVE_NUMBERS
    dotted = dotted_name(value.value if isinstance(value, cst.Subscript) else value)
    return dotted is not None and _NUMBER.match(dotted) is not None
