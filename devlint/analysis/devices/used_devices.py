"""The names that a file uses as devices: what it gives where torch takes one."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import bindings, origin
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.device_naming import ACCELERATORS_OF_LIBRARY
from devlint.torch_api.moves import MOVES


@fact
def names_used_as_device(ctx: FileContext) -> frozenset[str]:
    """Dotted names that the file itself passes where torch takes a device."""
    found = set()
    for call in ctx.tree.of_type(cst.Call):
        method = call.func.attr.value if isinstance(call.func, cst.Attribute) else None
        if origin(ctx, call.func) == "torch.device":
            method = "to"
        for position, arg in enumerate(call.args):
            keyword = arg.keyword.value if arg.keyword is not None else None
            in_slot = (keyword in ("device", "map_location") and not _takes_card(ctx, call, keyword)) or (
                keyword is None and position == 0 and not arg.star and method in MOVES
            )
            name = dotted_name(arg.value) if in_slot else None
            if name is not None:
                found.add(name)
    return frozenset(found)


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
