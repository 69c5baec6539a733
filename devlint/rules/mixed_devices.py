"""DEV406: two tensors that are certainly on different devices."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.exception_handling import is_caught
from devlint.analysis.places.results.mixed_devices import MixedDevices
from devlint.analysis.tensors.cpu_tensors import mixed_tensors
from devlint.rules.base import Rule
from devlint.rules.triggers.cpu_tensors import MixedOperation


class MixedDevicesInOneOperation(Rule):
    """An operation on two tensors that are certainly on different devices.

    What it does
    ------------
    Finds an operation that wants its tensors on one device, such as ``a + b`` or ``torch.cat([a, b])``, if the program
    has put them on two by their names: ``.cpu()`` and ``.cuda()``, ``"cuda:0"`` and ``"cuda:1"``, on every path.
    Tensors are followed through the functions and classes of the file, and through its main part. ``cuda`` without a
    number may be any card, and ``"cuda" if torch.cuda.is_available() else "cpu"`` may be the CPU, so neither is
    certain. Tensors without dimensions and indices on the CPU, and code under ``try`` or
    ``with pytest.raises(...)`` are not reported. Off by default: in 20 million lines of released packages and
    repositories there was no finding, right or false, and a check takes up to a tenth longer with it.

    Why is this bad?
    ----------------
    The operation fails on every machine that has these devices.

    Example
    -------
    ```python
    import torch


    def difference(x: torch.Tensor, y: torch.Tensor):
        mean = x.cuda().mean(dim=1)
        return mean - y.cpu()
    ```

    Use instead:
    ```python
    import torch


    def difference(x: torch.Tensor, y: torch.Tensor):
        mean = x.cuda().mean(dim=1)
        return mean - y.to(mean.device)
    ```

    Fix safety
    ----------
    There is no fix: nobody knows on which of the two devices the operation was meant to run.
    """

    code = "DEV406"
    name = "mixed-devices"
    advice = "Move one of the tensors to the device of the other first: `y.to(x.device)`"
    default = False
    trigger = MixedOperation()

    def check(self, node: cst.CSTNode) -> None:
        found = mixed_tensors(self.ctx)
        mixed = found.get(self.ctx.span(node)) if found else None
        if mixed is not None and not is_caught(self.ctx, node):
            self.report(node, _message(mixed))


def _message(mixed: MixedDevices) -> str:
    one, other = (f"`{device}` (line {row})" for device, row in zip(mixed.devices, mixed.rows, strict=True))
    return f"`{mixed.kind}` of tensors on different devices: one is on {one}, the other on {other}"
