"""DEV402: a tensor made on the CPU that meets one on the device."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.tensors.cpu_tensors import cpu_tensors
from devlint.fixes.added_device import added_device, missing_device_at, missing_device_in_words
from devlint.rules.base import Rule
from devlint.rules.triggers.cpu_tensors import CpuTensor


class FactoryWithoutDevice(Rule):
    """A tensor created without a device where one is known.

    What it does
    ------------
    Finds ``torch.arange(n)`` and the like without ``device=``, if the program shows that the result meets a tensor
    that lives elsewhere, in an operation that wants its tensors on one device: one on a device that the function is
    given or asks a tensor for, a parameter of the module, an argument of ``forward``, or a component of a pipeline.
    The functions of the file that it calls, or that call it, and base classes in other files are asked as well. The
    same is reported where a function makes two tensors side by side, one of them on a device, and puts them in one
    list, dictionary, object or call, or gives one or the other. A tensor without dimensions counts where it is changed
    in its place (``total += x``), stacked, or compared by ``torch.equal``. Indices, tensors that are moved first, parts
    of arguments (``batch["x"]``), tests, code that traces or exports models, and functions that make samples are not
    reported. What is likely is for DEV407.

    Why is this bad?
    ----------------
    The tensor is on the CPU, so the operation fails if the other tensor is not.

    Example
    -------
    ```python
    import torch


    def scores(x, device):
        x = x.to(device)
        steps = torch.arange(4)
        return x * steps
    ```

    Use instead:
    ```python
    import torch


    def scores(x, device):
        x = x.to(device)
        steps = torch.arange(4, device=device)
        return x * steps
    ```

    Fix safety
    ----------
    Unsafe: the tensor is then created on that device, which was probably intended, but other uses of it may need it on
    the CPU.
    """

    code = "DEV402"
    name = "factory-without-device"
    advice = "Make the tensor where the other one is: `device=x.device`"
    trigger = CpuTensor()

    def check(self, node: cst.Call) -> None:
        missing = missing_device_at(self.ctx, node, cpu_tensors(self.ctx))
        if missing is not None:
            self.report(node, missing_device_in_words(missing), added_device(self.ctx, node, missing))
