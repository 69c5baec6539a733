"""DEV202: a tensor or module cast to one of the legacy CUDA tensor types."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.legacy_types.type_uses import TypeRole, type_uses
from devlint.fixes.device.cards.card_left import with_call_left
from devlint.fixes.guarded_move import made_fix
from devlint.rules.base import Rule
from devlint.rules.triggers.torch_names import LegacyType


class CudaTensorCast(Rule):
    """A tensor cast to a legacy CUDA tensor type.

    What it does
    ------------
    Finds ``x.type(torch.cuda.FloatTensor)`` and ``x.type("torch.cuda.FloatTensor")``, also as one branch of
    ``x.type(torch.cuda.FloatTensor if use_cuda else torch.FloatTensor)``.

    Why is this bad?
    ----------------
    It raises an error on every machine without CUDA, and it hides that it does two things: it moves the tensor and
    changes its dtype.

    Example
    -------
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    mask = torch.ones(4).type(torch.cuda.ByteTensor)
    ids = torch.arange(4).type("torch.cuda.LongTensor", non_blocking=True)
    ```

    Use instead:
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    mask = torch.ones(4).to(device, torch.uint8)
    ids = torch.arange(4).to(device, torch.int64, non_blocking=True)
    ```

    Fix safety
    ----------
    Safe: same values, same dtype, same device. A module keeps its ``type``, which casts integer buffers as well, such
    as the counter of a BatchNorm: ``net.type(torch.float32).to(device)``. Unsafe where the program names cards by
    number and makes none the current one, or another one than it names (``x.cuda(0)`` beside ``set_device(args.gpu)``):
    a tensor on another card stays there, and would move to the current one.
    Where the other branch of a test casts to the CPU's type and is the same otherwise, the test goes, if it is the
    condition of the device.
    Unsafe where nothing is gained, since something else beside it fails without CUDA (see DEV101).
    """

    code = "DEV202"
    name = "cuda-tensor-cast"
    advice = "Cast with `x.to(device, dtype)`"
    gains_with_kernels = False
    trigger = LegacyType()

    def visit_Module(self, node: cst.Module) -> None:
        for use in type_uses(self.ctx, TypeRole.CAST):
            named = self.ctx.text_of(use.choice.cuda_node)
            fix = with_call_left(self.ctx, use.owner, made_fix(self.ctx, use))
            self.report(use.owner, f"`.type({named})` moves this to CUDA on every machine", fix)
