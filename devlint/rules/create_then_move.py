"""DEV401: a tensor made on the CPU only to be moved at once."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.tensors.factories import Factory, factory_call, gpu_difference
from devlint.analysis.transfers.to_calls import Transfer, transfer
from devlint.core.diagnostic import Fix
from devlint.rules.base import Rule
from devlint.rules.triggers.names import Call, Method
from devlint.rules.triggers.trigger import Beside
from devlint.syntax import edits
from devlint.torch_api.tensor_functions import FACTORIES


class CreateThenMove(Rule):
    """A tensor created on the CPU and moved at once.

    What it does
    ------------
    Finds ``torch.zeros(...).to(device)`` and the like: a torch factory without a device, followed by a move to a known
    device. Data that is converted on the way is not reported, nor is a tensor that is changed before it is moved, nor
    ``torch.tensor(values).to(device, non_blocking=True)``: with ``device=`` the program would wait for the copy.
    DEV101 and DEV102 report moves written as ``.cuda()`` or ``.to("cuda")``; after their fixes, this rule finds them.
    Not on by default, because the code is slow, not wrong.

    Why is this bad?
    ----------------
    The tensor is created and filled in the CPU's memory, then copied. With ``device=`` it is created where it is
    needed.

    Example
    -------
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    mask = torch.ones(4, 4).to(device)
    steps = torch.arange(10).to(device, torch.float32)
    state = torch.zeros(2, 8).to(device=device, dtype=torch.float16)
    ```

    Use instead:
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    mask = torch.ones(4, 4, device=device)
    steps = torch.arange(10, device=device).to(torch.float32)
    state = torch.zeros(2, 8, device=device, dtype=torch.float16)
    ```

    Fix safety
    ----------
    Safe for factories whose values are the same on all devices. Unsafe for random ones, because a GPU draws other
    numbers than the CPU from the same seed; for ``linspace``, ``logspace``, the window functions and an ``arange``
    that may have fractions, which a GPU may round differently in the last digit; and with ``requires_grad=True``,
    because the moved tensor was a copy without a gradient of its own.
    """

    code = "DEV401"
    name = "create-then-move"
    advice = "Pass `device=` to the function that makes the tensor"
    default = False
    trigger = Beside(Method("to"), Call("torch", *FACTORIES, without="device"))

    def check(self, node: cst.Call) -> None:
        move = transfer(self.ctx, node)
        made = factory_call(self.ctx, move.receiver) if move is not None else None
        if move is None or made is None or not made.takes_no_device or _is_written_out(move.device.value):
            return
        if made.takes_data and (move.converts or move.may_run_on):  # the CPU has dtypes that not every device has
            return
        message = f"`torch.{made.name}(...)` is made on the CPU, then moved"
        self.report(made.call, message, self._fix(move, made), end=node)

    def _fix(self, move: Transfer, made: Factory) -> Fix | None:
        device = self.ctx.text_of(move.device.value)
        if "\n" in device or "#" in device:
            return None
        arguments = [("device", device)]
        if made.takes_any_dtype and move.dtype is not None and len(move.converts) == 1:
            arguments.append(("dtype", self.ctx.text_of(move.dtype.value)))
        if move.converts and len(arguments) == 1:
            change = edits.without_comment(self.ctx, edits.remove_argument(self.ctx, move.call, move.device))
        else:
            change = edits.cut_after(self.ctx, move.call, made.call)
        added = edits.add_argument(self.ctx, made.call, *arguments)
        return edits.as_fix(f"Say `device={device}` when it is made", [added, change], self._caveat(made))

    def _caveat(self, made: Factory) -> str | None:
        grad = made.keyword("requires_grad")
        if grad is not None and not (isinstance(grad.value, cst.Name) and grad.value.value == "False"):
            return "the tensor itself gets the gradient, where it was a copy that does not"
        return gpu_difference(self.ctx, made)


def _is_written_out(device: cst.BaseExpression) -> bool:
    """Whether a device is spelled as a string, or made from one: another rule's finding first."""
    if isinstance(device, cst.Call):
        return any(_is_written_out(arg.value) for arg in device.args)
    return isinstance(device, (cst.BaseString, cst.BinaryOperation))
