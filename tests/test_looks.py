"""The looks at Python's own syntax tree: what a rule may find, and what it certainly does not.

Each program here holds a pattern of its rule; that a look keeps no rule from finding anything is tested with every
finding of every test (conftest.py).
"""

from __future__ import annotations

import pytest

from devlint.looks.create_then_move import may_move_new_tensor
from devlint.looks.device_strings import may_take_device_for_string
from devlint.looks.discarded_move import may_discard_tensor
from devlint.looks.joined_index import may_join_index
from devlint.looks.syntax_tree import DEPTH, SyntaxTree, parse

IMPORT = "import torch\n"


def tree(program: str) -> SyntaxTree:
    found = parse(program.encode())
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("torch.zeros(2).to(device)", True),
        ("(torch.zeros(2)).to(device=x.device, dtype=y)", True),
        ("from torch import ones as o\no(2).to(device)", True),
        ("x = device\ntorch.zeros(2).to(x)", True),
        ("torch.zeros(2).to(x.device if x else 'cpu')", True),
        ("torch.zeros(2).to(x)", False),
        ("x = f()\ntorch.zeros(2).to(x)", False),
        ("torch.zeros(2).to(x.dtype)", False),
        ("torch.zeros(2, device=a).to(device)", False),
        ("torch.zeros(2, **options).to(device)", False),
        ("torch.tensor(a).to(device=device, dtype=b)", False),
        ("torch.tensor(a).to(device, non_blocking=True)", True),
        ("torch.stack(a).to(device)", False),
    ],
)
def test_new_tensors_that_are_moved(program: str, is_found: bool) -> None:
    assert may_move_new_tensor(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("x = torch.zeros(2)\nx.to(device)", True),
        ("x = y = z\nz = torch.zeros(2)\nif a: x.cuda()", True),
        ("def f(x: torch.Tensor):\n    x.to(device)", True),
        ("def f(x: 'Optional[torch.Tensor]'):\n    x.to(device)", True),
        ("x = f()\nx.unsqueeze(0)\nx.to(device)", True),
        ("for p in model.parameters():\n    p.data.to(device)", True),
        ("x['a'].cuda()\nx = torch.stack(y)", True),
        ("self.x = torch.zeros(2)\nself.x.to(device)", True),
        ("model = Net()\nmodel.to(device)", False),
        ("model = torch.nn.Linear(2, 2)\nmodel.cuda()", False),
        ("def f(x: Batch):\n    x.to(device)", False),
        ("x = torch.zeros(2)\nx.to(torch.float64)", False),
        ("x = torch.zeros(2)\nx = x.to(device)", False),
        ("torch.zeros(2).to(device)", False),
        ("x = torch.zeros(2)\ny = f(\n    a,\n    x.to(device)\n)", False),
    ],
)
def test_tensors_that_are_thrown_away(program: str, is_found: bool) -> None:
    assert may_discard_tensor(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("device = 'cuda:0'\nx = torch.device(f'{device}:{i}')", True),
        ("def f(device='cuda:1'):\n    return x.to(f'{device}:0')", True),
        ("device = f'{x.device}:{i}'", True),
        ("parser.add_argument('--my-device')\ndevice = args.my_device + ':0'", True),
        ("def get_device():\n    return '{}:{}'.format(x.device, i)", True),
        ("x.to('%s:%d' % (x.device, i))", True),
        ("x.to(x.device + ':' + str(i))", True),
        ("name = f'{x.device}:{i}'", False),
        ("print(f'{x.device}:{i}')", False),
        ("device = f'{device.type}:{i}'", False),
        ("device = f'{kind}:{i}'", False),
        ("device = f'{hours}:{minutes:02d}'", False),
    ],
)
def test_indices_that_are_added_to_devices(program: str, is_found: bool) -> None:
    assert may_join_index(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("device = torch.device(a)\ndevice == 'cuda'", True),
        ("def f(device: torch.device):\n    return device in ('cuda', 'mps')", True),
        ("x = torch.zeros(2)\nx.device != 'cpu'", True),
        ("class A(LightningModule):\n    def f(self):\n        return self.device == 'cuda'", True),
        ("def device():\n    return torch.device(a)\ndevice() == 'cuda'", True),
        ("device = torch.device(a)\ndevice.startswith('cuda')", True),
        ("device = torch.device(a)\n{'cuda': 1}[device]", True),
        ("device = torch.device(a)\n{'cuda': 1}.get(device)", True),
        ("def f(device: str = 'cpu'):\n    return device == 'cuda'", False),
        ("def f(device: torch.device = 'cpu'):\n    return device == 'cuda'", False),
        ("device = torch.device(a)\ndevice.type == 'cuda'", False),
        ("device = a.device\ndevice == 'cuda'", False),
        ("device = torch.device(a)\ndevice == other", False),
    ],
)
def test_devices_that_are_taken_for_strings(program: str, is_found: bool) -> None:
    assert may_take_device_for_string(tree(IMPORT + program)) is is_found


def test_values_are_followed_as_deep_as_rules_do() -> None:
    chain = "".join(f"x{number} = x{number - 1}\n" for number in range(DEPTH - 1, 0, -1))
    assert may_discard_tensor(tree(f"{IMPORT}{chain}x0 = torch.zeros(2)\nx{DEPTH - 1}.cuda()"))


def test_names_that_stand_for_each_other_end() -> None:
    assert not may_discard_tensor(tree("x = y\ny = x\nx.cuda()"))
