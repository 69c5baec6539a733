"""DEV703: a call of torch.accelerator that fails where there is no accelerator."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.core.diagnostic import Fix
from devlint.fixes.apis.accelerator_calls import availability_test, fails_without_device
from devlint.fixes.guard_statements import neighbouring_statements, statement_of, under_guard
from devlint.rules.base import Rule
from devlint.rules.triggers.names import Call
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext
from devlint.torch_api.accelerator_api import FAILS_WITHOUT_DEVICE


class AcceleratorRaisesOnCpu(Rule):
    """A call of ``torch.accelerator`` that raises an error without an accelerator.

    What it does
    ------------
    Finds ``synchronize``, ``empty_cache``, ``set_device_index``, ``current_device_index``, ``current_stream``, the
    memory statistics and the other functions of ``torch.accelerator`` that need a device, and ``with
    torch.accelerator.device_index(i):``, if there is no test for an accelerator (or for CUDA) before them and no
    handler catches the error.

    Why is this bad?
    ----------------
    ``torch.accelerator`` looks portable, but on a machine without an accelerator nearly all of it raises
    ``RuntimeError: Cannot access accelerator device when none is available``, even functions that do nothing or return
    0 in ``torch.cuda``: ``empty_cache()`` and ``memory_allocated()``. Only ``is_available``, ``device_count`` and
    ``current_accelerator`` can be called everywhere.

    Example
    -------
    ```python
    import torch

    x = torch.ones(2) * 2
    torch.accelerator.synchronize()
    torch.accelerator.empty_cache()
    ```

    Use instead:
    ```python
    import torch

    x = torch.ones(2) * 2
    if torch.accelerator.is_available():
        torch.accelerator.synchronize()
        torch.accelerator.empty_cache()
    ```

    Fix safety
    ----------
    Safe: with an accelerator the same calls run; without one the program failed. There is a fix if the call is a
    statement; if its value is used, it is not known what it should be without an accelerator.
    """

    code = "DEV703"
    name = "accelerator-raises-on-cpu"
    advice = "Call it under `if torch.accelerator.is_available():`, and decide what holds without one"
    trigger = Call("torch.accelerator", "device_index", *FAILS_WITHOUT_DEVICE)

    def check(self, node: cst.Call) -> None:
        if fails_without_device(self.ctx, node):
            written = self.ctx.one_line_of(node.func)
            self.report(node, f"`{written}` raises RuntimeError where there is no accelerator", self._fix(node))

    def _fix(self, node: cst.Call) -> Fix | None:
        """The statement under a test, together with its neighbours that need the same; they share the fix."""
        statement = statement_of(self.ctx, node)
        if statement is None:
            return None
        fixes = self.ctx.fact(_fixes)
        if id(statement) not in fixes:
            group = neighbouring_statements(self.ctx, statement, self._is_found)
            fix = self._of_all(group)
            fixes.update({id(one): fix for one in group})
        return fixes[id(statement)]

    def _of_all(self, group: Sequence[cst.BaseSmallStatement]) -> Fix | None:
        """Neighbours under one test."""
        calls = [one for small in group for one in self.ctx.tree.below(small) if isinstance(one, cst.Call)]
        binds = any(isinstance(one, cst.NamedExpr) for small in group for one in self.ctx.tree.below(small))
        test = availability_test(self.ctx, calls[0].func) if not binds else None
        guard = under_guard(self.ctx, group[0], test[0], group[-1]) if test is not None else None
        if test is None or guard is None:
            return None
        return edits.as_fix(f"Put it under `if {test[0]}:`", [*guard, *test[1]])

    def _is_found(self, statement: cst.BaseSmallStatement) -> bool:
        return isinstance(statement, cst.Expr) and fails_without_device(self.ctx, statement.value)


def _fixes(ctx: FileContext) -> dict[int, Fix | None]:
    """The fixes of statements, by their ids: filled as they are found."""
    return {}
