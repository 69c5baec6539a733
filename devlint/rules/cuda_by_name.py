"""DEV511: CUDA by its name, where torch has a name for any accelerator."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda.cuda_names import cuda_names
from devlint.fixes.apis.generic_streams import generic_streams, is_of_streams
from devlint.rules.base import Rule
from devlint.rules.triggers.device_types import SaysCuda

_LONGEST = 40


class CudaByName(Rule):
    """CUDA by its name, where torch has a name for any accelerator.

    What it does
    ------------
    With ``target = "accelerator"`` or ``"project"``, finds lines that say CUDA, that no other rule reports or fixes
    and for which torch has the same for any accelerator: functions of ``torch.cuda`` that ``torch.accelerator`` or
    ``torch.get_device_module()`` has, streams and events, ``"nccl"``, ``x.cuda()``, ``x.is_cuda``, and ``"cuda"`` where
    it certainly is a device (``device="cuda"``, ``"cuda:0"``, ``device.type == "cuda"``). Guards do not silence
    it: what stands below a test for CUDA fails nowhere, but other accelerators never get there.

    There is no finding where other accelerators have their own code, nor in what is for CUDA alone: in tests that
    are skipped without CUDA (DEV801 is for these), in functions and classes called after CUDA, in files that import
    what only CUDA has (but for Triton), in tests of what CUDA alone has (``torch.cuda.set_sync_debug_mode``), beside
    CUDA graphs, and where the program says that it needs CUDA. DEV510, which is off by default,
    lists these, too, and what only CUDA has.

    Why is this bad?
    ----------------
    The program leaves other accelerators unused, or treats them as the CPU.

    Example
    -------
    ```python
    import torch


    def copied(x: torch.Tensor, stream: torch.cuda.Stream) -> torch.Tensor:
        with torch.cuda.stream(stream):
            return x.clone()
    ```

    Use instead:
    ```python
    import torch


    def copied(x: torch.Tensor, stream: torch.Stream) -> torch.Tensor:
        with torch.get_device_module().stream(stream):
            return x.clone()
    ```

    Fix safety
    ----------
    Streams and events of a file become those of any accelerator together, or not at all; unsafe, since other
    accelerators' streams may lack something, and functions of other files may expect CUDA's. There is no fix for all
    else, because it has to change together with what it depends on.
    """

    code = "DEV511"
    name = "cuda-by-name"
    advice = "Say what is meant for any accelerator, or give the others code of their own"
    remainder = True
    targets = ("accelerator", "project")
    trigger = SaysCuda()

    def visit_Module(self, node: cst.Module) -> None:
        for one in cuda_names(self.ctx):
            text = self.ctx.one_line_of(one.node)
            shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
            fix = generic_streams(self.ctx) if is_of_streams(self.ctx, one.node) else None
            self.report(one.node, f"`{shown}` is for CUDA alone; for any accelerator there is {one.instead}", fix)
