"""DEV503: memory pinned where there may be no GPU to copy it to."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.guards.cuda_implementations import implements_cuda
from devlint.analysis.guards.cuda_only_code import does_without
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import origin
from devlint.analysis.slots.device_arguments import imports_torch, is_not_torch
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.conditional_device import needs_parentheses
from devlint.fixes.torch_import import torch_name
from devlint.rules.base import Rule
from devlint.rules.triggers.names import Keyword, Method
from devlint.rules.triggers.uses import may_pin
from devlint.syntax import edits
from devlint.torch_api.device_naming import speaks_of_pinning

_FACTORIES = frozenset(
    f"torch.{name}{suffix}" for name in ("empty", "full", "ones", "rand", "randn", "zeros") for suffix in ("", "_like")
) | frozenset("torch.arange torch.eye torch.linspace torch.logspace torch.randint torch.randperm torch.tensor".split())


class PinnedMemory(Rule):
    """Memory pinned where there may be no GPU.

    What it does
    ------------
    Finds ``x.pin_memory()`` and ``pin_memory=True`` in a call that creates a tensor, if there is no test for CUDA
    around them and no option of the program controls them. ``DataLoader(pin_memory=True)`` only warns without a GPU,
    and is not reported.

    Why is this bad?
    ----------------
    Pinned memory makes copies to a GPU faster. Without a GPU, pinning raises a RuntimeError.

    Example
    -------
    ```python
    import torch


    def buffer(size: int) -> torch.Tensor:
        return torch.zeros(size, pin_memory=True)
    ```

    Use instead:
    ```python
    import torch


    def buffer(size: int) -> torch.Tensor:
        return torch.zeros(size, pin_memory=torch.cuda.is_available())
    ```

    Fix safety
    ----------
    Unsafe: with CUDA the memory is pinned as before, but on a machine with another accelerator it no longer is; with
    the target ``accelerator`` it is pinned for every accelerator. There is no fix if the expression of the tensor
    would be written twice and calls something.
    """

    code = "DEV503"
    name = "pinned-memory"
    advice = "Pin memory only where there is a GPU: `pin_memory=torch.cuda.is_available()`"
    gains_with_kernels = False
    trigger = (Method("pin_memory") | Keyword("pin_memory", "True")).where(may_pin)

    def visit_Call(self, node: cst.Call) -> None:
        if isinstance(node.func, cst.Attribute) and node.func.attr.value == "pin_memory":
            if self._pins(node, node.func.value) and not self._is_settled(node):
                self.report(node, "`.pin_memory()` fails where there is no GPU", self._choose(node, node.func.value))
        slot = next((arg for arg in node.args if arg.keyword is not None and arg.keyword.value == "pin_memory"), None)
        if slot is not None and dotted_name(slot.value) == "True" and origin(self.ctx, node.func) in _FACTORIES:
            if not self._is_settled(node):
                self.report(slot, "`pin_memory=True` fails where there is no GPU", self._ask(node, slot))

    def _pins(self, call: cst.Call, receiver: cst.BaseExpression) -> bool:
        """Whether a call gives a pinned copy; what changes an object in place is a method of somebody else's."""
        parent = self.ctx.tree.parent(call)
        if isinstance(parent, cst.Expr) or is_not_torch(self.ctx, receiver) or not _names_device(call.args):
            return False
        is_super = isinstance(receiver, cst.Call) and dotted_name(receiver.func) == "super"
        named = dotted_name(receiver) in ("self", "cls") or (origin(self.ctx, receiver) or "").startswith("torch.")
        return not is_super and not named and imports_torch(self.ctx)

    def _is_settled(self, call: cst.Call) -> bool:
        """Whether the program asks for CUDA or for an option of its own, or is a ``pin_memory`` that a loader calls."""
        for child, parent in self.ctx.tree.path_up(call):
            if isinstance(parent, cst.FunctionDef) and speaks_of_pinning(parent.name.value):
                return True
            if isinstance(parent, (cst.If, cst.IfExp)) and child is not parent.test:
                if speaks_of_pinning(self.ctx.text_of(parent.test)):
                    return True
        return does_without(self.ctx, call) or implements_cuda(self.ctx, call)

    def _ask(self, call: cst.Call, slot: cst.Arg) -> Fix | None:
        torch = torch_name(self.ctx, call)
        if torch is None:
            return None
        test = self.ctx.target.available(torch[0])
        changes = [edits.replace_outer(self.ctx, slot.value, test), *torch[1]]
        return edits.as_fix(f"Replace by `pin_memory={test}`", changes, self._caveat())

    def _choose(self, call: cst.Call, receiver: cst.BaseExpression) -> Fix | None:
        """``x.pin_memory() if … else x``; a tensor that is made there is made in pinned memory."""
        torch = torch_name(self.ctx, call)
        if torch is None:
            return None
        test = self.ctx.target.available(torch[0])
        if isinstance(receiver, cst.Call) and origin(self.ctx, receiver.func) in _FACTORIES and not call.args:
            given = [arg for arg in receiver.args if arg.star or (arg.keyword and arg.keyword.value == "pin_memory")]
            around = edits.keep_only(self.ctx, call, receiver)
            added = edits.add_argument(self.ctx, receiver, ("pin_memory", test))
            made: list[Edit | None] = [added, *torch[1], *(around or (None,))]
            return edits.as_fix(f"Replace by `pin_memory={test}`", made, self._caveat()) if not given else None
        text = self.ctx.text_of(receiver)
        if not _is_repeatable(receiver) or "\n" in text:
            return None
        suffix = f" if {test} else {text}"
        changes = [edits.insert_after(self.ctx, call, suffix)]
        if needs_parentheses(self.ctx, call):
            changes = [edits.insert_before(self.ctx, call, "("), edits.insert_after(self.ctx, call, suffix + ")")]
        return edits.as_fix(f"Pin it only if `{test}`", [*changes, *torch[1]], self._caveat())

    def _caveat(self) -> str:
        whatever = "whatever accelerator there is" if self.ctx.target.kind == "accelerator" else "CUDA only"
        return f"memory is then pinned for {whatever}"


def _names_device(arguments: Sequence[cst.Arg]) -> bool:
    """Whether a tensor's method takes these: nothing, or a device; ``accelerator.pin_memory(x)`` is another's."""
    if len(arguments) != 1:
        return not arguments
    value = arguments[0].value
    is_text = isinstance(value, cst.SimpleString) or dotted_name(value) == "None"
    return is_text or "device" in (arguments[0].keyword or cst.Name("_")).value or "dev" in (dotted_name(value) or "")


def _is_repeatable(node: cst.BaseExpression) -> bool:
    """Whether an expression can be written twice: names, attributes and subscripts by a name or constant."""
    if isinstance(node, cst.Subscript) and len(node.slice) == 1:
        index = node.slice[0].slice
        simple = isinstance(index, cst.Index) and isinstance(index.value, (cst.Name, cst.Integer, cst.SimpleString))
        return simple and _is_repeatable(node.value)
    return dotted_name(node) is not None
