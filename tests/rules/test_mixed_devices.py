from __future__ import annotations

import pytest

from tests.support.rule_cases import found, function, places

CODE = "DEV406"
HEAD = "import pytest\nimport torch\nimport torch.nn.functional as F\nfrom torch import Tensor\n\n"
FUNCTION = "def f(x: Tensor, y: Tensor, n, flag=False, device=None):\n"

SILENT = [
    # The same device, or perhaps the same.
    "return x.cuda() + y.cuda()",
    "return x.to('cuda:0') + y.cuda()",
    "return x.to('cuda:1') + y.to('cuda')",
    "return x.to('cuda:1') + y.cuda(1)",
    "return x.cuda(n) + y.cuda(1)",
    "return x.to(f'cuda:{n}') + y.to('cuda:0')",
    "return x.to(torch.device('cuda', n)) + y.to('cuda:0')",
    "return x.to('cpu') + y.cpu()",
    # Where one of them is, is not known.
    "return x + y.cpu()",
    "return x.cuda() + y",
    "return x.to(device) + y.cpu()",
    "return x.cuda() + y.to(x.device)",
    "name = 'cuda' if torch.cuda.is_available() else 'cpu'\nreturn x.to(name) + y.cpu()",
    "if flag:\n    x = x.cuda()\nreturn x + y.cpu()",
    "if flag:\n    x, y = x.cuda(), y.cuda()\nelse:\n    x, y = x.cpu(), y.cpu()\nreturn x + y",
    "for _ in range(n):\n    x = x.cuda()\nreturn x + y.cpu()",
    # Moved again.
    "a = x.cuda()\na = a.cpu()\nreturn a + y.cpu()",
    "a = x.cuda()\nreturn a + y.cpu().to(a.device)",
    "a = x.cuda()\nreturn a + y.cpu().to(a)",
    "a = x.cuda()\nreturn a + y.cpu().type_as(a)",
    "return x.cuda() + y.cpu().cuda()",
    # These operations take them.
    "return x.cuda()[y.long().cpu()]",
    "return x.cuda() + torch.tensor(1.0).cpu()",
    "return x.cuda() * y.cpu().sum()",
    "x.cuda().copy_(y.cpu())",
    "a = x.cuda()\na[0] = y.cpu()\nreturn a",
    "return [x.cuda(), y.cpu()]",
    "return x.cuda().view_as(y.cpu())",
    "return x.cuda() + y.cpu().numpy()",
    "return x.cuda() + y.cpu().shape[0]",
    # Modules, and what else may be none.
    "a = n.cuda()\nreturn a.forward(y.cpu())",
    "return n.cuda().measure(y.cpu())",
    # It is meant to fail.
    "with pytest.raises(RuntimeError):\n    x.cuda() + y.cpu()",
    "try:\n    return x.cuda() + y.cpu()\nexcept RuntimeError:\n    return None",
]

MIXED = [
    ("return x.cuda() + y.cpu()", "+ cuda cpu"),
    ("a = x.to('cuda:0')\nb = y.to('cuda:1')\nreturn a + b", "+ cuda:0 cuda:1"),
    ("return x.to(device='cuda:0') * y.cuda(1)", "* cuda:0 cuda:1"),
    ("return x.to('mps') @ y.to('cpu')", "@ mps cpu"),
    (
        "a = torch.ones(2, device=torch.device('cuda', 1))\nreturn torch.cat([a, x.to('cuda:0')])",
        "torch.cat cuda:1 cuda:0",
    ),
    ("a = torch.ones(2, device='cpu')\nreturn F.mse_loss(x.cuda(), a)", "F.mse_loss cpu cuda"),
    ("a = x.cuda()\na += y.cpu()\nreturn a", "+= cuda cpu"),
    ("return x.cuda() < y.cpu()", "comparison cuda cpu"),
    ("return x.cpu()[y.long().cuda()]", "index cpu cuda"),
    ("return x.to('cuda:0')[y.to('cuda:1')]", "index cuda:0 cuda:1"),
    ("return x.to(torch.device('cuda', index=1)) + y.to('cuda:0')", "+ cuda:1 cuda:0"),
    ("return x.cuda().matmul(y.cpu())", "Tensor.matmul cuda cpu"),
    ("first, second = 'cuda:0', 'cuda:1'\nreturn x.to(first) - y.to(second)", "- cuda:0 cuda:1"),
    ("a = x.to(f'cuda:{n}')\nreturn a - y.cpu()", "- cuda cpu"),
    ("a = x.cuda() if flag else x.to('cuda:1')\nreturn a / y.cpu()", "/ cuda cpu"),
    ("if flag:\n    x = x.cuda()\nelse:\n    x = x.cuda(1)\nreturn x / y.cpu()", "/ cuda cpu"),
    ("a = y.cpu()\nb = torch.zeros(2, 2, device=a.device)\nreturn x.cuda() @ b", "@ cpu cuda"),
    ("return added(x.cuda(), y.cpu())", "+ cuda cpu"),
    ("return on_card(x) + y.cpu()", "+ cuda:1 cpu"),
]

HELPERS = "def added(one: Tensor, other: Tensor):\n    return one + other\n\ndef on_card(one):\n    return one.to('cuda:1')\n\n"


def indented(text: str) -> str:
    return function(HEAD + HELPERS + FUNCTION, text)


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, indented(text)) == ()


@pytest.mark.parametrize(("text", "said"), MIXED)
def test_mixed(text: str, said: str) -> None:
    (finding,) = found(CODE, indented(text))
    kind, one, other = said.split()
    assert finding.message.startswith(f"`{kind}` of tensors")
    assert f"is on `{one}` " in finding.message
    assert f"other on `{other}` " in finding.message
    assert finding.fix is None


def test_main_part_of_a_program() -> None:
    text = 'import torch\n\na = torch.ones(3).to("cuda:0")\nb = torch.ones(3).to("cuda:1")\nprint(a + b)\n'
    assert places(CODE, text) == [(5, "none")]


def test_class_that_keeps_tensors() -> None:
    text = (
        "import torch\n\nclass Store:\n    def __init__(self, x: torch.Tensor):\n        self.kept = x.cpu()\n\n"
        "    def scaled(self, y: torch.Tensor):\n        return self.kept * y.cuda()\n"
    )
    assert places(CODE, text) == [(8, "none")]


def test_tensors_that_two_functions_make() -> None:
    text = (
        "import torch\n\ndef one():\n    return torch.ones(3, device='cuda')\n\n"
        "def other():\n    return torch.ones(3, device='cpu')\n\ndef both():\n    return one() + other()\n"
    )
    assert places(CODE, text) == [(10, "none")]


def test_string_that_looks_like_a_function() -> None:
    text = (
        'import torch\n\nif True:\n    CODE = """\ndef f(x):\n    return x\n"""\n\n'
        "def g(x: torch.Tensor, y: torch.Tensor):\n    return x.cuda() + y.cpu()\n"
    )
    assert places(CODE, text) == [(10, "none")]


def test_what_it_says() -> None:
    (finding,) = found(CODE, indented("a = x.cuda()\nb = y.cpu()\nreturn a + b"))
    said = "`+` of tensors on different devices: one is on `cuda` (line 13), the other on `cpu` (line 14)"
    assert finding.message == said
    assert (finding.location.row, finding.location.column) == (15, 12)
