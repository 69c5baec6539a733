"""DEV502: automatic mixed precision that only CUDA has."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.amp import (
    AUTOCAST,
    AmpUse,
    amp_uses,
    is_fallback,
    is_in_oldest_torch,
    is_only_named,
    is_told_for_cpu_too,
)
from devlint.analysis.cuda.device_alternatives import has_alternative
from devlint.analysis.guards.cuda_only_code import needs_cuda
from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.guards.implications import implies_cuda
from devlint.analysis.names.resolution import sole_value
from devlint.fixes.apis.amp_imports import amp_fixes
from devlint.fixes.apis.custom_functions import custom_decorators, custom_fix
from devlint.rules.base import Rule
from devlint.rules.triggers.devices import DeviceString
from devlint.rules.triggers.names import Call, Member, Name
from devlint.rules.triggers.trigger import Beside
from devlint.rules.triggers.uses import may_be_for_cuda


class CudaAmp(Rule):
    """Automatic mixed precision for CUDA only.

    What it does
    ------------
    Finds ``autocast`` and ``GradScaler`` of ``torch.cuda.amp``, however they are imported, and ``torch.autocast`` and
    ``torch.amp.GradScaler`` with the argument ``"cuda"``. Code that runs or is enabled under a test for CUDA is not
    reported, nor an ``autocast`` beside one for the CPU. ``custom_fwd`` and ``custom_bwd`` are reported with the target
    ``accelerator`` only: they work without CUDA, and their device must be known on import. ``torch.amp.GradScaler``
    exists since torch 2.3, and the new ``autocast`` since 1.12; if the project supports an older one, as it requires it
    or a file compares torch's version with an older one, those of ``torch.cuda.amp`` are not reported either. It
    disables itself without CUDA.

    Why is this bad?
    ----------------
    The program never uses mixed precision on other accelerators, and without CUDA there is a warning at every step.
    The obvious replacement is worse: ``torch.autocast(device.type)`` computes in bfloat16 on the CPU, where the
    original computed in float32.

    Example
    -------
    ```python
    import torch
    from torch.cuda.amp import autocast

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    with autocast():
        loss = torch.ones(2, device=device).sum()
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = loss + 1
    ```

    Use instead:
    ```python
    import torch
    from torch.amp import autocast

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    with autocast(device_type=device.type, enabled=device.type != "cpu", dtype=torch.float16):
        loss = torch.ones(2, device=device).sum()
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type != "cpu"):
        loss = loss + 1
    ```

    Fix safety
    ----------
    Safe: with CUDA the same type is used, with an explicit ``dtype`` if the file uses several; on the CPU autocast is
    off, as before, whatever ``enabled`` is. An import changes together with every use of the name. Unsafe if the device
    may be a different one; if the program uses ``autocast`` for the CPU, which a nested one would now turn off; if it
    may run on MPS, where autocast was off or torch has none (Lightning and ``Accelerator`` choose MPS themselves), or
    on a device of another library, as XLA's, that a file of the project names; and in a file that mentions TorchScript,
    which needs a constant device. There is no fix for ``**kwargs`` that may contain ``enabled``, for a class that is
    passed on instead of called, and for a decorator in a library module, because the device would be needed on import.
    ``custom_fwd`` and ``custom_bwd`` are told the accelerator that torch was built for, which is unsafe: they take
    effect on the CPU, too. Other files are not taken into account: ``isinstance`` with ``torch.cuda.amp.GradScaler``,
    an outer ``autocast`` with another ``dtype``, ``torch.jit.script``. Unsafe where nothing is gained, since something
    beside it fails without CUDA (see DEV101).
    """

    code = "DEV502"
    name = "cuda-amp"
    advice = "Use `torch.amp` with the type of the program's device: `torch.amp.autocast(device.type)`"
    gains_with_kernels = False
    trigger = (
        Member("torch.cuda.amp", "autocast", "GradScaler")
        | (
            Call("torch", "GradScaler")
            | Call("torch.amp", "GradScaler")
            | Beside(Call("torch", "autocast") | Call("torch.amp", "autocast"), DeviceString(chosen=True))
        ).where(may_be_for_cuda)
        | Name("custom_fwd", "custom_bwd")
    )

    def visit_Module(self, node: cst.Module) -> None:
        found = [one for one in amp_uses(self.ctx) if self._is_for_cuda(one)]
        fixes = amp_fixes(self.ctx) if found else {}
        for use in found:
            text = self.ctx.one_line_of(use.node)
            if not use.of_cuda and use.call is not None and use.call.args:
                text = f"{text}({self.ctx.one_line_of(use.call.args[0].value)})"
            fix = fixes.get(id(use.node))
            if fix is not None or not needs_cuda(self.ctx):
                self.report(use.node, f"`{text}` is for CUDA only", fix, end=use.call)

        for decorator in custom_decorators(self.ctx):
            message = f"`{self.ctx.text_of(decorator)}` takes effect with CUDA only"
            self.report(decorator, message, custom_fix(self.ctx))

    def _is_for_cuda(self, use: AmpUse) -> bool:
        """Whether a use is one to report: for CUDA whatever the device, and not under a test for it."""
        if use.of_cuda and not is_in_oldest_torch(self.ctx, use.kind):
            return False
        if use.call is None:
            return use.of_cuda and use.kind == AUTOCAST and not is_only_named(self.ctx, use) and not self._asked(use)
        return use.names_cuda() and not self._asked(use)

    def _asked(self, use: AmpUse) -> bool:
        """Whether a test for CUDA governs a use, or another branch has what is for other devices or newer torch."""
        if is_told_for_cpu_too(self.ctx, use):
            return True
        if is_fallback(self.ctx, use) or runs_guarded(self.ctx, use.node) or has_alternative(self.ctx, use.node):
            return True
        enabled = (use.arguments() or {}).get("enabled")
        value = enabled.value if enabled is not None else None
        if isinstance(value, cst.Name):
            value = sole_value(self.ctx, value) or value
        return value is not None and implies_cuda(self.ctx, value)
