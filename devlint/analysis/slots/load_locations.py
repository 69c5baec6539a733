"""Where ``torch.load`` puts tensors, by its argument ``map_location``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.names.resolution import bindings, origin, sole_value, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.slots.device_arguments import device_slot
from devlint.syntax.call_arguments import keyword_argument, positional_argument
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import LOADS


def is_load_without_location(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call loads tensors to the devices that they were saved from."""
    if origin(ctx, call.func) not in LOADS or not call.args or any(arg.star for arg in call.args):
        return False
    positional = [arg for arg in call.args if arg.keyword is None]
    return len(positional) < 2 and not any(
        arg.keyword is not None and arg.keyword.value == "map_location" for arg in call.args
    )


def locations_beside(ctx: FileContext, call: cst.Call) -> set[str]:
    """The places that other loads of a function, or of the module itself, are told, as they are written."""
    function = scopes(ctx).function_of(call)
    loads = (one for one in ctx.tree.of_type(cst.Call) if one is not call and origin(ctx, one.func) in LOADS)
    beside = (one for one in loads if scopes(ctx).function_of(one) is function)
    given = (keyword_argument(one, "map_location") or positional_argument(one, 1) for one in beside)
    return {ctx.text_of(one.value) for one in given if one is not None}


def map_of_cards(ctx: FileContext, call: cst.Call) -> cst.Dict | None:
    """The dictionary that says to which cards a call loads: ``map_location={"cuda:0": "cuda:1"}``, or a name of it."""
    if origin(ctx, call.func) not in LOADS or any(arg.star for arg in call.args):
        return None
    given = keyword_argument(call, "map_location") or positional_argument(call, 1)
    value = given.value if given is not None else None
    if isinstance(value, cst.Name):
        scope, _ = bindings(ctx, value.value, value)
        uses = uses_of(ctx, scope, value.value) if scope is not None else []
        owners = [device_slot(ctx, one) for use in uses if (one := _call_around(ctx, use)) is not None]
        is_slot = all(one is not None and isinstance(one.value, cst.Name) for one in owners)
        value = sole_value(ctx, value) if is_slot and len(owners) == len(uses) - 1 else None
    if not isinstance(value, cst.Dict):
        return None
    cards = [one.value for one in value.elements if isinstance(one, cst.DictElement)]
    return value if any(cuda_literal(ctx, one) is not None for one in cards) else None


def _call_around(ctx: FileContext, use: cst.CSTNode) -> cst.Call | None:
    """The call that a name is an argument of."""
    arg = ctx.tree.parent(use)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    return call if isinstance(call, cst.Call) else None
