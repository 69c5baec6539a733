"""DEV701: ``torch.accelerator.device_index(i)`` as a statement."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.accelerator_members import accelerator_member
from devlint.analysis.names.resolution import is_none
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.apis.accelerator_calls import availability_test, may_run_without_accelerator
from devlint.fixes.guard_statements import statement_of, under_guard
from devlint.fixes.torch_import import torch_name
from devlint.rules.base import Rule
from devlint.rules.triggers.names import Call
from devlint.syntax import edits


class BareDeviceIndex(Rule):
    """``torch.accelerator.device_index(i)`` as a statement, where it does nothing.

    What it does
    ------------
    Finds calls of ``torch.accelerator.device_index`` whose result is not used.

    Why is this bad?
    ----------------
    ``device_index`` is a context manager: it selects the device when ``with`` enters it. As a statement it has no
    effect, and every process of a distributed program continues with device 0.

    Example
    -------
    ```python
    import torch


    def setup(rank: int) -> None:
        if torch.accelerator.is_available():
            torch.accelerator.device_index(rank)
    ```

    Use instead:
    ```python
    import torch


    def setup(rank: int) -> None:
        if torch.accelerator.is_available():
            torch.accelerator.set_device_index(rank)
    ```

    Fix safety
    ----------
    Unsafe: ``set_device_index`` is what was intended, and the program then uses another device than before. If there
    is no test for an accelerator before it, the fix adds one: without an accelerator the context manager did no harm,
    but the function raises an error.
    """

    code = "DEV701"
    name = "bare-device-index"
    advice = "Enter it with `with`, or call `torch.accelerator.set_device_index(i)`"
    trigger = Call("torch.accelerator", "device_index")

    def check(self, node: cst.Call) -> None:
        statement = statement_of(self.ctx, node)
        if statement is not None and accelerator_member(self.ctx, node.func) == "device_index":
            message = "`device_index` is a context manager: as a statement it does not select the device"
            self.report(node, message, self._fix(node, statement))

    def _fix(self, node: cst.Call, statement: cst.Expr) -> Fix | None:
        """``set_device_index``, under a test where it would fail without one."""
        test = availability_test(self.ctx, node.func)
        renamed = self._renamed(node.func)
        if test is None or renamed is None or len(node.args) != 1 or is_none(node.args[0].value):
            return None
        guard: tuple[Edit, ...] | None = ()
        if not may_run_without_accelerator(self.ctx, node):
            guard = under_guard(self.ctx, statement, test[0])
        if guard is None:
            return None
        made = [*renamed, *guard, *(test[1] if guard else ())]
        return edits.as_fix("Replace by `set_device_index`", made, "the program will use that device")

    def _renamed(self, function: cst.BaseExpression) -> list[Edit] | None:
        if isinstance(function, cst.Attribute):
            return [edits.replace(self.ctx, function.attr, "set_device_index")]
        torch = torch_name(self.ctx, function)
        if torch is None:
            return None
        return [edits.replace(self.ctx, function, f"{torch[0]}.accelerator.set_device_index"), *torch[1]]
