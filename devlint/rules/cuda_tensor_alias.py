"""DEV205: a name that stands for one of the legacy CUDA tensor types."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.legacy_types.type_aliases import type_aliases
from devlint.analysis.legacy_types.type_uses import TypeRole, type_uses
from devlint.fixes.chosen_tensor_type import chosen_modules, type_attribute_fix
from devlint.fixes.tensor_alias import alias_fixes
from devlint.rules.base import Rule
from devlint.rules.triggers.torch_names import CudaOrTorch, LegacyType


class CudaTensorAlias(Rule):
    """A variable that holds a legacy CUDA tensor type.

    What it does
    ------------
    Finds ``Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor``, the same written with ``if`` and
    ``else``, ``dtype = torch.cuda.FloatTensor``, ``from torch.cuda import FloatTensor`` and attributes such as
    ``self.Tensor``. The calls and casts that use the name are part of this finding. Also ``th = torch.cuda if gpu else
    torch``, where ``gpu`` is true by itself and nobody asks whether there is CUDA.

    Why is this bad?
    ----------------
    The name combines a dtype and a device, and the device can only be CUDA or the CPU. These types are the oldest part
    of PyTorch's API; every function that creates a tensor takes dtype and device separately.

    Example
    -------
    ```python
    import torch

    cuda = torch.cuda.is_available()
    Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor

    for images in [torch.zeros(2, 3)]:
        valid = Tensor(images.size(0), 1).fill_(1.0)
        images = images.type(Tensor)
    ```

    Use instead:
    ```python
    import torch

    cuda = torch.cuda.is_available()
    device = torch.device("cuda" if cuda else "cpu")

    for images in [torch.zeros(2, 3)]:
        valid = torch.empty(images.size(0), 1, dtype=torch.float32, device=device).fill_(1.0)
        images = images.to(device, torch.float32)
    ```

    Fix safety
    ----------
    Safe: the device is built from the condition that chose the type, and calls and casts change as for DEV201 and
    DEV202. Unsafe if a call may get a tensor that is on the GPU already, or if the device may be a different one. The
    name and all its uses change together; there is no fix if the name is passed on, used with ``isinstance``, or bound
    to several types. An attribute keeps its name, and becomes the CPU's type where there is no CUDA, if all that the
    file does with it is to make tensors and to cast. A choice of the module gets ``and torch.cuda.is_available()``. In
    a module that is not a script, a public name is kept, because another file may import it.
    """

    code = "DEV205"
    name = "cuda-tensor-alias"
    advice = "Keep dtype and device under names of their own, and pass both to what makes tensors"
    gains_with_kernels = False
    trigger = LegacyType() | CudaOrTorch()

    def visit_Module(self, node: cst.Module) -> None:
        for alias, fix in alias_fixes(self.ctx):
            self.report(alias.place, f"`{alias.name}` stands for a tensor type that only CUDA has", fix)
        known = {id(alias.place) for alias in type_aliases(self.ctx)}
        for use in type_uses(self.ctx, TypeRole.ALIAS):
            if id(use.node) not in known:
                named = self.ctx.text_of(use.choice.cuda_node)
                said = f"`{named}` is given another name, and only CUDA has that type"
                self.report(use.node, said, type_attribute_fix(self.ctx, use))
        for chosen, joined in chosen_modules(self.ctx):
            said = f"`torch.cuda` is chosen by `{self.ctx.text_of(chosen.test)}` alone, and nobody asks for CUDA"
            self.report(chosen, said, joined)
