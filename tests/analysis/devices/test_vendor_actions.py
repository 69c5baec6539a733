"""Chains that do the same for one accelerator after the other."""

from __future__ import annotations

import pytest

from devlint.analysis.devices.vendor_actions import action_chains
from devlint.core.target import Target
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext

CUDA = "if torch.cuda.is_available():\n    torch.cuda.synchronize()\n"
XPU = "elif torch.xpu.is_available():\n    torch.xpu.synchronize()\n"
TYPE = "if device == 'cuda':\n    torch.cuda.synchronize()\nelif device == '{}':\n    torch.xpu.synchronize()\n"
DONE = "torch.accelerator.synchronize()"
CASES = [
    (CUDA + XPU, f": {DONE}"),
    (CUDA + XPU + "else:\n    f()\n", f": {DONE}, else"),
    (CUDA + XPU + "else:\n    torch.mps.synchronize()\n", None),
    (CUDA + XPU.replace("torch.xpu.synchronize()", "torch.xpu.empty_cache()"), None),
    (CUDA + XPU.replace("torch.xpu.synchronize()", "torch.xpu.synchronize(1)"), None),
    (CUDA + XPU.replace("torch.xpu.synchronize()", "f()"), None),
    (CUDA + XPU.replace("    torch.xpu.synchronize()", "    torch.xpu.synchronize()\n    f()"), None),
    (CUDA + XPU.replace("torch.xpu.synchronize()", "torch.xpu.synchronize(); f()"), None),
    ((CUDA + XPU).replace("synchronize()", "synchronize(); f()"), None),
    ((CUDA + XPU).replace("synchronize()", "synchronize()\n    x = 1"), None),
    ((CUDA + XPU).replace("synchronize()", "synchronize()\n    f()"), None),
    ((CUDA + XPU).replace("synchronize()", "synchronize(0)"), ": torch.accelerator.synchronize(0)"),
    ((CUDA + XPU).replace("synchronize()", "nothing()"), None),
    (CUDA + XPU.replace("xpu", "cuda"), None),
    (CUDA + XPU.replace("torch.xpu.is_available()", "a"), None),
    (CUDA.replace("cuda", "xpu") + XPU.replace("xpu", "mps"), None),
    (CUDA.replace("cuda", "xpu") + XPU.replace("xpu", "cuda"), f": {DONE}"),
    (TYPE.format("xpu"), f"device: {DONE}"),
    (TYPE.format("other"), None),
    (TYPE.format("xpu").replace("== 'xpu'", "!= 'xpu'"), None),
    (TYPE.format("xpu").replace("elif device", "elif other"), None),
    (TYPE.format("xpu").replace("== 'cuda'", "in ('cuda', 'hip')"), f"device: {DONE}"),
    (TYPE.format("xpu").replace("== 'cuda'", "in ('cuda', 'mps')"), None),
    (CUDA, None),
    ("if a:\n    pass\nel" + CUDA + XPU, None),
]
"""Chains, and what is asked, what one call does in place of the branches, and whether there is an ``else``."""


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_action_chains(text: str, expected: str | None) -> None:
    source = Source.from_text("case.py", f"import torch\n{text}")
    found = action_chains(FileContext(source, Target("accelerator", torch_min_version=(2, 6))))
    words = [f"{one.asked or ''}: {'; '.join(one.body)}{', else' if one.orelse else ''}" for one in found]
    assert words == ([] if expected is None else [expected])
