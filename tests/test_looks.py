"""The looks at Python's own syntax tree: what a rule may find, and what it certainly does not.

Each program here holds a pattern of its rule; that a look keeps no rule from finding anything is tested with every
finding of every test (conftest.py).
"""

from __future__ import annotations

import pytest

from devlint.looks.create_then_move import may_move_new_tensor
from devlint.looks.cuda_amp import may_be_for_cuda
from devlint.looks.cuda_calls import may_call_without_cuda
from devlint.looks.cuda_devices import may_be_argument, may_be_default, may_be_moved, may_be_unguarded
from devlint.looks.device_strings import may_take_device_for_string
from devlint.looks.discarded_move import may_discard_tensor
from devlint.looks.joined_index import may_join_index
from devlint.looks.loads import may_load_anywhere
from devlint.looks.misspelled import may_misspell
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


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("x.to('cuda')", True),
        ("x = torch.zeros(2, device=torch.device('cuda'))", True),
        ("with torch.device('cuda'): pass", True),
        ("f(**{'device': 'cuda'})", True),
        ("from torch import Generator as G\nG('cuda')", True),
        ("x.bind('cuda', 0)", False),
        ("device = 'cuda'", False),
        ("names = ('cuda', 'xpu')", False),
        ("with torch.amp.autocast('cuda'): pass", False),
    ],
)
def test_cuda_that_is_given_to_torch(program: str, is_found: bool) -> None:
    assert may_be_argument(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("device = 'cuda'", True),
        ("device, n = 'cuda', 2", True),
        ("config['device'] = x or 'cuda:0'", True),
        ("if dev := f'cuda:{i}': pass", True),
        ("device = 'cuda:' + str(i)", True),
        ("device = 'cuda:{}'.format(i)", True),
        ("f(torch.device('cuda'))", True),
        ("f(torch.device(0))", True),
        ("from torch import device as d\nx = d('cuda')", True),
        ("if torch.cuda.is_available():\n    pass\nelse:\n    device = 'cuda'", True),
        ("if not use_cuda:\n    device = 'cuda'", True),
        ("if device.type != 'cuda':\n    device = 'cuda'", True),
        ("if torch.cuda.is_available():\n    device = 'cuda'", False),
        ("if not torch.cuda.is_available():\n    raise ValueError\ndevice = 'cuda'", False),
        ("if a:\n    pass\nelif x.is_cuda and b:\n    device = 'cuda'", False),
        ("use_cuda and f(torch.device('cuda'))", False),
        ("torch.device('cuda').type", False),
        ("a == torch.device('cuda')", False),
        ("def f(device=torch.device('cuda')): pass", False),
        ("f(torch.device(a))", False),
        ("name = 'cuda'", False),
        ("x = g('cuda')", False),
    ],
)
def test_devices_that_are_cuda_without_a_test(program: str, is_found: bool) -> None:
    assert may_be_unguarded(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("x.cuda()", True),
        ("x = x.to('cuda')", True),
        ("x = x.to(device=torch.device('cuda'))", True),
        ("def cuda(self):\n    return self.x.cuda()", False),
        ("def f(self):\n    return super().cuda()", False),
        ("x.to(y)\nf('cuda')", False),
    ],
)
def test_moves_to_cuda(program: str, is_found: bool) -> None:
    assert may_be_moved(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("def f(device='cuda'): pass", True),
        ("def f(*, map_location='cuda:0'): pass", True),
        ("f = lambda x, device='cuda': x", True),
        ("def f(where=torch.device(rank)): pass", True),
        ("parser.add_argument('--device', default='cuda')", True),
        ("class A:\n    device: str = 'cuda'", True),
        ("class A:\n    device: str = field(default='cuda')", True),
        ("def f(name='cuda'): pass", False),
        ("device = 'cuda'", False),
        ("x.to('cuda')", False),
    ],
)
def test_defaults_that_are_cuda(program: str, is_found: bool) -> None:
    assert may_be_default(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("torch.cuda.synchronize()", True),
        ("from torch.cuda import synchronize as wait\nwait()", True),
        ("def f():\n    if a: torch.cuda.synchronize()", True),
        ("if not torch.cuda.is_available(): torch.cuda.synchronize()", True),
        ("if cpu_only: torch.cuda.synchronize()", True),
        ("if is_cuda_there() is None:\n    torch.cuda.synchronize()", True),
        ("try:\n    torch.cuda.synchronize()\nexcept ValueError: pass", True),
        ("try: pass\nexcept Exception: torch.cuda.synchronize()", True),
        ("flag = None\nflag = torch.cuda.is_available()\nif flag: torch.cuda.synchronize()", True),
        ("x or torch.cuda.synchronize()", True),
        ("torch.cuda.empty_cache()", False),
        ("if torch.cuda.is_available(): torch.cuda.synchronize()", False),
        ("torch.cuda.synchronize() if self.use_cuda else 0", False),
        ("if is_torch_cuda_available():\n    torch.cuda.synchronize()", False),
        ("cuda_there = torch.cuda.is_available()\nif cuda_there:\n    torch.cuda.synchronize()", False),
        ("torch.cuda.is_available() and a and torch.cuda.current_device()", False),
        ("no_cuda or torch.cuda.current_device()", False),
        ("x.device.type == 'cuda' and torch.cuda.current_device()", False),
        ("def f():\n    if str(device) == 'cpu':\n        return\n    torch.cuda.synchronize()", False),
        ("def wait_for_gpu():\n    torch.cuda.synchronize()", False),
        ("class CudaTimer:\n    def f(self): torch.cuda.synchronize()", False),
        ("try:\n    torch.cuda.synchronize()\nexcept RuntimeError: pass", False),
    ],
)
def test_functions_of_cuda_that_are_called_without_it(program: str, is_found: bool) -> None:
    assert may_call_without_cuda(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("torch.cuda.amp.autocast()", True),
        ("from torch.cuda.amp import autocast as a\nwith a(): pass", True),
        ("torch.autocast(device_type='cuda')", True),
        ("torch.amp.GradScaler()", True),
        ("torch.autocast(device.type)", False),
        ("maybe_autocast(device_type='cuda')", False),
        ("from torch.cuda.amp import autocast", False),
    ],
)
def test_mixed_precision_of_cuda(program: str, is_found: bool) -> None:
    assert may_be_for_cuda(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("model = torch.load(path)", True),
        ("f(torch.load('model.pt'))", True),
        ("from torch import load\nx = load(path).to(device)", True),
        ("x = torch.load(path)\nnet.load_state_dict(x)", True),
        ("x = torch.load(path)", False),
        ("x = torch.load(path, weights_only=True)", False),
        ("x = torch.load(weights_only_path, weights_only=True)", True),
        ("for name in torch.load(path):\n    net.load_state_dict(x)", False),
        ("net.load_state_dict(torch.load(path)['a'])", True),
        ("model = torch.load(path, 'cpu')", False),
        ("model = torch.load(path, map_location=a)", False),
        ("model = torch.load(path, **options)", False),
        ("model = safetensors.torch.load(path)", False),
        ("if torch.cuda.is_available(): model = torch.load(path)", False),
    ],
)
def test_checkpoints_that_are_loaded_anywhere(program: str, is_found: bool) -> None:
    assert may_load_anywhere(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("torch.cuda.is_availble()", True),
        ("import torch.backends as b\nb.cudnn.benchmrak = True", True),
        ("from torch import acelerator", True),
        ("import torch.nn.paralel as p", True),
        ("from torch.nn.paralel.x import y", True),
        ("torch.cuda.is_available()", False),
        ("x.cuda.is_availble()", False),
    ],
)
def test_names_that_torch_does_not_have(program: str, is_found: bool) -> None:
    assert may_misspell(tree(IMPORT + program)) is is_found


def test_values_are_followed_as_deep_as_rules_do() -> None:
    chain = "".join(f"x{number} = x{number - 1}\n" for number in range(DEPTH - 1, 0, -1))
    assert may_discard_tensor(tree(f"{IMPORT}{chain}x0 = torch.zeros(2)\nx{DEPTH - 1}.cuda()"))


def test_names_that_stand_for_each_other_end() -> None:
    assert not may_discard_tensor(tree("x = y\ny = x\nx.cuda()"))
