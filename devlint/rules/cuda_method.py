"""DEV101: ``x.cuda()`` that runs on every machine."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.slots.torch_loaders import torch_loader
from devlint.analysis.tensors.factories import likened
from devlint.analysis.transfers.cuda_method_calls import (
    CudaMove,
    cuda_move,
    given_device,
    move_edits,
    names_device_index,
)
from devlint.analysis.transfers.distributed_models import is_for_cards
from devlint.analysis.transfers.queried_tensors import is_input_of_kernel
from devlint.analysis.transfers.storages import is_storage, storage_lambda
from devlint.core.diagnostic import Fix
from devlint.fixes.device import resolver
from devlint.fixes.device.cards.card_left import with_card_left, with_nccl_left
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.device.gained_moves import moves_nothing, stays_unasked
from devlint.fixes.device.load_location import may_be_location
from devlint.fixes.device.same_branches import only_other_arm
from devlint.fixes.forwarded_move import forwarded_move_fix
from devlint.fixes.needless_moves import without_uncalled_test
from devlint.rules.base import Rule
from devlint.rules.triggers.guards import is_unguarded
from devlint.rules.triggers.moves import is_no_own_cuda
from devlint.rules.triggers.names import Method
from devlint.syntax import edits


class CudaMethod(Rule):
    """A tensor or module moved by ``.cuda()``.

    What it does
    ------------
    Finds calls of ``.cuda()`` on tensors, modules and anything else that may be torch's, if they run without a test
    for CUDA. Not reported are classes of the project with their own ``cuda`` method, ``super().cuda()``, code inside
    ``def cuda``, and other libraries (numba, chainer, cupy …).

    Why is this bad?
    ----------------
    The program stops with an error on every machine without CUDA, even if nothing in it needs CUDA.

    Example
    -------
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = torch.nn.Linear(2, 2).cuda()
    batch = torch.ones(1, 2).cuda(non_blocking=True)
    ```

    Use instead:
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = torch.nn.Linear(2, 2).to(device)
    batch = torch.ones(1, 2).to(device, non_blocking=True)
    ```

    Fix safety
    ----------
    Safe: with CUDA, everything is on the same device as before. The fix uses the device that the program already has,
    or defines one from the program's own flag or from ``torch.cuda.is_available()``. Unsafe if that device may be a
    different one, such as a parameter with the default ``"cpu"``, where a ``try`` goes on with something else if the
    move fails, or if neither the file nor a file or library that it imports imports torch; with ``target = "cuda"``
    also where nothing is gained, as the move is under ``if args.mode == "gpu":`` or ``if args.device is not None:``,
    which stays, and holds only where somebody asks for it, or beside it stays an ``x.cuda(card)``, a CUDA tensor
    type, the start of NCCL, a question for a card (``name = torch.cuda.get_device_name()``), a ``Trainer(gpus=1)`` or
    a ``Helper(device="cuda")`` of which no file says what it does, in the same function, a function around it,
    ``__init__`` of its class, or (NCCL) the function that calls it, which fails without CUDA, or the other branch moves
    the same to a card, and is not known to be off. The fix's message says why.
    So is a new device for nothing but layers and losses without tensors, ``nn.ReLU().cuda()``: that moves nothing, and
    fails nowhere. So is ``self.x = nn.Parameter(...).cuda()``, which on the CPU alone would be a parameter.
    A device that follows an option, ``torch.device(args.device)``, in a name or ``self.device``, or ``args.device``
    itself, is not taken where the program puts nothing on it that may meet what is moved without asking, or moves that
    to it below: that goes by torch's answer alone. So does what a method moves that does nothing else
    (``to_cuda(self)``), unless the class itself calls it. Where the function itself puts other things on one such
    device, or on ``model.device`` of a model at hand, or its class on a ``self.device`` that ``__init__`` makes or that
    comes from another file, nobody would write a second one beside it: the fix names that one, and is unsafe.
    A test that is not called, ``if torch.cuda.is_available:``, goes where it is around nothing but such moves.
    Where a class of the project has a ``cuda`` of its own that only moves what the instance holds, the statement
    ``model.cuda()`` is put under the test for CUDA. There is no fix for what an autograd function moves if it is not
    there yet (``if not x.is_cuda: x = x.cuda()``), as its kernels are for CUDA, nor for a model that
    ``DistributedDataParallel(model, device_ids=[rank])`` gets, which takes none on the CPU.
    """

    code = "DEV101"
    name = "cuda-method"
    advice = "Move it with `.to(device)`, where `device` is chosen once for the program"
    gains_with_kernels = False
    trigger = Method("cuda").where(is_no_own_cuda, is_unguarded)

    def check(self, node: cst.Call) -> None:
        move = cuda_move(self.ctx, node)
        if runs_guarded(self.ctx, node) or (move is not None and names_device_index(self.ctx, move)):
            return
        if move is None:
            fix = forwarded_move_fix(self.ctx, node)
            if fix is not None and isinstance(node.func, cst.Attribute):
                self.report(node.func.attr, "`.cuda()` needs CUDA on every machine", fix, end=node)
            return
        left = with_card_left if move.device is None else with_nccl_left
        fix = left(self.ctx, node, self._fix(move))
        self.report(move.method, "`.cuda()` needs CUDA on every machine", fix, end=node)

    def _fix(self, move: CudaMove) -> Fix | None:
        if not move.whole or is_input_of_kernel(self.ctx, move.call):
            return None
        if move.device is not None:
            return self._keep_device(move, move.device) if not is_storage(self.ctx, move) else None
        if is_for_cards(self.ctx, move.call):
            return None
        choice = resolver.resolve_device(self.ctx, move.call)
        if choice is None:
            return None
        if is_storage(self.ctx, move):
            return self._map_location(move, choice)
        caveat = choice.caveat
        if "torch" not in self.ctx.source.text and torch_loader(self.ctx) is None:
            caveat = caveat or "the file does not import torch"
        caveat = caveat or stays_unasked(self.ctx, move.call, choice) or moves_nothing(self.ctx, move.call, choice)
        if choice.expression == f"{likened(self.ctx, move.receiver)}.device" and not move.call.args:
            made = self.ctx.text_of(move.receiver)
            return edits.as_fix("Leave out `.cuda()`", [edits.replace_outer(self.ctx, move.call, made)], caveat)
        if (joined := only_other_arm(self.ctx, move, choice)) is not None:
            return edits.as_fix(f"Leave the one `.to({choice.expression})`", [joined], caveat)
        unwrapped = without_uncalled_test(self.ctx, move.call) if choice.caveat is None else []
        changes = unwrapped or [*move_edits(self.ctx, move, choice.expression), *choice.edits]  # one after the other
        return edits.as_fix(f"Replace `.cuda()` by `.to({choice.expression})`", changes, caveat)

    def _keep_device(self, move: CudaMove, arg: cst.Arg) -> Fix | None:
        """``x.cuda(device)`` names a device already."""
        text, caveat = given_device(self.ctx, move, arg)
        return edits.as_fix(f"Replace `.cuda({text})` by `.to({text})`", move_edits(self.ctx, move, text), caveat)

    def _map_location(self, move: CudaMove, choice: DeviceChoice) -> Fix | None:
        """``lambda storage, loc: storage.cuda()`` puts everything on one device: the device itself says so."""
        function = storage_lambda(self.ctx, move)
        if function is None or move.rest or not may_be_location(self.ctx, choice):
            return None
        changes = [edits.replace_outer(self.ctx, function, choice.expression), *choice.edits]
        return edits.as_fix(f"Replace the function by `{choice.expression}`", changes, choice.caveat)
