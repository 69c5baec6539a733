"""DEV107: ``torch.cuda.device`` where ``torch.device`` was meant, or where CUDA may be missing."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.visible_devices import may_ask_for_cuda
from devlint.analysis.guards.cuda_only_code import does_without
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import is_torch
from devlint.analysis.slots.device_arguments import device_slot
from devlint.core.diagnostic import Fix
from devlint.fixes.device.cards.card_left import with_card_left
from devlint.fixes.null_context import fails_inside, null_context
from devlint.fixes.torch_import import torch_name
from devlint.rules.base import Rule
from devlint.rules.triggers.names import Member
from devlint.syntax import edits
from devlint.torch_api.device_naming import looks_like_device


class CudaDeviceContext(Rule):
    """``torch.cuda.device`` used as a device, or as a context where CUDA may be missing.

    What it does
    ------------
    Finds ``torch.cuda.device`` in an annotation, as the device argument of a torch call, or assigned to a variable
    that holds a device; and ``with torch.cuda.device(i):`` without a test for CUDA around it, except in code that is
    only for CUDA (see DEV501), such as the launch of a Triton kernel.

    Why is this bad?
    ----------------
    ``torch.cuda.device`` is a context manager that selects a GPU. It is not a device: ``x.to(torch.cuda.device(0))``
    is a TypeError, and no device has it as its type. As a context manager it fails without CUDA.

    Example
    -------
    ```python
    import torch


    def to_device(x: torch.Tensor, device: torch.cuda.device) -> torch.Tensor:
        return x.to(device)
    ```

    Use instead:
    ```python
    import torch


    def to_device(x: torch.Tensor, device: torch.device) -> torch.Tensor:
        return x.to(device)
    ```

    Fix safety
    ----------
    Safe: the code could not work as a device; and ``with torch.cuda.device(i):`` becomes
    ``with torch.cuda.device(i) if torch.cuda.is_available() else nullcontext():``, which does the same with CUDA;
    ``ExitStack()`` where the project says that it runs on a Python before 3.7, which has no ``nullcontext``: in what it
    requires, its classifiers, environments, Dockerfile or README, or as the file is written for Python 2 as well. There
    is no fix for that one where it would ask for CUDA before the program chooses its visible GPUs, or where its block
    uses CUDA's streams or events, or asks CUDA for something else, which fails without CUDA too; and it is unsafe where
    NCCL, a move to a card or a division by the number of cards stays beside it, and nothing is gained.
    """

    code = "DEV107"
    name = "cuda-device-context"
    advice = "Use `torch.device` for a device, and enter `torch.cuda.device` only under a test for CUDA"
    gains_with_kernels = False
    trigger = Member("torch.cuda", "device")

    def visit_Attribute(self, node: cst.Attribute) -> None:
        if node.attr.value == "device":
            self._check(node)

    def visit_Name(self, node: cst.Name) -> None:
        if not isinstance(self.ctx.tree.parent(node), (cst.Attribute, cst.ImportAlias, cst.AsName)):
            self._check(node)

    def _check(self, node: cst.BaseExpression) -> None:
        """Judge one mention of ``torch.cuda.device``."""
        if not is_torch(self.ctx, node, "cuda.device"):
            return
        call = self.ctx.tree.parent(node)
        is_called = isinstance(call, cst.Call) and call.func is node
        if self._is_annotation(node):
            self.report(node, "`torch.cuda.device` is a context manager, not the type of a device", self._fix(node))
        elif is_called and isinstance(call, cst.Call) and self._is_device(call):
            self.report(node, "`torch.cuda.device` is a context manager, not a device", self._fix(node, call))
        elif is_called and self._is_entered(call) and not does_without(self.ctx, node):
            self.report(node, "`with torch.cuda.device(…)` fails where there is no CUDA", self._entered(node))

    def _is_annotation(self, node: cst.BaseExpression) -> bool:
        """Whether ``node`` stands in an annotation, ``Optional[...]`` and the like around it included."""
        for _, parent in self.ctx.tree.path_up(node):
            if isinstance(parent, cst.Annotation):
                return True
            if isinstance(parent, (cst.Call, cst.BaseStatement, cst.BaseSmallStatement, cst.Param)):
                return False
        return False

    def _is_entered(self, call: cst.CSTNode | None) -> bool:
        return call is not None and isinstance(self.ctx.tree.parent(call), cst.WithItem)

    def _is_device(self, call: cst.Call) -> bool:
        """Whether the context manager is used where only a device can be."""
        parent = self.ctx.tree.parent(call)
        if isinstance(parent, cst.Arg):
            outer = self.ctx.tree.parent(parent)
            return isinstance(outer, cst.Call) and device_slot(self.ctx, outer) is parent
        if not isinstance(parent, cst.Assign) or len(parent.targets) != 1:
            return False
        name = dotted_name(parent.targets[0].target)
        return name is not None and looks_like_device(name.rpartition(".")[2]) and not self._is_used_in_with(name)

    def _is_used_in_with(self, name: str) -> bool:
        return any(dotted_name(item.item) == name for item in self.ctx.tree.of_type(cst.WithItem))

    def _entered(self, node: cst.BaseExpression) -> Fix | None:
        """Enter nothing where there is no CUDA; none where what is inside needs CUDA anyway."""
        call = self.ctx.tree.parent(node)
        entered = next((one for one in self.ctx.tree.ancestors(node) if isinstance(one, cst.With)), None)
        if entered is None or fails_inside(self.ctx, entered, node):
            return None
        torch, nothing = torch_name(self.ctx, node), null_context(self.ctx, node)
        if not isinstance(call, cst.Call) or torch is None or nothing is None or not may_ask_for_cuda(self.ctx, node):
            return None
        text = f" if {torch[0]}.cuda.is_available() else {nothing[0]}"
        made = [edits.insert_after(self.ctx, call, text), *torch[1], *nothing[1]]
        return with_card_left(self.ctx, call, edits.as_fix("Enter no context where there is no CUDA", made))

    def _fix(self, node: cst.BaseExpression, call: cst.Call | None = None) -> Fix | None:
        """Write ``torch.device``; a bare card number becomes a card of CUDA."""
        torch = torch_name(self.ctx, node)
        if torch is None:
            return None
        made = [edits.replace(self.ctx, node, f"{torch[0]}.device"), *torch[1]]
        if call is not None:
            if len(call.args) != 1 or call.args[0].star or call.args[0].keyword is not None:
                return None
            card = call.args[0].value
            if isinstance(card, cst.Integer):
                made.append(edits.replace_outer(self.ctx, card, f'"cuda:{card.value}"'))
            elif not isinstance(card, (cst.SimpleString, cst.FormattedString)):
                made.append(edits.insert_before(self.ctx, card, '"cuda", '))
        return edits.as_fix("Replace by `torch.device`", made)
