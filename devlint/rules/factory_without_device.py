"""DEV402: a tensor made on the CPU that meets one on the device."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.reaching_definitions import certainly_bound
from devlint.analysis.names.scopes import scopes
from devlint.analysis.tensors.factories import Factory, factory_call
from devlint.analysis.transfers.cpu_tensor_flow import made_on_cpu, other_operands
from devlint.analysis.transfers.tensor_locations import tensor_location
from devlint.core.diagnostic import Fix
from devlint.rules.base import Rule
from devlint.rules.triggers.names import Call, Method, Name
from devlint.rules.triggers.trigger import Beside
from devlint.syntax import edits
from devlint.torch_api.tensor_functions import FACTORIES


class FactoryWithoutDevice(Rule):
    """A tensor created without a device where one is known.

    What it does
    ------------
    Finds ``torch.arange(n)`` and the like without ``device=``, if the data flow inside the function shows that the
    result meets, in an operation or a torch function, a tensor that was created on or moved to a device. Tensors
    without dimensions, indices, and tensors that are moved first are not reported. Off by default: in some 50
    repositories and packages there were no findings to measure its accuracy, because code with this mistake fails on
    the first GPU.

    Why is this bad?
    ----------------
    The tensor is on the CPU, so the operation fails if the other tensor is not.

    Example
    -------
    ```python
    import torch


    def scores(x, device):
        x = x.to(device)
        steps = torch.arange(4)
        return x * steps
    ```

    Use instead:
    ```python
    import torch


    def scores(x, device):
        x = x.to(device)
        steps = torch.arange(4, device=device)
        return x * steps
    ```

    Fix safety
    ----------
    Unsafe: the tensor is then created on that device, which was probably intended, but other uses of it may need it on
    the CPU.
    """

    code = "DEV402"
    name = "factory-without-device"
    default = False
    trigger = Beside(Call("torch", *FACTORIES), Method("to") | Name("device"))

    def check(self, node: cst.Call) -> None:
        made = factory_call(self.ctx, node)
        if made is None or not made.takes_no_device or not made_on_cpu(self.ctx, node):
            return
        places = (tensor_location(self.ctx, other) for other in other_operands(self.ctx, node))
        place = next((one for one in places if one is not None), None)
        if place is not None:
            text = self.ctx.text_of(place)
            message = f"`torch.{made.name}(...)` is made on the CPU and meets a tensor on `{text}`"
            self.report(node, message, self._fix(made, text))

    def _fix(self, made: Factory, device: str) -> Fix | None:
        root = device.partition(".")[0]
        scope = scopes(self.ctx).binder(root, made.call)
        if "\n" in device or scope is None or not certainly_bound(self.ctx, root, scope, made.call):
            return None
        added = edits.add_argument(self.ctx, made.call, ("device", device))
        return edits.as_fix(f"Add `device={device}`", [added], "the tensor is then on that device in all its uses")
