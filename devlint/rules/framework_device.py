"""DEV108: a library that is told to use CUDA."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda.device_alternatives import has_alternative
from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.names.exception_handling import fails_as_expected
from devlint.analysis.names.mocks import pretends_cuda
from devlint.analysis.slots.framework_devices import FrameworkUse, framework_uses
from devlint.fixes.framework_device import framework_fix, function_name
from devlint.rules.base import Rule
from devlint.rules.triggers.frameworks import FrameworkArgument
from devlint.torch_api.cuda_naming import CAUGHT
from devlint.torch_api.frameworks import CARDS, FLAG, LIGHTNING

_MISCONFIGURED = ("MisconfigurationException", "ValueError", "OSError")
"""What libraries raise where there is no CUDA."""


class FrameworkDevice(Rule):
    """A library that is told to use CUDA.

    What it does
    ------------
    Finds CUDA where another library than torch is told its device: ``from_pretrained(device_map="cuda")`` and
    ``device_map={"": 0}``, ``pipeline(device=0)``, ``SentenceTransformer(device="cuda")``,
    ``Trainer(accelerator="gpu")``, ``init_device_mesh("cuda", …)``. The functions are listed in
    ``devlint/torch_api/frameworks.py``. Code under a test for CUDA is not reported, nor is ``device_map="auto"``, which
    already uses what the machine has.

    Why is this bad?
    ----------------
    The library stops with an error on every machine without CUDA.

    Example
    -------
    ```python
    import torch
    from lightning import Trainer
    from transformers import AutoModel, pipeline

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = AutoModel.from_pretrained("gpt2", device_map="cuda")
    generate = pipeline("text-generation", model="gpt2", device="cuda")
    trainer = Trainer(accelerator="gpu", devices=1)
    ```

    Use instead:
    ```python
    import torch
    from lightning import Trainer
    from transformers import AutoModel, pipeline

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = AutoModel.from_pretrained("gpt2", device_map=device.type)
    generate = pipeline("text-generation", model="gpt2", device=device)
    trainer = Trainer(accelerator="auto", devices=1)
    ```

    Fix safety
    ----------
    Safe where the library does the same with CUDA: a device or its type, and Lightning's ``"auto"``. A model's
    ``device_map`` gets the type, since transformers takes ``"cuda"`` for the card of the process. Unsafe for numbers,
    which mean a card of any accelerator, for meshes, whose processes need another backend without CUDA, for
    Lightning's ``gpus=``, for Ray's ``use_gpu=True``, and where neither the file nor a file or library that it imports
    imports torch. There is no fix where cards are listed (``devices=[0, 1]``, also by an option with ``nargs="+"``).
    """

    code = "DEV108"
    name = "framework-device"
    advice = "Pass the device that the program has chosen, and list no cards that a machine may not have"
    gains_with_kernels = False
    trigger = FrameworkArgument()

    def visit_Module(self, node: cst.Module) -> None:
        for use in framework_uses(self.ctx):
            if not self._is_settled(use):
                self.report(use.arg, self._message(use), framework_fix(self.ctx, use))

    def _is_settled(self, use: FrameworkUse) -> bool:
        """Whether the program has chosen, asks for CUDA before, or pretends that there is some."""
        if has_alternative(self.ctx, use.node) or runs_guarded(self.ctx, use.node):
            return True
        return pretends_cuda(self.ctx, use.node) or fails_as_expected(self.ctx, use.node, *CAUGHT, *_MISCONFIGURED)

    def _message(self, use: FrameworkUse) -> str:
        text = self.ctx.one_line_of(use.arg).rstrip(", ")
        if use.argument.form in (LIGHTNING, CARDS, FLAG):
            return f"`{text}` makes `{function_name(use)}` fail where there is no GPU"
        return f"`{text}` makes `{function_name(use)}` use CUDA on every machine"
