"""What a program does where it could not load tensors to the devices that they were saved from."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda.device_alternatives import has_alternative
from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.names.exception_handling import handlers_around
from devlint.analysis.names.resolution import origin
from devlint.analysis.slots.load_locations import is_load_without_location
from devlint.syntax.file_context import FileContext


def has_other_load(ctx: FileContext, call: cst.Call) -> bool:
    """Whether another branch names another device, or an ``except`` loads the same file there if ``call`` fails."""
    if has_alternative(ctx, call):
        return True
    handlers = handlers_around(ctx, call, "RuntimeError")
    below = (one for handler in handlers for one in ctx.tree.below(handler.body) if isinstance(one, cst.Call))
    return any(_loads_elsewhere(ctx, one, ctx.text_of(call.args[0].value)) for one in below)


def _loads_elsewhere(ctx: FileContext, call: cst.Call, file: str) -> bool:
    """Whether a call loads a file to the CPU, or to where the program says."""
    if origin(ctx, call.func) != "torch.load" or not call.args or ctx.text_of(call.args[0].value) != file:
        return False
    to_card = any(cuda_literal(ctx, one.value) is not None for one in call.args[1:])
    return not to_card and not is_load_without_location(ctx, call)
