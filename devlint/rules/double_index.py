"""DEV604: an index added to a device that may have one."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.device_with_index import device_before_index, is_meant_as_device, may_have_index
from devlint.rules.base import Rule
from devlint.rules.triggers.places import is_device
from devlint.rules.triggers.strings import Joined


class DoubleIndex(Rule):
    """An index added to a device that may have one.

    What it does
    ------------
    Finds ``f"{device}:{i}"``, ``device + ":0"``, ``"{}:{}".format(device, i)`` and ``"%s:%d" % (device, i)`` where a
    device is needed, if the file shows that ``device`` may have an index: it is the device of a tensor, or its value
    or default is a name such as ``cuda:0``.

    Why is this bad?
    ----------------
    ``cuda:0:1`` is not a device, and the program stops. ``device.type`` never has an index.

    Example
    -------
    ```python
    import torch

    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    second = torch.device(f"{device}:1")
    ```

    Use instead:
    ```python
    import torch

    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    second = torch.device(device.type, 1)
    ```

    Fix safety
    ----------
    There is no fix: it is not known which of the two indices is intended, and whether the device may be the CPU.
    """

    code = "DEV604"
    name = "double-index"
    advice = "Decide which of the indices is meant; `device.type` has none"
    trigger = Joined().where(is_device)

    def visit_FormattedString(self, node: cst.FormattedString) -> None:
        self._joined(node)

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        self._joined(node)

    def visit_Call(self, node: cst.Call) -> None:
        self._joined(node)

    def _joined(self, node: cst.BaseExpression) -> None:
        device = device_before_index(self.ctx, node)
        if device is None or not is_meant_as_device(self.ctx, node) or not may_have_index(self.ctx, device):
            return
        self.report(node, f"`{self.ctx.text_of(device)}` may have an index already")
