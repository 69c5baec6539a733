"""The looks at Python's own syntax tree: what a rule may find, and what it certainly does not.

Each program here holds a pattern of its rule; that a look keeps no rule from finding anything is tested with every
finding of every test (conftest.py).
"""

from __future__ import annotations

import pytest

from devlint.rules.prefilter.looks.accelerator import (
    may_be_unchecked,
    may_be_unknown,
    may_drop_device_index,
    may_raise_on_cpu,
    may_take_cuda,
)
from devlint.rules.prefilter.looks.asked_tensors import may_follow_tensor
from devlint.rules.prefilter.looks.card_numbers import may_name_card
from devlint.rules.prefilter.looks.create_then_move import may_move_new_tensor
from devlint.rules.prefilter.looks.cuda_amp import may_be_for_cuda
from devlint.rules.prefilter.looks.cuda_calls import may_call_without_cuda
from devlint.rules.prefilter.looks.cuda_devices import (
    may_be_argument,
    may_be_default,
    may_be_moved,
    may_be_unguarded,
    may_call_cuda,
)
from devlint.rules.prefilter.looks.device_compare import may_compare_bare_device
from devlint.rules.prefilter.looks.device_strings import may_take_device_for_string
from devlint.rules.prefilter.looks.discarded_move import may_discard_tensor
from devlint.rules.prefilter.looks.environment import may_put_no_string
from devlint.rules.prefilter.looks.joined_index import may_join_index
from devlint.rules.prefilter.looks.loads import may_load_anywhere
from devlint.rules.prefilter.looks.misspelled import may_misspell
from devlint.rules.prefilter.looks.nccl import may_be_backend
from devlint.rules.prefilter.looks.syntax_tree import DEPTH, SyntaxTree, parse

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
        ("def f(device: torch.device):\n    isinstance(device, str) and device == 'cuda'", False),
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
        ("if torch.cuda.is_available():\n    x.to('cuda')", False),
        ("def f(device): pass\nif torch.cuda.is_available():\n    x.to('cuda')", False),
        ("def f(device):\n    if torch.cuda.is_available():\n        x.to('cuda')", True),
        ("dev = f()\nif torch.cuda.is_available():\n    x.to('cuda')", True),
        ("gpu = torch.device('cuda')\nif torch.cuda.is_available():\n    x.to('cuda')", True),
        ("def f():\n    global device\nif torch.cuda.is_available():\n    x.to('cuda')", True),
        ("from a import torch_device\nif torch.cuda.is_available():\n    x.to('cuda')", True),
        ("from a import *\nif torch.cuda.is_available():\n    x.to('cuda')", True),
        ("if x.is_cuda:\n    y.to('cuda')", True),
        ("y.to(args.device)\nif torch.cuda.is_available():\n    x.to('cuda')", True),
        ("y.to(z.device)\nif torch.cuda.is_available():\n    x.to('cuda')", False),
        ("self.device = f()\nif torch.cuda.is_available():\n    x.to('cuda')", True),
        ("class A:\n    def f(self):\n        if not torch.cuda.is_available(): return\n        x.to('cuda')", False),
        ("class A:\n    def f(self):\n        if use_cuda: x.to('cuda')", True),
        ("class A:\n    def f(self): torch.cuda.is_available() and x.to('cuda')", False),
        ("class A:\n    def f(self): a and torch.cuda.is_available() and x.to('cuda')", True),
        ("def f():\n    if use_cuda: x.to('cuda')", False),
        ("class A(ModelMixin): pass\nif torch.cuda.is_available():\n    x.to('cuda')", True),
        ("@property\ndef device(self): pass\nif torch.cuda.is_available():\n    x.to('cuda')", True),
    ],
)
def test_cuda_that_is_given_to_torch(program: str, is_found: bool) -> None:
    assert may_be_argument(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(("device", "is_found"), [("backend", True), ("", False)])
def test_a_project_has_its_own_name_for_its_device(device: str, is_found: bool) -> None:
    program = b"import torch, backend\nif torch.cuda.is_available():\n    x.to('cuda')"
    found = parse(program, device)
    assert found is not None
    assert may_be_argument(found) is is_found


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
        ("def f(where=torch.device('cpu')): pass", False),
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
        ("if hasattr(torch.backends, 'mudnn'): torch.backends.mudnn.x = y", False),
        ("if hasattr(torch.backends, 'mu' 'dnn'): torch.backends.mudnn.x = y", True),
        ("if f'{a}mudnn': torch.backends.mudnn.x = y", True),
    ],
)
def test_names_that_torch_does_not_have(program: str, is_found: bool) -> None:
    assert may_misspell(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("x.cuda()", True),
        ("if not torch.cuda.is_available(): x.cuda()", True),
        ("if torch.cuda.is_available(): x.cuda()", False),
        ("def cuda(self):\n    return self.x.cuda()", False),
        ("x.to('cuda')", False),
    ],
)
def test_moves_that_need_cuda_everywhere(program: str, is_found: bool) -> None:
    assert may_call_cuda(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("x.to('cuda:1')", True),
        ("device = f'cuda:{i}'", True),
        ("device = 'cuda:' + str(i)", True),
        ("x.to(torch.device('cuda', i))", True),
        ("f(torch.device(1))", True),
        ("f(torch.device(local_rank))", True),
        ("for i in range(2): f(torch.device(i))", True),
        ("i = a + b\nf(torch.device(i))", True),
        ("x.cuda(1)", True),
        ("x.cuda(device=gpu)", True),
        ("x.to(0)", True),
        ("from torch import Generator as G\nG(0)", True),
        ("torch.zeros(2, device=0)", True),
        ("torch.load(f, 0)", True),
        ("DataParallel(net, device_ids=[0, 1])", True),
        ("if torch.cuda.is_available(): x.to('cuda:1')", True),
        ("if torch.cuda.is_available(): x.to('cuda:' + str(1))", True),
        ("if torch.cuda.is_available(): x.to(f'cuda:{i}')", False),
        ("if torch.cuda.is_available(): x.cuda(rank)", False),
        ("x.to('cuda')", False),
        ("x.cuda()", False),
        ("x.to(rank)", False),
        ("names = ['cuda:0']", False),
        ("def f(device='cuda:0'): pass", False),
        ("f(torch.device(a))", False),
        ("f(torch.device('cpu'))", False),
        ("f(torch.device('mps', i))", False),
        ("DataParallel(net, device_ids=[rank])", False),
    ],
)
def test_cards_by_their_numbers(program: str, is_found: bool) -> None:
    assert may_name_card(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("os.environ['A'] = 0", True),
        ("os.environ['A'] = x['b'] = None", True),
        ("from os import environ as e\ne['A'] = [1]", True),
        ("n = -3\nm = n + 1\nos.environ['A'] = m", True),
        ("for i in range(2): os.environ['A'] = i", True),
        ("os.environ.setdefault('A', len(x))", True),
        ("os.putenv('A', 1.5)", True),
        ("os.environ.update(A=1)", True),
        ("os.environ.update({'A': True})", True),
        ("run(a, env={**os.environ, 'A': 1})", True),
        ("run(a, env=dict(os.environ, A=1))", True),
        ("mock.patch.dict(os.environ, {'A': 1})", True),
        ("e = os.environ.copy()\ne['A'] = 1\nrun(a, env=e)", True),
        ("os.environ['A'] = '0'", False),
        ("os.environ['A'] = b", False),
        ("os.environ['A'] = str(1)", False),
        ("os.environ['A'] = f'{b}'", False),
        ("os.environ.update(b)", False),
        ("a['A'] = 1", False),
        ("a.update(A=1)\ndict(A=1)", False),
        ("e['A'] = 1\nrun(a, env=b)", False),
    ],
)
def test_variables_that_get_no_string(program: str, is_found: bool) -> None:
    assert may_put_no_string(tree("import os\n" + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("torch.ones(2).device == torch.device('cuda')", True),
        ("torch.device('cuda') != torch.ones(2).device", True),
        ("x = torch.ones(2)\nd = x.device\nk = 'cuda' if a else 'cpu'\ne = torch.device(k)\nd == e", True),
        ("from torch import device as c\ntorch.ones(2).device == c('xpu')", True),
        ("x.device == torch.device('cuda')", False),
        ("torch.ones(2).device == torch.device('cuda:0')", False),
        ("torch.ones(2).device == torch.device(a)", False),
        ("torch.ones(2).device == x.device", False),
        ("torch.ones(2).device in (torch.device('cuda'),)", False),
    ],
)
def test_devices_without_an_index_that_are_compared(program: str, is_found: bool) -> None:
    assert may_compare_bare_device(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("if x.is_cuda: y = y.cuda()", True),
        ("if not x.is_cuda:\n    y = z\nelse:\n    y = y.to('cuda')", True),
        ("torch.ones(2, device='cuda' if x.is_cuda else 'cpu')", True),
        ("if x.is_cuda: d = 'cuda'\nelse: d = 'cpu'", True),
        ("y.to(x.get_device())", True),
        ("if a and x.is_cuda: return_it('cuda')", False),
        ("if x.is_cuda: f(x)", False),
        ("if is_cuda: y = y.cuda()", False),
    ],
)
def test_tensors_that_say_where_others_go(program: str, is_found: bool) -> None:
    assert may_follow_tensor(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("init_process_group('nccl')", True),
        ("init_process_group(backend='nccl')", True),
        ("backend = 'nccl'", True),
        ("names = ['nccl', 'gloo']", False),
        ("if backend == 'nccl': pass", False),
        ("f({'cuda': 'nccl'})", False),
    ],
)
def test_nccl_as_a_backend(program: str, is_found: bool) -> None:
    assert may_be_backend(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("torch.accelerator.synchronize()", True),
        ("from torch.accelerator import memory as m\nm.empty_cache()", True),
        ("with torch.accelerator.device_index(0): pass", True),
        ("if not is_tpu_available(): torch.accelerator.synchronize()", True),
        ("if ready(): torch.accelerator.synchronize()", True),
        ("if is_tpu_available(): pass\nelse: torch.accelerator.synchronize()", True),
        ("if is_tpu_available(): torch.accelerator.synchronize()", False),
        ("torch.accelerator.device_index(0)", False),
        ("torch.accelerator.is_available()", False),
        ("wait = torch.accelerator.synchronize", False),
    ],
)
def test_functions_of_an_accelerator_that_are_called_without_one(program: str, is_found: bool) -> None:
    assert may_raise_on_cpu(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("torch.accelerator.current_accelerator().type", True),
        ("x.to(torch.accelerator.current_accelerator())", True),
        ("x.to(device=torch.accelerator.current_accelerator())", True),
        ("f'{torch.accelerator.current_accelerator()}:0'", True),
        ("a = torch.accelerator.current_accelerator()", True),
        ("def f() -> torch.device:\n    return torch.accelerator.current_accelerator()", True),
        ("def f():\n    return torch.accelerator.current_accelerator()", False),
        ("if torch.accelerator.current_accelerator() is None: pass", False),
        ("a = b if c else torch.accelerator.current_accelerator()", False),
        ("get_current_accelerator().type", False),
    ],
)
def test_accelerators_that_may_not_be_there(program: str, is_found: bool) -> None:
    assert may_be_unchecked(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("torch.accelerator.current_device()", True),
        ("import torch.accelerator as a\na.manual_seed(1)", True),
        ("from torch.accelerator import Stream", True),
        ("torch.accelerator.is_available()", False),
        ("torch.accelerator.is_availble()", False),
        ("accelerator.current_device()", False),
    ],
)
def test_names_that_no_accelerator_has(program: str, is_found: bool) -> None:
    assert may_be_unknown(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("device = 'cuda' if torch.accelerator.is_available() else 'cpu'", True),
        ("if torch.accelerator.is_available():\n    device = torch.device('cuda')", True),
        ("if torch.accelerator.is_available():\n    device = torch.device(rank)", True),
        ("if torch.accelerator.is_available(): f(device == 'cuda')", False),
        ("device = 'cuda' if torch.cuda.is_available() else 'cpu'", False),
    ],
)
def test_cuda_where_there_is_an_accelerator(program: str, is_found: bool) -> None:
    assert may_take_cuda(tree(IMPORT + program)) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("torch.accelerator.device_index(0)", True),
        ("with torch.accelerator.device_index(0): pass", False),
        ("torch.accelerator.set_device_index(0)", False),
    ],
)
def test_device_indices_that_are_dropped(program: str, is_found: bool) -> None:
    assert may_drop_device_index(tree(IMPORT + program)) is is_found


def test_values_are_followed_as_deep_as_rules_do() -> None:
    chain = "".join(f"x{number} = x{number - 1}\n" for number in range(DEPTH - 1, 0, -1))
    assert may_discard_tensor(tree(f"{IMPORT}{chain}x0 = torch.zeros(2)\nx{DEPTH - 1}.cuda()"))


def test_names_that_stand_for_each_other_end() -> None:
    assert not may_discard_tensor(tree("x = y\ny = x\nx.cuda()"))
