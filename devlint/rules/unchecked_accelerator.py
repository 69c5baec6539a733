"""DEV702: ``current_accelerator()`` used as a device, though it may be None."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.current_accelerator import is_checked_for_none, is_unchecked, later_uses, needs_device
from devlint.analysis.guards.guards import has_accelerator
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import string_value
from devlint.core.diagnostic import Fix
from devlint.fixes.apis.accelerator_calls import availability_test, fails_without_device
from devlint.fixes.conditional_device import availability_caveat
from devlint.fixes.torch_import import torch_name
from devlint.rules.base import Rule
from devlint.rules.triggers.names import Call
from devlint.syntax import edits
from devlint.syntax.edits import fit_quotes
from devlint.torch_api.accelerator_api import SINCE

_BRACKETS_ENOUGH = (cst.Arg, cst.Assign, cst.Return, cst.Element, cst.DictElement, cst.FormattedStringExpression)


class UncheckedAccelerator(Rule):
    """The current accelerator used as a device without a test that there is one.

    What it does
    ------------
    Finds ``torch.accelerator.current_accelerator()`` if an attribute of it is used (``.type``), if torch takes it as a
    device, if it is formatted into ``f"{…}:{rank}"`` or returned as a ``torch.device``, or if it is assigned to a
    variable that is used so, without a test for an accelerator or for None and without an exception handler.

    Why is this bad?
    ----------------
    It is None with a CPU build of torch: ``.type`` raises AttributeError, ``torch.device(None)`` TypeError, and
    ``x.to(None)`` silently does nothing. With a GPU build it names the GPU even if the machine has none.

    Example
    -------
    ```python
    import torch

    device_type = torch.accelerator.current_accelerator().type
    x = torch.ones(2).to(device_type)
    ```

    Use instead:
    ```python
    import torch

    device_type = torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu"
    x = torch.ones(2).to(device_type)
    ```

    Fix safety
    ----------
    Safe if every use shows that a device is needed: with an accelerator it is the same device. Unsafe if the value is
    also used in other ways, because it is then a device instead of None, and if a module would ask for the device when
    it is imported.
    """

    code = "DEV702"
    name = "unchecked-accelerator"
    advice = "Ask `torch.accelerator.is_available()` first, and fall back to the CPU"
    trigger = Call("torch.accelerator", "current_accelerator")

    def check(self, node: cst.Call) -> None:
        if not is_unchecked(self.ctx, node):
            return
        parent = self.ctx.tree.parent(node)
        if needs_device(self.ctx, node):
            self._found(node)
        elif isinstance(parent, cst.Return) and self._returns_device(parent):
            self._found(node, "a caller that asks for None gets a device")
        elif isinstance(parent, cst.Assign) and parent.value is node:
            self._check_uses(node, later_uses(self.ctx, parent) or [])

    def _check_uses(self, node: cst.Call, uses: list[cst.CSTNode]) -> None:
        """Report a call whose value is kept under a name, and used as a device without a test."""
        if any(is_checked_for_none(self.ctx, one) for one in uses):
            return
        if any(needs_device(self.ctx, one) and not has_accelerator(self.ctx, one) for one in uses):
            certain = all(needs_device(self.ctx, one) for one in uses)
            self._found(node, None if certain else "other uses of it get a device instead of None")

    def _found(self, node: cst.Call, caveat: str | None = None) -> None:
        written = self.ctx.one_line_of(node)
        self.report(node, f"`{written}` may be None: nothing asks for an accelerator", self._fix(node, caveat))

    def _returns_device(self, statement: cst.Return) -> bool:
        """Whether a function says that it returns a device, and never None."""
        function = scopes(self.ctx).function_of(statement)
        returns = function.returns if function is not None else None
        return returns is not None and (dotted_name(returns.annotation) or "").endswith("device")

    def _fix(self, node: cst.Call, caveat: str | None) -> Fix | None:
        """A choice between the accelerator and the CPU in the place of the call, or of its ``.type``."""
        test, torch = availability_test(self.ctx, node.func), torch_name(self.ctx, node)
        whole = self.ctx.tree.parent(node)
        is_type = isinstance(whole, cst.Attribute) and whole.attr.value == "type"
        place: cst.BaseExpression = whole if is_type and isinstance(whole, cst.Attribute) else node
        if test is None or torch is None or self._fails_anyway(node):
            return None
        other = '"cpu"' if is_type else f'{torch[0]}.device("cpu")'
        choice = fit_quotes(self.ctx, place, f" if {test[0]} else {other}")
        if choice is None:
            return None
        span = self.ctx.span(place)
        text = self.ctx.source.text[span.start : span.end] + choice
        place = self._certain(place) or place
        if not place.lpar and not isinstance(self.ctx.tree.parent(place), _BRACKETS_ENOUGH):
            text = f"({text})"
        made = [edits.replace(self.ctx, place, text), *test[1], *(torch[1] if not is_type else ())]
        message = "Choose the CPU where there is no accelerator"
        return edits.as_fix(message, made, caveat or availability_caveat(self.ctx, node))

    def _certain(self, place: cst.BaseExpression) -> cst.IfExp | None:
        """``place if hasattr(torch, "accelerator") else …``, where every torch that the project supports has it."""
        choice = self.ctx.tree.parent(place)
        if not isinstance(choice, cst.IfExp) or choice.body is not place or not isinstance(choice.test, cst.Call):
            return None
        asks = dotted_name(choice.test.func) == "hasattr" and len(choice.test.args) == 2
        is_it = asks and string_value(choice.test.args[1].value) == "accelerator"
        known = self.ctx.target.torch_min_version >= SINCE["is_available"] and not self.ctx.target.torch_min_is_guess
        return choice if is_it and known else None

    def _fails_anyway(self, node: cst.CSTNode) -> bool:
        """Whether the same statement has another call that needs an accelerator."""
        statement = next(
            (one for one in self.ctx.tree.ancestors(node) if isinstance(one, cst.BaseSmallStatement)), None
        )
        return statement is not None and any(
            fails_without_device(self.ctx, one) for one in self.ctx.tree.below(statement)
        )
