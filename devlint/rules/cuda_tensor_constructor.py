"""DEV201: a tensor made by calling one of the legacy CUDA tensor types."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.legacy_types.type_uses import TypeRole, type_uses
from devlint.analysis.tensors.unread_tensors import is_never_read
from devlint.fixes.device.cards.card_left import with_call_left
from devlint.fixes.guarded_move import made_fix
from devlint.rules.base import Rule
from devlint.rules.triggers.torch_names import LegacyType


class CudaTensorConstructor(Rule):
    """A tensor created by a legacy CUDA tensor type.

    What it does
    ------------
    Finds calls of ``torch.cuda.FloatTensor(...)`` and the other types in ``torch.cuda`` and ``torch.cuda.sparse``, and
    places where such a type is passed as a value (``map(torch.cuda.FloatTensor, rows)``).

    Why is this bad?
    ----------------
    The call raises an error on every machine without CUDA. Moreover, it has three meanings: with sizes it creates an
    uninitialised tensor, with a list or an array a tensor of these values, and with a tensor it returns that tensor.
    Since version 0.4, PyTorch has a function for each.

    Example
    -------
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    noise = torch.cuda.FloatTensor(16, 100).normal_()
    weights = torch.cuda.FloatTensor([0.2, 0.8])
    ```

    Use instead:
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    noise = torch.empty(16, 100, dtype=torch.float32, device=device).normal_()
    weights = torch.tensor([0.2, 0.8], dtype=torch.float32, device=device)
    ```

    Fix safety
    ----------
    Safe if the argument is known to be sizes (``torch.empty``) or data (``torch.tensor``). If it may be either,
    ``torch.FloatTensor(x).to(device)`` decides in the same way as the original; this is also safe unless ``x`` may be
    a tensor on the GPU, which the CPU type refuses: then the fix is unsafe. If ``x`` is a tensor for certain, and what
    the call gives is only used at once, ``x`` itself takes its place, safely. ``torch.cuda.sparse.FloatTensor(i, v,
    size)`` takes device and dtype from ``v``, and so does ``torch.sparse_coo_tensor``. A tensor that ``torch.arange``
    only fills, ``out=torch.cuda.LongTensor(n)``, becomes its dtype and device. There is no fix for a type that is
    passed as a value or called with keywords, nor for a tensor that a function never reads: it only takes up memory of
    the GPU.
    Unsafe where nothing is gained, since something else beside it fails without CUDA (see DEV101).
    """

    code = "DEV201"
    name = "cuda-tensor-constructor"
    advice = "Make the tensor with `torch.empty` or `torch.tensor`, and say `dtype=` and `device=`"
    gains_with_kernels = False
    trigger = LegacyType()

    def visit_Module(self, node: cst.Module) -> None:
        for use in type_uses(self.ctx, TypeRole.CALLED, TypeRole.VALUE):
            named = self.ctx.text_of(use.choice.cuda_node)
            if use.role is TypeRole.CALLED:
                fix = made_fix(self.ctx, use) if not is_never_read(self.ctx, use.owner) else None
                fix = with_call_left(self.ctx, use.owner, fix)
                self.report(use.owner, f"`{named}(...)` makes a tensor that only CUDA has", fix)
            else:
                self.report(use.choice.cuda_node, f"`{named}` is a type that only CUDA has")
