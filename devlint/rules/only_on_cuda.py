"""DEV510: what still means CUDA alone, after all that other rules find."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda.cuda_places import cuda_places
from devlint.rules.base import Rule
from devlint.rules.triggers.device_types import SaysCuda

_LONGEST = 40


class OnlyOnCuda(Rule):
    """What means CUDA and no other accelerator, and that nothing else reports.

    What it does
    ------------
    With ``target = "accelerator"`` or ``"project"``, finds each line that no other rule reports and that says CUDA:
    ``"cuda"``, ``"cuda:0"``, ``"nccl"``, functions of ``torch.cuda``, ``x.cuda()``, ``x.is_cuda``, and decorators of
    tests called after CUDA or GPUs. Guards do not silence it: what stands below ``if torch.cuda.is_available():`` fails
    nowhere, but other accelerators never get there. So it lists what remains to be decided by a person: what a card can
    do, CUDA's own streams and graphs, tests that ask for CUDA by a helper's name, devices told to other projects.

    There is no finding where other accelerators have their own code: in a branch beside theirs, after a test for one of
    them, in a collection that names one. There is none for availability tests and seeds alone, and in what a test
    expects or only pretends.

    Why is this bad?
    ----------------
    It is not, if the line is about CUDA. Otherwise the program, or the test, leaves other accelerators unused.

    Example
    -------
    ```python
    import torch


    def dtype() -> torch.dtype:
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    ```

    Fix safety
    ----------
    There is no fix. The rule is off by default: switch it on (``extend-select = ["DEV510"]``) for a migration, and to
    replace a script that forbids ``torch.cuda`` everywhere; suppress what is meant so.
    """

    code = "DEV510"
    name = "only-on-cuda"
    advice = "Ask for any accelerator, or give the others code of their own; if it is about CUDA, suppress this"
    default = False
    remainder = True
    targets = ("accelerator", "project")
    trigger = SaysCuda()

    def visit_Module(self, node: cst.Module) -> None:
        for place in cuda_places(self.ctx):
            text = self.ctx.one_line_of(place)
            shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
            self.report(place, f"`{shown}` means CUDA, and no other accelerator")
