"""DEV706: CUDA chosen by a test that only says that there is an accelerator."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.apis.accelerator_members import accelerator_member
from devlint.analysis.devices.cuda_literals import CudaLiteral, LiteralKind, cuda_literal
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.guards.questions import FOR_ACCELERATOR
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import sole_value
from devlint.analysis.names.scopes import scopes
from devlint.analysis.slots.device_arguments import slot_owner
from devlint.core.diagnostic import Fix
from devlint.core.lazy_regex import regex
from devlint.fixes.torch_import import torch_name
from devlint.rules.base import Rule
from devlint.rules.triggers.devices import DeviceString, TorchDevice
from devlint.rules.triggers.names import Call
from devlint.rules.triggers.trigger import Beside
from devlint.syntax import edits
from devlint.syntax.edits import replace_expression
from devlint.syntax.literals import literal_value
from devlint.torch_api.device_naming import looks_like_device

_CUDA = regex(r"cuda|gpu|nvidia|rocm|nccl", re.IGNORECASE)


class CudaUnderAcceleratorTest(Rule):
    """A CUDA device chosen under a test of ``torch.accelerator``.

    What it does
    ------------
    Finds ``"cuda"`` and ``torch.device("cuda")`` that become the device if ``torch.accelerator.is_available()`` is
    true, without a test for CUDA. DEV105 reports moves there (``x.cuda()``).

    Why is this bad?
    ----------------
    The test is also true on a Mac, and with an Intel or Huawei device: there the program chooses CUDA and fails. The
    accelerator that the test found is ``torch.accelerator.current_accelerator()``.

    Example
    -------
    ```python
    import torch

    device = "cuda" if torch.accelerator.is_available() else "cpu"
    ```

    Use instead:
    ```python
    import torch

    device = torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu"
    ```

    Fix safety
    ----------
    Safe: if the accelerator is CUDA it is the same device, and a string stays a string; otherwise the program failed
    when it used the device.
    """

    code = "DEV706"
    name = "cuda-under-accelerator-test"
    advice = "Take `torch.accelerator.current_accelerator()`, which is what the test has found"
    trigger = Beside(DeviceString(chosen=True) | TorchDevice(), Call("torch.accelerator", "is_available"))

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        self._check(node)

    def visit_FormattedString(self, node: cst.FormattedString) -> None:
        self._check(node)

    def visit_Call(self, node: cst.Call) -> None:
        self._check(node)

    def _check(self, node: cst.BaseExpression) -> None:
        """Judge one expression that may be a CUDA device."""
        literal = cuda_literal(self.ctx, node)
        if (
            literal is None
            or literal.kind not in (LiteralKind.STRING, LiteralKind.DEVICE)
            or not self._is_device(literal)
        ):
            return
        if self._has_accelerators_test(node):
            written = self.ctx.one_line_of(node)
            message = f"`{written}` where there is an accelerator, which need not be CUDA"
            self.report(node, message, self._fix(literal))

    def _is_device(self, literal: CudaLiteral) -> bool:
        """Whether an expression becomes the program's device, and is not what something is moved to."""
        node = literal.node
        parent = self.ctx.tree.parent(node)
        while isinstance(parent, cst.IfExp) and parent.test is not node:
            if isinstance(literal.node, cst.SimpleString) and self._other(parent, node) == "cpu":
                return True
            node, parent = parent, self.ctx.tree.parent(parent)
        if literal.kind is LiteralKind.DEVICE:
            return not isinstance(parent, (cst.Comparison, cst.ComparisonTarget)) and slot_owner(self.ctx, node) is None
        if isinstance(parent, cst.Return):
            function = scopes(self.ctx).function_of(parent)
            return function is not None and "device" in function.name.value.lower()
        target = parent.targets[0].target if isinstance(parent, cst.Assign) else None
        name = dotted_name(target) if target is not None else None
        return name is not None and looks_like_device(name.rpartition(".")[2])

    def _other(self, choice: cst.IfExp, node: cst.BaseExpression) -> object:
        """The string in the other branch of a conditional expression."""
        other = choice.orelse if choice.body is node else choice.body
        return literal_value(other) if isinstance(other, cst.SimpleString) else None

    def _has_accelerators_test(self, node: cst.BaseExpression) -> bool:
        """Whether torch.accelerator is asked before ``node``, and nothing is asked about CUDA."""
        found = False
        for guard in guards_of(self.ctx, node, FOR_ACCELERATOR):
            value = sole_value(self.ctx, guard.test) if isinstance(guard.test, cst.Name) else None
            for test in (guard.test, *([value] if value is not None else [])):
                if _CUDA.search(self.ctx.text_of(test)):
                    return False
                calls = (one for one in self.ctx.tree.below(test) if isinstance(one, cst.Call))
                found = found or any(accelerator_member(self.ctx, one.func) == "is_available" for one in calls)
        return found

    def _fix(self, literal: CudaLiteral) -> Fix | None:
        torch = torch_name(self.ctx, literal.node)
        if torch is None:
            return None
        accelerator = f"{torch[0]}.accelerator.current_accelerator()"
        if literal.kind is LiteralKind.DEVICE:
            text = f"{torch[0]}.device({accelerator}.type, {literal.index})" if literal.index else accelerator
        elif literal.index is None:
            text = f"{accelerator}.type"
        elif set(literal.index).isdisjoint("\"'\\\n"):
            card = literal.index if literal.is_constant else f"{{{literal.index}}}"
            text = f'f"{{{accelerator}.type}}:{card}"'
        else:
            return None
        return edits.as_fix(
            "Use the accelerator that is there", [replace_expression(self.ctx, literal.node, text), *torch[1]]
        )
