from __future__ import annotations

import pytest

from devlint.analysis.devices.torch_device_values import Proof, torch_device_proof
from tests.support.questions import asked


def proof(text: str) -> Proof | None:
    """What is known of the argument of ``ask(...)``."""
    return torch_device_proof(*asked(text))


CERTAIN = [
    'd = torch.device("cuda")\nask(d)',
    'ask(torch.device("cuda" if torch.cuda.is_available() else "cpu"))',
    'if a:\n    d = torch.device("cuda")\nelse:\n    d = torch.device("cpu")\nask(d)',
    'd = "cuda"\nd = torch.device(d)\nask(d)',
    "def f(d):\n    d = torch.device(d)\n    ask(d)",
    'd = torch.device("cuda")\ndef f():\n    ask(d)',
    "def f(x: torch.Tensor):\n    ask(x.device)",
    "def f(x):\n    x = x.unsqueeze(0)\n    ask(x.device)",
    "def f(x):\n    d = x.device\n    ask(d)\n    return x.new_zeros(3)",
    "x = torch.zeros(3)\nask(x.device)",
    "x = torch.zeros(3).to(y)[0]\nask(x.device)",
    "x = y + torch.zeros(3)\nask(x.data.device)",
    "ask(next(net.parameters()).device)",
    "for p in net.parameters():\n    ask(p.device)",
    "[ask(p.device) for p in net.parameters()]",
    'class A:\n    def __init__(self):\n        self.device = torch.device("cuda")\n    def f(self):\n        ask(self.device)',
    'class A:\n    def __init__(self):\n        self.device, self.n = torch.device("cuda"), 1\n    def f(self):\n        ask(self.device)',
    "class A(pl.LightningModule):\n    def f(self):\n        ask(self.device)",
    "class A:\n    @property\n    def device(self):\n        return next(self.net.parameters()).device\n    def f(self):\n        ask(self.device)",
    'args = parser.parse_args()\nargs.device = torch.device("cuda")\nask(args.device)',
    "from transformers import AutoModel\nnet = AutoModel.from_pretrained(a)\nask(net.device)",
    "from accelerate import Accelerator\na = Accelerator()\nask(a.device)",
    'def get():\n    return torch.device("cuda")\nask(get())',
    'd = torch.device("cuda") if a else torch.device("cpu")\nask(d)',
    'class A(Base):\n    def __init__(self):\n        self.device = torch.device("cuda")\n    def f(self):\n        ask(self.device)',
]
ANNOTATED = [
    "def f(d: torch.device):\n    ask(d)",
    'def f(d: torch.device = torch.device("cpu")):\n    ask(d)',
    "def get() -> torch.device:\n    return made()\nask(get())",
    "class A:\n    def __init__(self, d: torch.device):\n        self.device = d\n    def f(self):\n        ask(self.device)",
]
UNKNOWN = [
    'class A(Base):\n    def load(self):\n        ask(self.device)\n        self.device = torch.device("cpu")',
    'd = "cuda"\nask(d)',
    "def f(d):\n    ask(d)",
    "def f(d):\n    if a:\n        d = torch.device(d)\n    ask(d)",
    'd = torch.device("cuda") if a else "cpu"\nask(d)',
    'd = "cuda"\nask(d)\nd = torch.device(d)',
    'def f(d: "str"):\n    ask(d)',
    'def f(d: torch.device = "cpu"):\n    ask(d)',
    "def f(d: torch.device = None):\n    ask(d)",
    "def f(d: Union[str, torch.device]):\n    ask(d)",
    "def f(d: torch.device):\n    if isinstance(d, str):\n        d = torch.device(d)\n    ask(d)",
    "def f(x):\n    ask(x.device)",
    "def f(x=None):\n    ask(x.device)",
    "def f(x):\n    ask(x.device)\n    return x.view(3)",
    "def f(args):\n    ask(args.device)",
    "class A:\n    def f(self):\n        ask(self.device)",
    "class A:\n    def __init__(self, device):\n        self.device = device\n    def f(self):\n        ask(self.device)",
    'class A:\n    def __init__(self):\n        self.device = torch.device("cuda")\n    def g(self):\n        self.device = "cpu"\n    def f(self):\n        ask(self.device)',
    'class A:\n    def __init__(self):\n        self.device = torch.device("cuda")\n    def f(self):\n        ask(self.device)\na.device = "cpu"',
    'class A:\n    device = "cpu"\n    def __init__(self):\n        self.device = torch.device("cuda")\n    def f(self):\n        ask(self.device)',
    'class A:\n    def __init__(self):\n        self.device = torch.device("cuda")\nclass B(A):\n    def __init__(self):\n        self.device = "cpu"\n    def f(self):\n        ask(self.device)',
    'class B(pl.LightningModule):\n    def __init__(self):\n        self.device = "cpu"\n    def f(self):\n        ask(self.device)',
    "class A:\n    @property\n    def device(self):\n        return self._device\n    def f(self):\n        ask(self.device)",
    "class A(pl.LightningDataModule):\n    def f(self):\n        ask(self.device)",
    'ask(args.device)\nargs.device = torch.device("cuda")',
    "from transformers import AutoTokenizer\nt = AutoTokenizer.from_pretrained(a)\nask(t.device)",
    'def get():\n    if a:\n        return "cpu"\n    return torch.device("cuda")\nask(get())',
    '@cache\ndef get():\n    return torch.device("cuda")\nask(get())',
    'for d in ("cuda", "cpu"):\n    ask(d)\n    d = torch.device(d)',
    "from config import device\nask(device)",
    "with torch.cuda.device(0) as d:\n    ask(d)",
]


@pytest.mark.parametrize("text", CERTAIN)
def test_certain(text: str) -> None:
    assert proof(f"import torch\nimport pytorch_lightning as pl\n{text}\n") is Proof.CERTAIN


@pytest.mark.parametrize("text", ANNOTATED)
def test_annotated(text: str) -> None:
    assert proof(f"import torch\n{text}\n") is Proof.ANNOTATED


@pytest.mark.parametrize("text", UNKNOWN)
def test_unknown(text: str) -> None:
    assert proof(f"import torch\nimport pytorch_lightning as pl\n{text}\n") is None
