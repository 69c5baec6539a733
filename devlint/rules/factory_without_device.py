"""DEV402: a tensor made on the CPU that meets one on the device."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.places.meetings import BESIDE
from devlint.analysis.places.missing_devices import MissingDevice
from devlint.analysis.tensors.cpu_tensors import cpu_tensors
from devlint.core.diagnostic import Fix
from devlint.rules.base import Rule
from devlint.rules.triggers.cpu_tensors import CpuTensor
from devlint.syntax import edits
from devlint.torch_api.tensor_places import CPU_CONSTRUCTORS, TAKE_NO_DEVICE


class FactoryWithoutDevice(Rule):
    """A tensor created without a device where one is known.

    What it does
    ------------
    Finds ``torch.arange(n)`` and the like without ``device=``, if the result meets, in an operation that wants its
    tensors on one device, a tensor that lives elsewhere: with the parameters of a module, on a device that the function
    is given, or on the device of an argument of a function that is written for several devices. Tensors are followed
    through the functions and classes of the file, and through those that it imports of its project; a part of an
    argument, and what a function of another library makes of tensors, are taken to be where these are, if they are used
    as only tensors are. The same is reported where a
    function makes two tensors side by side, one of them on a device, and puts them in one list, dictionary, object or
    call, or gives one or the other. Tensors without dimensions, indices, and tensors that are moved first are not
    reported. Off by default.

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
    advice = "Make the tensor where the other one is: `device=x.device`"
    default = False
    trigger = CpuTensor()

    def check(self, node: cst.Call) -> None:
        found = cpu_tensors(self.ctx)
        missing = found.get(self.ctx.span(node)) if found else None
        if missing is not None and _is_maker(node, missing):
            self.report(node, _message(missing), self._fix(node, missing))

    def _fix(self, call: cst.Call, missing: MissingDevice) -> Fix | None:
        device = missing.device
        if not device:
            return None
        if missing.maker in TAKE_NO_DEVICE | CPU_CONSTRUCTORS:
            edit = edits.insert_after(self.ctx, call, f".to({device})")
            return edits.as_fix(f"Add `.to({device})`", [edit], "other uses of the tensor may need it on the CPU")
        added = edits.add_argument(self.ctx, call, ("device", device))
        return edits.as_fix(f"Add `device={device}`", [added], "other uses of the tensor may need it on the CPU")


def _message(missing: MissingDevice) -> str:
    """What is said of a tensor that lacks its device."""
    made, row = f"`torch.{missing.maker}(...)` is made on the CPU and", missing.place.row
    if missing.kind == BESIDE:
        return f"{made} goes with a tensor {missing.partner} (line {row})"
    return f"{made} meets a tensor {missing.partner} (`{missing.kind}` on line {row})"


def _is_maker(call: cst.Call, missing: MissingDevice) -> bool:
    """Whether a call that begins and ends where a tensor is made is that which makes it."""
    return (dotted_name(call.func) or "").rpartition(".")[2] == missing.maker
