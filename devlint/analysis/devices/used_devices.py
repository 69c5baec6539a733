"""The names that a file uses as devices: what it gives where torch takes one."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import bindings, origin, uses_of
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.names.string_literals import string_value
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.device_naming import ACCELERATORS_OF_LIBRARY
from devlint.torch_api.libraries import OTHER_DEVICES
from devlint.torch_api.moves import MOVES

_TEXT_OR_DEVICE = frozenset("type index startswith endswith split lower upper strip replace format partition".split())
"""Attributes of devices and of texts that name one."""
_NO_DEVICE = regex(r"(?i)gpu(?:\b|\d)")
_TARGETS = (cst.AssignTarget, cst.For, cst.CompFor, cst.AsName, cst.Element)
_SAY_NOTHING = frozenset("print str repr isinstance type len int id hasattr getattr".split())
"""Functions that are given anything."""


@fact
def names_used_as_device(ctx: FileContext) -> frozenset[str]:
    """Dotted names that the file itself passes where torch takes a device."""
    return frozenset(_given_devices(ctx))


@fact
def _given_devices(ctx: FileContext) -> dict[str, list[cst.BaseExpression]]:
    """What the file passes where torch takes a device, by its dotted name.

    Where a checkpoint is loaded to says nothing: that may be the CPU beside a model on CUDA.
    """
    found: dict[str, list[cst.BaseExpression]] = {}
    for call in ctx.tree.of_type(cst.Call):
        method = call.func.attr.value if isinstance(call.func, cst.Attribute) else None
        called = origin(ctx, call.func) or ""
        if called == "torch.device":
            method = "to"
        if called.partition(".")[0] in OTHER_DEVICES:
            continue
        for position, arg in enumerate(call.args):
            keyword = arg.keyword.value if arg.keyword is not None else None
            in_slot = (keyword == "device" and not _takes_card(ctx, call, keyword)) or (
                keyword is None and position == 0 and not arg.star and method in MOVES
            )
            name = dotted_name(arg.value) if in_slot else None
            if name is not None:
                found.setdefault(name, []).append(arg.value)
    return found


def is_used_as_device(ctx: FileContext, scope: Scope, name: str) -> bool:
    """Whether a variable, this one and none that is called the same, is used as a device.

    It is given to torch as one; or it is handed on, where the file gives one of that name to torch, and never used as
    devices and texts are not.
    """
    if any(scopes(ctx).binder(name, one) is scope for one in _given_devices(ctx).get(name, ())):
        return True
    if name not in {one.rpartition(".")[2] for one in names_used_as_device(ctx)}:
        return False
    uses = uses_of(ctx, scope, name)
    return any(_hands_on(ctx, one) for one in uses) and not any(is_asked_otherwise(ctx, one) for one in uses)


def _hands_on(ctx: FileContext, use: cst.Name) -> bool:
    """Whether a variable is given to a call, or to another name."""
    parent = ctx.tree.parent(use)
    while isinstance(parent, (cst.IfExp, cst.BooleanOperation)):
        parent = ctx.tree.parent(parent)
    if isinstance(parent, cst.Arg):
        call = ctx.tree.parent(parent)
        return isinstance(call, cst.Call) and dotted_name(call.func) not in _SAY_NOTHING
    if isinstance(parent, cst.Element):
        whole = ctx.tree.parent(parent)
        return whole is not None and not isinstance(ctx.tree.parent(whole), _TARGETS)
    return isinstance(parent, (cst.Assign, cst.AnnAssign, cst.Return, cst.DictElement))


def is_asked_otherwise(ctx: FileContext, use: cst.BaseExpression) -> bool:
    """Whether a use says that something is neither a device nor a text that torch knows: ``device.open()``.

    Torch knows no ``"gpu"``, which ``if args.device == "gpu":`` expects.
    """
    parent = ctx.tree.parent(use)
    if isinstance(parent, cst.Comparison) and parent.left is use:
        return any(_NO_DEVICE.match(string_value(one.comparator) or "") for one in parent.comparisons)
    if isinstance(parent, cst.Attribute):
        return parent.attr.value not in _TEXT_OR_DEVICE
    return isinstance(parent, cst.Call) or (isinstance(parent, (cst.For, cst.CompFor)) and parent.iter is use)


@fact
def accelerator_devices(ctx: FileContext) -> frozenset[str]:
    """``accelerator.device`` by the names that the file gives to an ``Accelerator()``, which may not be for the CPU."""
    found: dict[str, bool] = {}
    for assign in ctx.tree.of_type(cst.Assign):
        call = assign.value
        if isinstance(call, cst.Call) and origin(ctx, call.func) in ACCELERATORS_OF_LIBRARY:
            by_choice = any(one.star or (one.keyword is not None and one.keyword.value == "cpu") for one in call.args)
            for target in assign.targets:
                name = dotted_name(target.target) or ""
                found[name] = found.get(name, True) and not by_choice
    return frozenset(f"{name}.device" for name, certain in found.items() if certain and name.isidentifier())


def _takes_card(ctx: FileContext, call: cst.Call, keyword: str) -> bool:
    """Whether a parameter of the file's own function is the number of a card: ``f"cuda:{device}"``, ``device=0``."""
    found = bindings(ctx, call.func.value, call)[1] if isinstance(call.func, cst.Name) else []
    function = found[0].node if len(found) == 1 else None
    if not isinstance(function, cst.FunctionDef):
        return False
    named = [one for one in (*function.params.params, *function.params.kwonly_params) if one.name.value == keyword]
    texts = (one for one in ctx.tree.below(function.body) if isinstance(one, cst.FormattedString))
    return any(isinstance(one.default, cst.Integer) for one in named) or (
        bool(named) and any(f":{{{keyword}}}" in ctx.text_of(one) for one in texts)
    )
