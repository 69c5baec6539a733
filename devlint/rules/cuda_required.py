"""DEV509: a program that stops without CUDA, whatever else is made portable."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.cuda_only_code import is_chosen, needs_cuda
from devlint.analysis.guards.early_exits import passed_test
from devlint.analysis.guards.implications import torch_says_cuda
from devlint.analysis.guards.questions import TORCH_SAYS_CUDA
from devlint.analysis.names.control_flow import branches, exits, stops
from devlint.analysis.names.resolution import is_torch, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import is_script
from devlint.rules.base import Rule
from devlint.rules.triggers.names import Call
from devlint.rules.triggers.uses import may_stop_script
from devlint.syntax.file_context import FileContext, fact


class CudaRequired(Rule):
    """A program that stops without CUDA.

    What it does
    ------------
    Finds the first place where a script stops because ``torch.cuda.is_available()`` is false, or
    ``torch.cuda.device_count()`` is 0: ``assert``, ``raise`` or ``sys.exit()``, at the top of the script or in a
    function that it calls there. Modules that are imported are not reported, nor are scripts that import CUDA kernels
    (Triton, flash-attn, Apex, …), which need CUDA in any case, nor tests that are skipped, nor what stops only if the
    user has asked for CUDA (``if args.device == "cuda":``).

    Why is this bad?
    ----------------
    With the other rules' fixes the program may run on the CPU, and still refuses to.

    Example
    -------
    ```python
    import torch

    assert torch.cuda.is_available(), "a GPU is needed"
    print(torch.ones(2).cuda())
    ```

    Fix safety
    ----------
    There is no fix: somebody must decide whether the program is for CUDA alone. If it is, suppress the finding.
    """

    code = "DEV509"
    name = "cuda-required"
    advice = "Let the program run on the CPU; or, if it is for CUDA alone, suppress this"
    trigger = (Call("torch.cuda", "is_available") | Call("torch.cuda", "device_count")).where(may_stop_script)

    def check(self, node: cst.Call) -> None:
        if self.ctx.fact(_first_requirement) is node:
            self.report(node, "The program stops here without CUDA: decide whether it may run on the CPU")


@fact
def _first_requirement(ctx: FileContext) -> cst.Call | None:
    """The first test for CUDA without which a script stops."""
    if not is_script(ctx) or needs_cuda(ctx):
        return None
    calls = ctx.tree.of_type(cst.Call)
    asked = (one for one in calls if is_torch(ctx, one.func, "cuda.is_available", "cuda.device_count"))
    stopping = (one for one in asked if _stops_without(ctx, one) and _runs_with_the_script(ctx, one))
    found = (one for one in stopping if not is_chosen(ctx, _statement_of(ctx, one)))
    return min(found, key=lambda one: ctx.span(one).start, default=None)


def _stops_without(ctx: FileContext, call: cst.Call) -> bool:
    """Whether the program stops where a call says no: ``assert call``, ``if not call: raise``, ``assert call > 0``."""
    owner = next(
        (one for one in ctx.tree.ancestors(call) if isinstance(one, (cst.If, cst.Assert, cst.BaseSuite))), None
    )
    if isinstance(owner, cst.Assert):
        return torch_says_cuda(ctx, owner.test)
    while isinstance(above := ctx.tree.parent(owner) if owner is not None else None, cst.If) and above.orelse is owner:
        owner = above
    if not isinstance(owner, cst.If) or passed_test(ctx, owner, TORCH_SAYS_CUDA) is None:
        return False
    leaving = [one for one in branches(owner) if exits(one)]
    return all(stops(one) and "skip" not in ctx.text_of(one).lower() for one in leaving)


def _statement_of(ctx: FileContext, call: cst.Call) -> cst.CSTNode:
    """The ``if`` or ``assert`` that asks."""
    return next(one for one in ctx.tree.ancestors(call) if isinstance(one, (cst.If, cst.Assert)))


def _runs_with_the_script(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a script runs code itself: outside of functions, or in one that it calls there."""
    function = scopes(ctx).function_of(node)
    if function is None:
        return True
    module = scopes(ctx).module
    if ctx.tree.parent(function) is not ctx.module:
        return False
    uses = uses_of(ctx, module, function.name.value)
    called = (one for one in uses if isinstance(call := ctx.tree.parent(one), cst.Call) and call.func is one)
    return any(scopes(ctx).function_of(one) is None for one in called)
