"""What a program does where it could not load tensors to the devices that they were saved from."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda.device_alternatives import has_alternative
from devlint.analysis.cuda.probes import GOES_ON, fallback
from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.names.control_flow import calls_exit, statements
from devlint.analysis.names.exception_handling import Handler, handlers_around, header_of
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


def goes_on_without(ctx: FileContext, call: cst.Call) -> str | None:
    """Why what cannot be loaded without CUDA must go on failing: the program begins afresh, whatever it says."""
    handler = fallback(ctx, call, _begins_afresh)
    return GOES_ON.format(header_of(ctx, handler)) if handler is not None else None


def _begins_afresh(ctx: FileContext, handler: Handler) -> bool:
    """Whether a handler neither fails as well, by the same load, nor ends the program."""
    below, last = list(ctx.tree.below(handler.body)), statements(handler.body)[-1]
    loads = any(isinstance(one, cst.Call) and is_load_without_location(ctx, one) for one in below)
    return not loads and not (isinstance(last, cst.SimpleStatementLine) and _ends(last.body[-1]))


def _ends(statement: cst.BaseSmallStatement) -> bool:
    """Whether a statement ends the program, if nobody catches it."""
    return isinstance(statement, cst.Raise) or (isinstance(statement, cst.Expr) and calls_exit(statement))


def _loads_elsewhere(ctx: FileContext, call: cst.Call, file: str) -> bool:
    """Whether a call loads a file to the CPU, or to where the program says."""
    if origin(ctx, call.func) != "torch.load" or not call.args or ctx.text_of(call.args[0].value) != file:
        return False
    to_card = any(cuda_literal(ctx, one.value) is not None for one in call.args[1:])
    return not to_card and not is_load_without_location(ctx, call)
