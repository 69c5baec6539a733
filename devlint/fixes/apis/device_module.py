"""Functions that each accelerator has in a module of its own: ``torch.get_device_module()`` in place of torch.cuda."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.names.resolution import origin
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.apis.card_counts import counted_argument
from devlint.fixes.guard_statements import statement_of, under_guard
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.edits import replace_expression
from devlint.syntax.file_context import FileContext
from devlint.torch_api.cuda_members import Member

IN_MODULES = frozenset({"get_device_name", "get_device_properties", "get_rng_state", "set_rng_state"})
"""What more accelerators than CUDA have in their modules, and torch.accelerator has not."""
_CAVEAT = "not every accelerator has it"


def module_fix(ctx: FileContext, call: cst.Call, member: Member) -> Fix | None:
    """The same call of the accelerator's own module; None where the call is told a device of CUDA's in words."""
    torch, argument = torch_name(ctx, call), counted_argument(ctx, call)
    if ctx.target.kind != "accelerator" or member.name not in IN_MODULES or torch is None or argument is None:
        return None
    if member.name == "set_rng_state" and ctx.fact(_keeps_state_of_cuda):
        return None
    text = f"{torch[0]}.get_device_module().{member.name}({argument})"
    made: list[Edit | None] = [replace_expression(ctx, call, text), *torch[1]]
    statement = statement_of(ctx, call)
    if statement is not None:
        made += under_guard(ctx, statement, ctx.target.available(torch[0])) or [None]
    return edits.as_fix("Call the module of the accelerator", made, _CAVEAT)


def _keeps_state_of_cuda(ctx: FileContext) -> bool:
    """Whether a file takes a state of random numbers below a test for CUDA, so that only CUDA can be given it back."""
    calls = (one for one in ctx.tree.of_type(cst.Call) if origin(ctx, one.func) == "torch.cuda.get_rng_state")
    return any(runs_guarded(ctx, one) for one in calls)
