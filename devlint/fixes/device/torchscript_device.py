"""A device in code that TorchScript may compile."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.torchscript import is_compiled, may_be_compiled
from devlint.fixes.device.choice import DeviceChoice
from devlint.syntax.file_context import FileContext

NOT_SEEN = "TorchScript, which the file mentions, sees no variable of a module and asks for no CUDA"


def for_torchscript(ctx: FileContext, at: cst.CSTNode, choice: DeviceChoice) -> DeviceChoice | None:
    """The choice where TorchScript may compile the code: only what is local to the function."""
    owner = scopes(ctx).binder(choice.expression.partition(".")[0].partition("[")[0], at)
    if owner is not None and owner.is_function:
        return choice
    if is_compiled(ctx, at):
        return None
    return choice.replace(caveat=choice.caveat or NOT_SEEN) if may_be_compiled(ctx, at) else choice
