"""DEV403: a tensor that a module keeps, but does not take along."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.transfers.unregistered_tensors import UnregisteredAttribute, unregistered_attributes
from devlint.core.diagnostic import Fix
from devlint.rules.base import Rule
from devlint.rules.triggers.names import Member
from devlint.syntax import edits


class UnregisteredTensor(Rule):
    """A tensor that does not move with its module.

    What it does
    ------------
    Finds ``self.mask = torch.ones(4)`` in the ``__init__`` of an nn.Module, if a method uses ``self.mask`` together
    with its arguments. Tensors without dimensions, indices, attributes that a method moves or sets again, and modules
    that define ``to`` or ``_apply`` are not reported. Off by default: in some 80 repositories and packages there was
    one finding, which was right; that is too little to judge its accuracy.

    Why is this bad?
    ----------------
    ``module.to(device)`` moves parameters, buffers and submodules. A plain attribute stays on the CPU, and ``forward``
    fails on every other device.

    Example
    -------
    ```python
    import torch


    class Masked(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.mask = torch.ones(4)

        def forward(self, x):
            return x * self.mask
    ```

    Use instead:
    ```python
    import torch


    class Masked(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mask", torch.ones(4), persistent=False)

        def forward(self, x):
            return x * self.mask
    ```

    Fix safety
    ----------
    Unsafe: the tensor then moves with the module to every device and, with ``.half()``, to every dtype.
    ``persistent=False`` keeps it out of the state dict, as before. There is no fix before ``super().__init__()``.
    """

    code = "DEV403"
    name = "unregistered-tensor"
    default = False
    trigger = Member("torch")

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        for found in unregistered_attributes(self.ctx, node):
            message = f"`{found.instance}.{found.attribute}` does not follow the module to another device"
            self.report(found.statement, message, self._fix(found))

    def _fix(self, found: UnregisteredAttribute) -> Fix | None:
        if not found.after_init:
            return None
        value = self.ctx.text_of(found.statement.value)
        text = f'{found.instance}.register_buffer("{found.attribute}", {value}, persistent=False)'
        caveat = "the tensor then follows the module to every device and dtype"
        return edits.as_fix("Register it as a buffer", [edits.replace(self.ctx, found.statement, text)], caveat)
