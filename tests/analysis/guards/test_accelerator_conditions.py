from __future__ import annotations

import libcst as cst
import pytest

from devlint.analysis.guards.guards import has_accelerator
from devlint.analysis.guards.implications import implies_accelerator
from devlint.syntax.file_context import FileContext
from tests.support.rule_cases import source

HEAD = """
import torch
from torch import accelerator as ta
acc = torch.accelerator.current_accelerator()
ready = args.use and torch.accelerator.is_available()
gone = not torch.accelerator.is_available()
"""

# There is an accelerator where these are true.
SOME = """
torch.accelerator.is_available()
ta.is_available()
torch.cuda.is_available()
torch.xpu.is_available()
torch.backends.mps.is_available()
torch.accelerator.device_count()
torch.accelerator.device_count() > 0
torch.accelerator.device_count() >= 2
torch.accelerator.device_count() != 0
torch.accelerator.current_accelerator()
torch.accelerator.current_accelerator() is not None
(acc := torch.accelerator.current_accelerator()) is not None
torch.accelerator.current_accelerator(check_available=True) != None
acc
acc is not None
ready
ready is True
not gone
bool(ready)
torch.accelerator.is_available() and x
x and ready
use_accelerator
self.has_accelerator
is_torch_accelerator_available()
verify_min_gpu_count(2)
args.use_cuda
device.type == "cuda"
device.type == "mps"
device.type != "cpu"
device.type in ("cuda", "xpu")
device.type not in ["cpu", "meta"]
device != torch.device("cpu")
device.type != DeviceType.CPU
device.type == DeviceType.CUDA.value
event is not None
self.copy_stream
device.type == acc.type
device.type == torch.accelerator.current_accelerator().type
x.is_cuda
"""

# There is one where these are false.
NONE = """
not torch.accelerator.is_available()
torch.accelerator.is_available() is False
torch.accelerator.device_count() < 2
torch.accelerator.device_count() == 0
torch.accelerator.current_accelerator() is None
acc is None
gone
not ready or x
device.type == "cpu"
device.type in ("cpu", "meta")
device.type != acc.type
args.no_cuda
"""

# These say nothing.
NEITHER = """
x
hasattr(torch, "accelerator")
torch.accelerator.is_available
torch.accelerator.is_available() or x
device
device is not None
device.type == "meta"
device.type not in ("meta",)
device.type in ("cuda", "cpu")
device.type == kind
mode == "train"
x == 0
x is None
accelerator.is_main_process
x > torch.accelerator.device_count()
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, (True, False)) for text in SOME.strip().splitlines()),
        *((text, (False, True)) for text in NONE.strip().splitlines()),
        *((text, (False, False)) for text in NEITHER.strip().splitlines()),
    ],
)
def test_implies_accelerator(text: str, expected: tuple[bool, bool]) -> None:
    for form, answer in ((text, expected), (f"not ({text})", expected[::-1])):
        ctx = FileContext(source(f"{HEAD}if {form}: pass\n"))
        test = ctx.tree.of_type(cst.If)[0].test
        assert (implies_accelerator(ctx, test), implies_accelerator(ctx, test, False)) == answer


GUARDED = [
    "if ready:\n    f()",
    "if gone:\n    pass\nelse:\n    f()",
    "x = f() if ready else None",
    "ready and f()",
    "def g():\n    if acc is None:\n        return\n    f()",
    "assert torch.accelerator.is_available()\nf()",
    "@require_torch_accelerator\ndef test(): f()",
    "@requires_gpu(2)\ndef test(): f()",
    "@pytest.mark.skipif(not torch.accelerator.is_available(), reason='x')\ndef test(): f()",
    "@unittest.skipIf(gone, 'x')\nclass Test:\n    def test(self): f()",
    "pytestmark = pytest.mark.skipif(gone, reason='x')\ndef test(): f()",
    "def test(): f()\npytestmark = [pytest.mark.slow, pytest.mark.skipif(gone, reason='x')]",
    "class Test:\n    pytestmark = pytest.mark.gpu\n    def test(self): f()",
    "class Test:\n    def setUp(self):\n        if gone:\n            self.skipTest('x')\n    def test(self): f()",
    "def _g():\n    f()\nif ready:\n    _g()",
    "def _g():\n    f()\nif ready:\n    atexit.register(_g)",
    "class A:\n    def _g(self):\n        f()\n    @require_gpu\n    def test(self):\n        self._g()",
    "if gone:\n    pytest.skip('x', allow_module_level=True)\ndef test(): f()",
]
BARE = [
    "f()",
    "if x:\n    f()",
    "if gone:\n    f()",
    "x = 1 if ready else f()",
    "ready or f()",
    "def g():\n    f()\n    assert ready",
    "pytestmark = pytest.mark.skipif(gone, reason='x')\nf()",
    "pytestmark = pytest.mark.slow\ndef test(): f()",
    "class Test:\n    def setUp(self):\n        if gone:\n            self.skipTest('x')\n    x = f()",
    "class Test:\n    def setUp(self):\n        f()\n        if gone:\n            self.skipTest('x')",
    "@pytest.mark.slow\ndef test(): f()",
    "def _g():\n    f()",
    "class A:\n    def __init__(self):\n        f()\nif ready:\n    super().__init__()",
    "class A:\n    def _g(self):\n        f()\n    @require_gpu\n    def test(self):\n        self._g()\n    def g(self): return self._g",
    "def g():\n    f()\nif ready:\n    g()",
    "def _g():\n    f()\nif ready:\n    _g()\n_g()",
]


@pytest.mark.parametrize(("text", "expected"), [*((one, True) for one in GUARDED), *((one, False) for one in BARE)])
def test_has_accelerator(text: str, expected: bool) -> None:
    ctx = FileContext(source(f"{HEAD}{text}\n"))
    call = next(one for one in ctx.tree.of_type(cst.Call) if ctx.text_of(one) == "f()")
    assert has_accelerator(ctx, call) is expected
