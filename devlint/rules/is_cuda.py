"""DEV603: another tensor's place, asked by ``x.is_cuda`` or ``x.get_device()``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.guards.guards import guard_of
from devlint.analysis.transfers.guarded_transfers import guarded_move
from devlint.analysis.transfers.queried_tensors import (
    choosing_statement,
    choosing_tensor,
    get_device_tensor,
    is_chosen_by_tensor,
    replaceable_device,
)
from devlint.core.diagnostic import Fix
from devlint.fixes.device.choice import device_of_tensor
from devlint.fixes.device.gained_moves import stays_beside_other
from devlint.fixes.guarded_move import move_fix, tensor_to_follow
from devlint.rules.base import Rule
from devlint.rules.triggers.devices import DeviceString
from devlint.rules.triggers.names import Call, Method, Name
from devlint.rules.triggers.trigger import Beside
from devlint.syntax import edits, line_edits
from devlint.syntax.edits import replace_expression

_FOLLOWS = "with several GPUs it may be another one, and what is on a GPU already follows `{}` to the CPU"
_CARD = "with several GPUs it may be another one"


class IsCuda(Rule):
    """A tensor put where another one is, by ``x.is_cuda`` or ``x.get_device()``.

    What it does
    ------------
    Finds ``if x.is_cuda: y = y.cuda()``, ``y.cuda() if x.is_cuda else y``, ``"cuda" if x.is_cuda else "cpu"`` as a
    device argument, and ``y.to(x.get_device())``. Tests of a tensor for other purposes, and a flag of the program with
    this name, are not reported; DEV201 and DEV205 report legacy tensor types.

    Why is this bad?
    ----------------
    The code only considers two kinds of devices: on any other one, ``y`` is not moved. ``.cuda()`` uses the current
    GPU, which may not be that of ``x``, and ``get_device()`` is -1 on the CPU. ``x.device`` is always right.

    Example
    -------
    ```python
    import torch


    def add_identity(x: torch.Tensor) -> torch.Tensor:
        identity = torch.eye(3)
        if x.is_cuda:
            identity = identity.cuda()
        noise = torch.randn(3, 3).to(x.get_device())
        return x + identity + torch.ones(3, device="cuda" if x.is_cuda else "cpu") + noise
    ```

    Use instead:
    ```python
    import torch


    def add_identity(x: torch.Tensor) -> torch.Tensor:
        identity = torch.eye(3)
        identity = identity.to(x.device)
        noise = torch.randn(3, 3).to(x.device)
        return x + identity + torch.ones(3, device=x.device) + noise
    ```

    Fix safety
    ----------
    Unsafe: ``.cuda()`` means the current GPU and ``x.device`` that of ``x``, which may differ if there are several
    GPUs; and a tensor that is on a GPU already moves to the CPU if ``x`` is there. ``x.get_device()`` as a device
    argument is replaced safely: it names the same GPU, and fails elsewhere; with ``target = "cuda"`` not in an ``if``
    for CUDA that has an ``else``, where nothing is gained. There is no fix if a comment would be lost.
    """

    code = "DEV603"
    name = "is-cuda"
    advice = "Use the device of the other tensor: `y.to(x.device)`"
    trigger = Beside(Name("is_cuda"), Method("cuda") | DeviceString(chosen=True) | Call("torch", "device")) | Method(
        "get_device", empty=True
    )

    def visit_Call(self, node: cst.Call) -> None:
        self._move(node)
        tensor = get_device_tensor(self.ctx, node)
        place = replaceable_device(self.ctx, node) if tensor is not None else None
        if (
            tensor is None
            or place is None
            or cuda_literal(self.ctx, place) is not None
            or is_chosen_by_tensor(self.ctx, node)
        ):
            return
        changes = [replace_expression(self.ctx, place, device_of_tensor(self.ctx, tensor).expression)]
        fix = edits.as_fix("Ask for the device", changes, stays_beside_other(self.ctx, node))
        self.report(node, "`get_device()` is the number of a GPU, and -1 on the CPU", fix)

    def visit_IfExp(self, node: cst.IfExp) -> None:
        tensor = choosing_tensor(self.ctx, node)
        place = replaceable_device(self.ctx, node) if tensor is not None else None
        if tensor is not None and place is not None:
            device = device_of_tensor(self.ctx, tensor).expression
            fix = edits.as_fix(f"Replace by `{device}`", [replace_expression(self.ctx, place, device)], _CARD)
            self._found(node, device, fix)

    def visit_If(self, node: cst.If) -> None:
        chosen = choosing_statement(self.ctx, node)
        if chosen is None or replaceable_device(self.ctx, chosen[1]) is None:
            return
        device = device_of_tensor(self.ctx, chosen[0]).expression
        around = line_edits.unwrap_block(self.ctx, node)
        changes = [replace_expression(self.ctx, chosen[1], device), *around] if around is not None else [None]
        self._found(node.test, device, edits.as_fix(f"Always take `{device}`", changes, _CARD))

    def _found(self, node: cst.CSTNode, device: str, fix: Fix | None) -> None:
        self.report(node, f"`{device}` is where the tensor is, on any kind of device", fix)

    def _move(self, node: cst.Call) -> None:
        """``y.cuda()`` under ``x.is_cuda``."""
        move = guarded_move(self.ctx, node)
        guard = guard_of(self.ctx, node) if move is not None else None
        if move is None or guard is None:
            return
        tensor = tensor_to_follow(self.ctx, move, guard)
        if tensor is None:
            return
        fix: Fix | None = None
        choice = device_of_tensor(self.ctx, tensor)
        if move.move is None or move.move.whole:
            caveat = _FOLLOWS.format(self.ctx.text_of(tensor))
            fix = move_fix(self.ctx, move, guard, lambda at: choice, caveat)
        message = f"`{move.written}` where `{choice.condition}`: `{choice.expression}` is where the other tensor is"
        self.report(move.first, message, fix, end=node)
