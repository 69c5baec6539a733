"""DEV405: a tensor's ``.to(device)`` whose result nobody takes."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.exception_handling import is_caught
from devlint.analysis.tensors.tensor_values import is_tensor
from devlint.analysis.transfers.discarded_transfers import can_be_assigned_back, is_transfer, only_wakes
from devlint.core.diagnostic import Fix
from devlint.rules.base import Rule
from devlint.rules.triggers.moves import moves_tensor
from devlint.rules.triggers.statements import Statement
from devlint.syntax import edits


class DiscardedTransfer(Rule):
    """A moved tensor whose copy is discarded.

    What it does
    ------------
    Finds ``x.to(device)`` and ``x.cuda()`` as statements, if ``x`` is known to be a tensor: created by torch,
    annotated as a tensor, or used as one in the same function. Modules and batch objects of common libraries move in
    place and are not reported; nor is anything that is not known to be a tensor, a new tensor
    (``torch.ones(1).cuda()`` starts CUDA; so does one that a function makes, moves and reads nowhere), and code under
    ``try`` or ``with pytest.raises(...)``. In 83 repositories and packages there were 7 findings, all of them right.

    Why is this bad?
    ----------------
    A module moves in place, but a tensor does not: the statement creates a copy and discards it. The tensor stays
    where it was, and the next operation with one on the device fails.

    Example
    -------
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = torch.nn.Linear(3, 1).to(device)
    batch = torch.ones(4, 3)
    batch.to(device)
    print(model(batch))
    ```

    Use instead:
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = torch.nn.Linear(3, 1).to(device)
    batch = torch.ones(4, 3)
    batch = batch.to(device)
    print(model(batch))
    ```

    Fix safety
    ----------
    Unsafe: with the fix, the tensor is on the device from then on, which was probably intended, but is not what the
    program did. There is no fix for a parameter of a module, for an element (``batch["x"].to(device)``), for a name of
    an enclosing function or the module, and for a name that is not read afterwards.
    """

    code = "DEV405"
    name = "discarded-transfer"
    advice = "Use the result, `x = x.to(device)`: the method returns a copy and leaves `x` where it is"
    trigger = Statement("to", "cuda").where(moves_tensor)

    def check(self, node: cst.Expr) -> None:
        call = node.value
        if (
            not isinstance(call, cst.Call)
            or not isinstance(call.func, cst.Attribute)
            or not is_transfer(self.ctx, call)
        ):
            return
        receiver = call.func.value
        if isinstance(receiver, cst.Call) or not is_tensor(self.ctx, receiver) or is_caught(self.ctx, node):
            return
        if only_wakes(self.ctx, receiver):
            return
        self.report(
            call,
            f"the moved tensor is thrown away: `.{call.func.attr.value}(...)` is not in place",
            self._fix(call, receiver),
        )

    def _fix(self, call: cst.Call, receiver: cst.BaseExpression) -> Fix | None:
        name = dotted_name(receiver)
        if name is None or not can_be_assigned_back(self.ctx, receiver):
            return None
        change = edits.insert_before(self.ctx, call, f"{name} = ")
        return edits.as_fix(
            f"Assign the moved tensor to `{name}`", [change], "the tensor is on the device from here on"
        )
