"""DEV106: a card named by its number."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda.device_alternatives import has_alternative
from devlint.analysis.cuda.device_index_uses import (
    DeviceIndexUse,
    fixed_device_ids,
    guarded_index_uses,
    only_first_device,
)
from devlint.analysis.devices.cuda_literals import CudaLiteral, LiteralKind
from devlint.analysis.guards.counted_cards import is_card_there
from devlint.analysis.guards.questions import Guard
from devlint.analysis.transfers.cuda_method_calls import move_edits
from devlint.analysis.transfers.overridden_moves import overriding_class
from devlint.analysis.transfers.queried_tensors import literal_tensor
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.conditional_device import (
    accelerator_caveat,
    availability_caveat,
    conditional_device,
    conditional_expression,
)
from devlint.fixes.device import resolver
from devlint.fixes.device.cards.card_device import card_device, is_certain_card
from devlint.rules.base import Rule
from devlint.rules.triggers.cards import CardNumber
from devlint.rules.triggers.devices import DeviceString, TorchDevice
from devlint.rules.triggers.places import is_slot_or_name
from devlint.syntax import edits
from devlint.syntax.edits import replace_expression

NO_NUMBER = "it may be no number, but a string or a device"


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
    torch.cuda.is_available() else torch.device("cpu")``. Unsafe if the index in ``.cuda(i)`` may be a string or a
    device: it must be a number by what the program assigns or passes, by ``type=int`` of its option, or by its
    annotation. Also unsafe for an integer alone (``.to(0)``, ``device=0``) with target ``cuda``: PyTorch takes it for
    an index of the current accelerator, CUDA or not. There is no fix for ``device_ids``.
    """

    code = "DEV106"
    name = "hard-coded-index"
    advice = "Build the device of the card once, under a test for CUDA, and let who starts the program choose cards"
    gains_with_kernels = False
    trigger = (DeviceString(card=True) | TorchDevice(beside_cuda=True)).where(is_slot_or_name) | CardNumber()

    def visit_Module(self, node: cst.Module) -> None:
        if not any(word.decode() in self.ctx.source.text for word in self.trigger.words):
            return
        for use, guard in guarded_index_uses(self.ctx):
            literal = use.literal
            if has_alternative(self.ctx, literal.node) or is_card_there(self.ctx, literal, guard):
                continue
            fix = self._fix(use, guard)
            if guard and fix is None and literal.index == "0":
                continue  # there is a first card
            text = " ".join(self.ctx.text_of(use.call or literal.node).split())
            what = "the first card" if literal.index == "0" else "one card" if literal.is_constant else "a card"
            machine = "an accelerator" if literal.is_number else "a CUDA machine"
            self.report(literal.node, f"`{_shortened(text)}` needs {what} of {machine}", fix)
        for arg in fixed_device_ids(self.ctx):
            self.report(arg, "The cards are fixed here, and a machine with fewer fails")

    def _fix(self, use: DeviceIndexUse, guard: Guard | None) -> Fix | None:
        if use.move is not None and not use.move.whole:
            return None
        literal = use.literal
        placed = use.call is not None or isinstance(self.ctx.tree.parent(literal.node), cst.WithItem)
        beside = literal_tensor(self.ctx, literal) if placed or literal.kind is LiteralKind.DEVICE else None
        if beside is not None:
            return edits.as_fix("Put it where the other tensor is", self._put(use, f"{beside}.device"))
        if placed and (literal.is_current or (literal.index == "0" and only_first_device(self.ctx))):
            choice = resolver.resolve_device(self.ctx, literal.node, index="0" if literal.index == "0" else None)
            if choice is None:
                return None
            text = choice.expression
            if isinstance(literal.node, cst.Call) and use.call is None and choice.is_string is not False:
                text = f"{self.ctx.text_of(literal.node.func)}({text})"
            made = [*self._put(use, text), *choice.edits]
            caveat = choice.caveat or accelerator_caveat(self.ctx, literal)
            return edits.as_fix(f"Replace by `{choice.expression}`", made, caveat)
        return None if guard else self._choose_here(use, placed)

    def _choose_here(self, use: DeviceIndexUse, placed: bool) -> Fix | None:
        """The card's device, defined once, or else the choice in the place of the number; two cards stay two."""
        message = "Fall back to the CPU where there is no CUDA"
        owner = overriding_class(self.ctx, use.call) if use.call is not None else None
        caveat = f"`{owner}` has a `to` or `cuda` of its own" if owner is not None else self._caveat(use.literal)
        card = card_device(self.ctx, use) if placed else None
        made = [*self._put(use, card.expression), *card.edits] if card is not None else [None]
        if card is not None and None not in made:
            return edits.as_fix(f"Replace by `{card.expression}`", made, caveat)
        caveat = caveat or availability_caveat(self.ctx, use.literal.node)
        if use.move is None:
            here = conditional_device(self.ctx, use.literal)
            return None if here is None else edits.as_fix(message, here.edits, caveat)
        choice = conditional_expression(self.ctx, use.literal)
        return None if choice is None else edits.as_fix(message, [*self._put(use, choice[0]), *choice[1]], caveat)

    def _caveat(self, literal: CudaLiteral) -> str | None:
        """Why a card may be another one after a fix; None where it is the same."""
        is_written = literal.kind in (LiteralKind.STRING, LiteralKind.DEVICE)
        if not is_written and not literal.is_current and not is_certain_card(self.ctx, literal):
            return NO_NUMBER
        return accelerator_caveat(self.ctx, literal)

    def _put(self, use: DeviceIndexUse, text: str) -> list[Edit | None]:
        """Write ``text`` for the number, and ``.to`` for ``.cuda``."""
        if use.move is not None:
            return [*move_edits(self.ctx, use.move, text)]
        return [replace_expression(self.ctx, use.literal.node, text)]


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else f"…{text[-59:]}"
