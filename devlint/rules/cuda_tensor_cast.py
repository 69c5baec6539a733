"""DEV202: a tensor or module cast to one of the legacy CUDA tensor types."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.legacy_types.modern_calls import modern_cast
from devlint.analysis.legacy_types.type_uses import TypeRole, TypeUse, type_uses
from devlint.core.diagnostic import Fix
from devlint.fixes.device.tensor_type_device import device_of_type
from devlint.fixes.torch_import import torch_name
from devlint.rules.base import Rule
from devlint.rules.triggers.torch_names import LegacyType
from devlint.syntax import edits


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
    Safe: same values, same dtype, same device. There are two differences that should not matter: a tensor on another
    GPU moves to the current one, as with ``.cuda()``; and in an ``nn.Module``, integer buffers such as the counter of
    a BatchNorm stay integers.
    """

    code = "DEV202"
    name = "cuda-tensor-cast"
    trigger = LegacyType()

    def visit_Module(self, node: cst.Module) -> None:
        for use in type_uses(self.ctx, TypeRole.CAST):
            named = self.ctx.text_of(use.choice.cuda_node)
            self.report(use.owner, f"`.type({named})` moves this to CUDA on every machine", self._fix(use))

    def _fix(self, use: TypeUse) -> Fix | None:
        assert isinstance(use.owner, cst.Call)
        torch = torch_name(self.ctx, use.node)
        choice = device_of_type(self.ctx, use.choice) if use.choice.consistent else None
        if torch is None or choice is None:
            return None
        made = modern_cast(self.ctx, use.owner, use.choice.cuda, torch[0], choice.expression)
        if made is None:
            return None
        return edits.as_fix(f"Replace by `{made.message}`", [*made.edits, *torch[1], *choice.edits], choice.caveat)
