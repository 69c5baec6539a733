"""DEV106: a card named by its number."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda.device_alternatives import has_alternative
from devlint.analysis.cuda.device_index_uses import fixed_device_ids
from devlint.analysis.guards.counted_cards import is_card_there
from devlint.fixes.device.cards.card_anchors import card_uses
from devlint.fixes.device.cards.card_left import with_nccl_left
from devlint.fixes.device.cards.card_number import card_number_fix
from devlint.rules.base import Rule
from devlint.rules.triggers.cards import CardNumber
from devlint.rules.triggers.devices import DeviceString, TorchDevice
from devlint.rules.triggers.places import is_slot_or_name


class HardCodedIndex(Rule):
    """A GPU selected by a hard-coded index.

    What it does
    ------------
    Finds ``.cuda(1)``, ``.to(0)``, ``device=0`` and ``"cuda:1"`` in torch calls, devices built from an index
    (``f"cuda:{i}"``, ``"cuda:%d" % i``, ``torch.device("cuda", i)``), and ``device_ids=[0, 1]``. A computed index is
    not reported under a test for CUDA, because it works there.

    Why is this bad?
    ----------------
    The program needs that particular GPU: it fails on a machine without CUDA, and on one with fewer GPUs.

    Example
    -------
    ```python
    import torch

    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    noise = torch.rand(4, 4).to("cuda:0")
    labels = torch.arange(4).cuda(0, non_blocking=True)
    ```

    Use instead:
    ```python
    import torch

    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    noise = torch.rand(4, 4).to(device)
    labels = torch.arange(4).to(device, non_blocking=True)
    ```

    Fix safety
    ----------
    Safe: with CUDA it is the same card, and without CUDA all cards are the CPU. The device of a card is defined once,
    near what it is for, and different cards stay different: ``device = torch.device("cuda", rank) if
    torch.cuda.is_available() else torch.device("cpu")``. What is put on an option's card goes to the program's device
    where ``torch.cuda.set_device(args.gpu)`` has certainly made that card the current one; what ``.cuda()`` moves in
    the ``else`` of ``if args.gpu is not None:`` goes to the device of that number. Unsafe if the index in
    ``.cuda(i)`` may be a string or a device: it must be a number by what the program assigns or passes, by
    ``type=int`` of its option, or by its annotation. Safe for ``card = settings.card`` of any kind that the function
    gives to both ``.to(card)`` and ``.cuda(card)``: it becomes ``settings.card if torch.cuda.is_available() else
    "cpu"``. Also unsafe for an integer alone (``.to(0)``, ``device=0``) with
    target ``cuda``: PyTorch takes it for an index of the current accelerator, CUDA or not; and for moves where the
    program starts NCCL in any case, as they gain nothing. ``if gpu > -1:`` around nothing but moves to that very card
    asks for CUDA as well instead, ``if gpu > -1 and torch.cuda.is_available():``; unsafe if that is false unless
    somebody asks for a card. There is no fix for ``device_ids``, nor for a device that is built where the function
    starts NCCL.
    """

    code = "DEV106"
    name = "hard-coded-index"
    advice = "Build the device of the card once, under a test for CUDA, and let whoever starts the program choose it"
    gains_with_kernels = False
    trigger = (DeviceString(card=True) | TorchDevice(beside_cuda=True)).where(is_slot_or_name) | CardNumber()

    def visit_Module(self, node: cst.Module) -> None:
        if not any(word.decode() in self.ctx.source.text for word in self.trigger.words):
            return
        for use, guard in card_uses(self.ctx):
            literal = use.literal
            if has_alternative(self.ctx, literal.node) or is_card_there(self.ctx, literal, guard):
                continue
            fix = card_number_fix(self.ctx, use, guard)
            if use.move is not None:
                fix = with_nccl_left(self.ctx, use.move.call, fix)
            if guard and fix is None and literal.index == "0":
                continue  # there is a first card
            text = self.ctx.one_line_of(use.call or literal.node)
            what = "the first card" if literal.index == "0" else "one card" if literal.is_constant else "a card"
            machine = "an accelerator" if literal.is_number else "a CUDA machine"
            self.report(literal.node, f"`{_shortened(text)}` needs {what} of {machine}", fix)
        for arg in fixed_device_ids(self.ctx):
            self.report(arg, "The cards are fixed here, and a machine with fewer fails")


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else f"…{text[-59:]}"
