"""DEV507: a call of torch.cuda that does nothing on other accelerators."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.seeds import CUDA_SEEDS, redundant_seed_edits
from devlint.analysis.cuda.cuda_surroundings import has_counterparts
from devlint.analysis.guards.availability_flow import AVAILABLE
from devlint.analysis.names.resolution import origin
from devlint.fixes.apis.accelerator_counterparts import CARDS, counterpart_fix
from devlint.fixes.apis.card_counts import says_what_is_visible
from devlint.fixes.apis.device_module import IN_MODULES, module_fix
from devlint.fixes.configured_calls import configured_call, configured_call_edits
from devlint.rules.base import Rule
from devlint.rules.triggers.names import Member
from devlint.syntax import edits
from devlint.torch_api.cuda_members import OnCpu, cuda_member


class CudaOnlyHarmless(Rule):
    """A call of torch.cuda that does nothing on other accelerators.

    What it does
    ------------
    With ``target = "accelerator"``, finds the calls of ``torch.cuda`` that are harmless without CUDA but have no
    effect on other accelerators: ``empty_cache``, ``manual_seed``, ``manual_seed_all``, ``device_count``,
    ``memory_allocated`` and the like. With ``target = "project"``, finds every call that the setting ``calls`` names,
    such as ``"torch.cuda.empty_cache" = "backend_empty_cache(torch_device)"``.

    Why is this bad?
    ----------------
    The program runs on other accelerators, but does not seed them, free their memory or count them.

    Example
    -------
    ```python
    import torch

    torch.manual_seed(0)
    torch.cuda.manual_seed_all(0)


    def report():
        torch.cuda.empty_cache()
        print(torch.cuda.max_memory_allocated())
    ```

    Use instead:
    ```python
    import torch

    torch.manual_seed(0)


    def report():
        if torch.accelerator.is_available():
            torch.accelerator.empty_cache()
        print(torch.accelerator.max_memory_allocated() if torch.accelerator.is_available() else 0)
    ```

    Fix safety
    ----------
    Safe: ``torch.manual_seed`` seeds all devices, and on CUDA ``torch.accelerator`` does the same as ``torch.cuda``; on
    the CPU its functions raise an error, so they are put under a test. If a test ``torch.cuda.is_available()`` guards
    nothing else of CUDA's, it changes together with them. Unsafe if their values are used, or if a test of the project
    replaces the function (``patch("torch.cuda.empty_cache")``) and would not see the call. There is no fix for
    ``device_count`` as long as the file needs CUDA elsewhere, since what is counted may be used as a card of CUDA, and
    none below ``device.type == "cuda"`` and ``with torch.cuda.device(…)``, which would have to change, too. A seed
    without ``torch.manual_seed`` next to it is only reported, and so is a function that the oldest supported torch does
    not have (memory functions exist since 2.9).
    """

    code = "DEV507"
    name = "cuda-only-harmless"
    advice = "Call what `torch.accelerator` or the project has for any device, under a test that there is one"
    targets = ("accelerator", "project")
    trigger = Member("torch.cuda")

    def visit_Call(self, node: cst.Call) -> None:
        own = configured_call(self.ctx, node)
        if own is not None and own.function == AVAILABLE:
            return  # what it decides over must change with it: DEV801 does that for tests
        if own is not None:
            made = configured_call_edits(self.ctx, node, own)
            fix = None if made is None else edits.as_fix("Call the project's own function", made)
            self.report(node, f"`{own.function}` is for CUDA only, and this project has its own", fix)
        elif self.ctx.target.kind == "accelerator":
            self._check(node)

    def _check(self, node: cst.Call) -> None:
        called = origin(self.ctx, node.func)
        if called in CUDA_SEEDS:
            made = redundant_seed_edits(self.ctx, node)
            seeds = "`torch.manual_seed` seeds all devices" if made else "Only CUDA is seeded"
            fix = None if made is None else edits.as_fix("Drop the seed that sets nothing new", made)
            self.report(node, f"{seeds}; `{called}` is for CUDA only", fix)
            return
        member = cuda_member(called)
        if member is None or member.on_cpu is not OnCpu.HARMLESS or has_counterparts(self.ctx, node):
            return
        if member.name in IN_MODULES:
            message = f"`{called}` does nothing on other accelerators; their own modules have it"
            self.report(node, message, module_fix(self.ctx, node, member))
        if (member.counterpart or "").startswith("accelerator.") and member.name != "is_available":  # DEV508 asks that
            if member.name != CARDS or not says_what_is_visible(self.ctx, node):
                message = f"`{called}` does nothing on other accelerators; `torch.{member.counterpart}` does"
                self.report(node, message, counterpart_fix(self.ctx, node, member))
