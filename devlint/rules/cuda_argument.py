"""DEV102: a torch call that is told to put something on CUDA."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda.device_alternatives import has_alternative
from devlint.analysis.cuda.literal_roles import LiteralRole, LiteralUse, literal_uses
from devlint.analysis.guards.guards import guard_of, runs_guarded
from devlint.analysis.names.scopes import scopes
from devlint.analysis.transfers.compared_moves import compared_device
from devlint.analysis.transfers.guarded_transfers import guarded_move
from devlint.analysis.transfers.moves_for_cuda import stays_for_cuda
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.conditional_device import availability_caveat, conditional_device
from devlint.fixes.device import resolver
from devlint.fixes.device.cards.card_left import with_card_left
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.device.gained_moves import gains_nothing
from devlint.fixes.device.load_location import defined_for_placements, may_be_location, takes_text_alone
from devlint.fixes.device.same_branches import only_other_branch
from devlint.fixes.device.types.device_type import type_of_choice
from devlint.rules.base import Rule
from devlint.rules.triggers.devices import DeviceString
from devlint.rules.triggers.places import is_slot_or_argument
from devlint.syntax import edits
from devlint.syntax.edits import replace_expression


class CudaArgument(Rule):
    """A torch call with CUDA as its device.

    What it does
    ------------
    Finds ``"cuda"`` and ``torch.device("cuda")`` where a torch call takes a device: ``x.to("cuda")``, ``device=`` of
    tensor factories and of modules, ``map_location=``, ``torch.Generator("cuda")``,
    ``torch.set_default_device("cuda")``, ``with torch.device("cuda"):``, and ``device=`` of the project's functions, in
    whichever file, that only put something there, or surely do so whatever else they do with it. Where such a function
    needs a string, or a class keeps it for later, it gets the device's type. The string elsewhere (in a log message, a
    key, a comparison or a call of another library) is not reported, nor is code under a test for CUDA in a program
    without a variable for its device. DEV106 reports literals with an index.

    Why is this bad?
    ----------------
    The program stops with an error on every machine without CUDA, even if nothing in it needs CUDA.

    Example
    -------
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    mask = torch.zeros(4, device="cuda")
    mask = mask.to("cuda", torch.float64, non_blocking=True)
    state = torch.load("state.pt", map_location="cuda")
    ```

    Use instead:
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    mask = torch.zeros(4, device=device)
    mask = mask.to(device, torch.float64, non_blocking=True)
    state = torch.load("state.pt", map_location=device)
    ```

    Fix safety
    ----------
    Safe: the fix uses the device that the program already has, or defines one, and with CUDA it is the same device as
    before. Unsafe if that device may be a different one, such as a parameter that may be None, or if nothing is gained,
    since what fails without CUDA stays beside it (see DEV101); the fix's message says why.
    """

    code = "DEV102"
    name = "cuda-argument"
    advice = "Pass a device that the program has chosen once, by what the machine has"
    gains_with_kernels = False
    trigger = DeviceString().where(is_slot_or_argument)

    def visit_Module(self, node: cst.Module) -> None:
        for use in literal_uses(self.ctx, LiteralRole.SLOT):
            if use.literal.index is None and not self._has_chosen(use):
                self._judge(use)

    def _has_chosen(self, use: LiteralUse) -> bool:
        """Whether the program has a counterpart for this, or moves it under a test, which is DEV105's."""
        is_move = isinstance(use.owner, cst.Call) and guarded_move(self.ctx, use.owner) is not None
        return is_move or has_alternative(self.ctx, use.node)

    def _judge(self, use: LiteralUse) -> None:
        """Report; under a test for CUDA only where the program has a device to name instead."""
        compared = compared_device(self.ctx, use.owner, use.node) if isinstance(use.owner, cst.Call) else None
        choice = resolver.resolve_device(self.ctx, compared or use.node)
        if choice is not None and self._stays(use.node, choice):
            return
        has_name = choice is not None and not (choice.edits or choice.caveat or choice.needs_parentheses)
        if not has_name and runs_guarded(self.ctx, use.node):
            return
        text = self.ctx.one_line_of(use.node)
        fix = self._fix(use, choice, compared) if choice is not None else None
        fix = with_card_left(self.ctx, use.node, fix)
        self.report(use.node, f"`{text}` puts this on CUDA on every machine", fix)

    def _stays(self, node: cst.CSTNode, choice: DeviceChoice) -> bool:
        """Whether this runs only where there is CUDA, and would after a fix."""
        guard = guard_of(self.ctx, node) if self.ctx.target.kind == "cuda" else None
        if guard is None:
            return False
        return stays_for_cuda(self.ctx, node, guard) or gains_nothing(self.ctx, node, guard, choice)

    def _fix(self, use: LiteralUse, choice: DeviceChoice, compared: cst.BaseExpression | None) -> Fix | None:
        if use.as_string:
            return self._string_fix(use, choice)
        arg = self.ctx.tree.parent(use.node)
        keyword = arg.keyword if isinstance(arg, cst.Arg) else None
        if isinstance(use.owner, cst.Call) and takes_text_alone(self.ctx, use.owner):
            return self._fix_here(use)
        if keyword is not None and keyword.value == "map_location" and not may_be_location(self.ctx, choice):
            return None
        text = choice.expression
        if isinstance(use.owner, cst.WithItem) and choice.is_string is not False:
            assert isinstance(use.node, cst.Call)
            text = f"{self.ctx.text_of(use.node.func)}({text})"
        joined = only_other_branch(self.ctx, use.node, text) if not choice.edits and compared is None else None
        changes: list[Edit | None] = (
            [*joined] if joined is not None else [replace_expression(self.ctx, use.node, text), *choice.edits]
        )
        if compared is not None and choice.is_string is False:
            changes.append(replace_expression(self.ctx, compared, text))
        return edits.as_fix(f"Replace by `{choice.expression}`", changes, choice.caveat)

    def _fix_here(self, use: LiteralUse) -> Fix | None:
        """The choice between two strings, where the string stands."""
        here = conditional_device(self.ctx, use.literal)
        caveat = availability_caveat(self.ctx, use.node)
        return edits.as_fix("Fall back to the CPU where there is no CUDA", here.edits, caveat) if here else None

    def _string_fix(self, use: LiteralUse, choice: DeviceChoice) -> Fix | None:
        """The type of the device: with CUDA it is the string that stood there. It alone needs no device."""
        defined = choice.expression == "device" and (choice.expression, choice.edits) in defined_for_placements(
            self.ctx
        )
        if choice.edits and not defined and scopes(self.ctx).function_of(use.node) is not None:
            return self._fix_here(use)
        found = type_of_choice(self.ctx, choice, use.node)
        if found is None:
            return None
        edit = replace_expression(self.ctx, use.node, found.expression)
        return edits.as_fix(f"Replace by `{found.expression}`", [edit, *found.edits], found.caveat)
