"""What TorchScript compiles, or may compile."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.analysis.names.torchscript import is_compiled, may_be_compiled
from tests.support.projects import fix_files, write_files
from tests.support.questions import asked

COMPILED = [
    ("@torch.jit.script\ndef f(x):\n    ask(x)", True),
    ("@jit.script\ndef f(x):\n    ask(x)", True),
    ("from torch.jit import script\n@script\ndef f(x):\n    ask(x)", True),
    ("@torch.jit.script_method\ndef f(x):\n    ask(x)", True),
    ("@torch.jit.export\ndef f(x):\n    ask(x)", True),
    ("@torch.jit.ignore\ndef f(x):\n    ask(x)\ntorch.jit.script", False),
    ("@torch.jit.script\ndef f(x):\n    pass\nask(x)", False),
    ("@torch.jit.script\ndef f(x):\n    def g():\n        ask(x)", True),
    ("def f(x):\n    ask(x)\ng = torch.jit.script(f)", True),
    ("def f(x):\n    ask(x)\ng = torch.jit.script(h)", False),
    ("def f(x):\n    ask(x)\ng = torch.jit.script()", False),
    ("def f(x):\n    ask(x)\ng = torch.jit.trace(f)", False),
    ("class A:\n    def f(self):\n        ask(x)\ntorch.jit.script(A())", True),
    ("class A:\n    def f(self):\n        ask(x)\nnet = A()\ntorch.jit.script(net)", True),
    ("class A:\n    def __init__(self):\n        ask(x)\ntorch.jit.script(A())", False),
    ("class A:\n    x = ask(1)\ntorch.jit.script(A())", True),
    (
        "def f(x):\n    ask(x)\ndef g(x):\n    return f(x)\nclass A:\n    def h(self, x):\n        g(x)\ntorch.jit.script(A())",
        True,
    ),
    ("def f(x):\n    ask(x)\n@torch.jit.script\ndef g(x):\n    return f(x)", True),
    (
        "class B:\n    def f(self):\n        ask(x)\nclass A:\n    def __init__(self):\n        self.b = B()\ntorch.jit.script(A())",
        True,
    ),
    ("def f(x):\n    ask(x)\ndef g(x):\n    return f(x)\ntorch.jit.script(h)", False),
    ("class A:\n    def f(self):\n        ask(x)\nnet = make(A)\ntorch.jit.script(net)", False),
    ("class A:\n    def f(self):\n        ask(x)\nnet = a.A()\ntorch.jit.script(net)", False),
]
"""Programs, and whether TorchScript compiles what holds the question."""
MAY_BE = [
    ("class A(nn.Module):\n    def forward(self):\n        ask(x)\ntorch.jit.script(n)", True),
    ("class A(nn.Module):\n    def forward(self):\n        ask(x)\n# torch.jit.is_scripting()", True),
    ("class A(nn.Module):\n    def forward(self):\n        ask(x)", False),
    ("class A(nn.Module):\n    def __init__(self):\n        ask(x)\ntorch.jit.script(n)", False),
    ("class A(nn.Module):\n    x = ask(1)\ntorch.jit.script(n)", False),
    ("class A:\n    def forward(self):\n        ask(x)\ntorch.jit.script(n)", False),
    ("def forward(self):\n    ask(x)\ntorch.jit.script(n)", False),
]


@pytest.mark.parametrize(("text", "expected"), COMPILED)
def test_is_compiled(text: str, expected: bool) -> None:
    assert is_compiled(*asked(f"import torch\n{text}")) is expected


@pytest.mark.parametrize(("text", "expected"), MAY_BE)
def test_may_be_compiled(text: str, expected: bool) -> None:
    assert may_be_compiled(*asked(f"import torch\nfrom torch import nn\n{text}")) is expected


NET = (
    "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x + torch.ones(1).cuda()\n"
    "\n\nclass Other(torch.nn.Module):\n    def forward(self, x):\n        return x + torch.ones(2).cuda()\n"
)


@pytest.mark.parametrize(
    ("line", "is_kept"),
    [("torch.jit.script(Net())", True), ("torch.jit.script(Other())", False), ("torch.jit.trace(Net(), 1)", False)],
)
def test_what_another_file_gives_to_script(tmp_path: Path, line: str, is_kept: bool) -> None:
    use = f"import torch\nfrom net import Net, Other\n\n{line}\n"
    text = fix_files(write_files(tmp_path / "p", {"net.py": NET, "use.py": use})).get("net.py", NET)
    assert ("torch.ones(1).cuda()" in text) is is_kept


@pytest.mark.parametrize(("used", "is_kept"), [("grid(3)", True), ("other(3)", False)])
def test_what_a_compiled_class_of_another_file_uses(tmp_path: Path, used: str, is_kept: bool) -> None:
    tools = "import torch\n\n\ndef grid(n: int):\n    return torch.arange(n).cuda()\n"
    net = f"import torch\nimport tools\nfrom tools import *\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x + {used}\n"
    files = {
        "tools.py": tools,
        "net.py": net,
        "use.py": "import torch\nfrom net import Net\n\ntorch.jit.script(Net())\n",
    }
    assert ("tools.py" not in fix_files(write_files(tmp_path / "p", files))) is is_kept


def test_a_decorator_by_another_name(tmp_path: Path) -> None:
    text = "import torch\nfrom torch.jit import script as compiled\n\n\n@compiled\ndef move(x):\n    return x.cuda()\n"
    assert fix_files(write_files(tmp_path / "p", {"net.py": text})) == {}
    plain = text.replace("@compiled\n", "")
    assert "net.py" in fix_files(write_files(tmp_path / "q", {"net.py": plain}))
