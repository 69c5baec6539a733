"""DEV407: a tensor made on the CPU that is likely to meet one on the device."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.tensors.cpu_tensors import likely_cpu_tensors
from devlint.fixes.added_device import added_device, missing_device_at, missing_device_in_words
from devlint.rules.base import Rule
from devlint.rules.triggers.cpu_tensors import CpuTensor


class LikelyWithoutDevice(Rule):
    """A tensor created without a device that is likely to meet one on a device.

    What it does
    ------------
    Finds what DEV402 leaves: ``torch.arange(n)`` and the like without ``device=``, if the result meets, by what is
    likely, a tensor that lives elsewhere, in an operation that wants its tensors on one device. Tensors are followed
    through the functions and classes of the file, through those that it imports of its project, through the objects
    of these that are on a device, ``Blur(device=device)``, and to the files that call a function; a part of an
    argument, what a function of another library makes of tensors, and what a module of another file is given are
    taken to be where these are, if they are used as only tensors are. Off by default: more than half of the findings
    in 4.7 million lines that nobody had looked at were wrong.

    Why is this bad?
    ----------------
    The tensor is on the CPU, so the operation fails if the other tensor is not.

    Example
    -------
    ```python
    import torch


    def scores(batch, device):
        image = batch.image
        image = image.unsqueeze(0)
        return image * torch.ones(4)
    ```

    Use instead:
    ```python
    import torch


    def scores(batch, device):
        image = batch.image
        image = image.unsqueeze(0)
        return image * torch.ones(4, device=image.device)
    ```

    Fix safety
    ----------
    Unsafe: the tensor is then created on that device, which was probably intended, but other uses of it may need it on
    the CPU. There is no fix where the function that makes it has no device at hand.
    """

    code = "DEV407"
    name = "likely-without-device"
    advice = "See whether the tensor meets another, and make it where that is: `device=x.device`"
    default = False
    trigger = CpuTensor(is_likely=True)

    def check(self, node: cst.Call) -> None:
        missing = missing_device_at(self.ctx, node, likely_cpu_tensors(self.ctx))
        if missing is not None:
            self.report(node, missing_device_in_words(missing), added_device(self.ctx, node, missing))
