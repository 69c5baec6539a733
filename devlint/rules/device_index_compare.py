"""DEV602: the device of a tensor compared with a device that has no index."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.indexless_devices import indexless_kinds
from devlint.analysis.devices.torch_device_values import is_tensor_device
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.string_literals import string_value
from devlint.core.diagnostic import Fix
from devlint.rules.base import Rule
from devlint.rules.triggers.comparisons import DeviceCompared
from devlint.rules.triggers.torch_devices import asks_tensor_for_bare_device
from devlint.syntax import edits
from devlint.syntax.edits import replace_expression
from devlint.torch_api.moves import MOVES


class DeviceIndexCompare(Rule):
    """The device of a tensor compared with a device without an index.

    What it does
    ------------
    Finds ``x.device == torch.device("cuda")`` and ``!=``, also if the second device is a variable, and if ``x`` is
    certainly a tensor. A test that only avoids a needless move, as in ``if x.device != device: x = x.to(device)``, is
    not reported.

    Why is this bad?
    ----------------
    The device of a tensor on a GPU has an index, and ``torch.device("cuda:0")`` is not equal to
    ``torch.device("cuda")``: the test is never true (or, with ``!=``, always). On the CPU, which has no index, it
    works.

    Example
    -------
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.ones(4).to(device)
    if x.device == torch.device("cuda"):
        print("on a GPU")
    assert x.device == device
    ```

    Use instead:
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.ones(4).to(device)
    if x.device.type == "cuda":
        print("on a GPU")
    assert x.device.type == device.type
    ```

    Fix safety
    ----------
    Unsafe: the result changes on a GPU, which is the purpose, and GPUs with other indices count as equal. There is no
    fix if a comment would be lost.
    """

    code = "DEV602"
    name = "device-index-compare"
    advice = "Compare the types: `x.device.type == device.type`"
    trigger = DeviceCompared().where(asks_tensor_for_bare_device)

    def visit_Comparison(self, node: cst.Comparison) -> None:
        operator = node.comparisons[0].operator
        if len(node.comparisons) != 1 or not isinstance(operator, (cst.Equal, cst.NotEqual)):
            return
        left, right = node.left, node.comparisons[0].comparator
        for own, other in ((left, right), (right, left)):
            kinds = indexless_kinds(self.ctx, other) if is_tensor_device(self.ctx, own) else None
            if kinds is not None and not (isinstance(operator, cst.NotEqual) and self._only_moves(node)):
                outcome = "always" if isinstance(operator, cst.NotEqual) else "never"
                devices = f"`{self._text(own)}` has an index on a GPU and `{self._text(other)}` has none"
                self.report(node, f"{devices}: {outcome} true there", self._fix(own, other))
                return

    def _text(self, node: cst.BaseExpression) -> str:
        return self.ctx.one_line_of(node)

    def _only_moves(self, node: cst.Comparison) -> bool:
        """Whether the comparison is the test of an ``if`` that does nothing but ``x = x.to(device)``."""
        parent = self.ctx.tree.parent(node)
        if not isinstance(parent, cst.If) or parent.orelse is not None:
            return False
        lines = statements(parent.body)
        small = [one for line in lines for one in statements(line) or [line]]
        return all(_is_move(getattr(one, "value", None)) for one in small)

    def _fix(self, own: cst.BaseExpression, other: cst.BaseExpression) -> Fix | None:
        changes = [edits.insert_after(self.ctx, own, ".type")]
        named = (
            other.args[0].value
            if isinstance(other, cst.Call) and origin(self.ctx, other.func) == "torch.device"
            else None
        )
        if named is not None and string_value(named) is not None:
            replaced = replace_expression(self.ctx, other, self.ctx.text_of(named))
            if replaced is None:
                return None
            changes.append(replaced)
        else:
            changes.append(edits.insert_after(self.ctx, other, ".type"))
        return edits.as_fix("Compare the types of the devices", changes, "every GPU counts as the same")


def _is_move(value: cst.CSTNode | None) -> bool:
    function = value.func if isinstance(value, cst.Call) else None
    return isinstance(function, cst.Attribute) and function.attr.value in MOVES
