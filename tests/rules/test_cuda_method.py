from __future__ import annotations

from pathlib import Path

import pytest

from devlint.core.target import Target
from devlint.sources.source import Source
from tests.support import engine
from tests.support.projects import fix_files, write_files
from tests.support.rule_cases import CUDA, check, fixed, found, places, rule

CODE = "DEV101"
HEAD = 'import torch\n\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'

# Arguments of `.cuda(...)`, and of the `.to(...)` that says the same.
ARGUMENTS = [
    ("()", "(device)"),
    ("( )", "(device)"),
    ("(None)", "(device)"),
    ("(None,)", "(device,)"),
    ("(None, True)", "(device, non_blocking=True)"),
    ("(None, flag and other)", "(device, non_blocking=flag and other)"),
    ("(None, non_blocking=True)", "(device, non_blocking=True)"),
    ("(device=None)", "(device)"),
    ("(device=None, non_blocking=True)", "(device, non_blocking=True)"),
    ("(non_blocking=True, device=None)", "(device, non_blocking=True)"),
    ("(non_blocking=True)", "(device, non_blocking=True)"),
    ("(non_blocking = True)", "(device, non_blocking = True)"),
    ("(memory_format=torch.channels_last)", "(device, memory_format=torch.channels_last)"),
    (
        "(non_blocking=True, memory_format=torch.channels_last)",
        "(device, non_blocking=True, memory_format=torch.channels_last)",
    ),
    ("(  # here\n)", "(device  # here\n)"),
    ("(\n    # nothing\n)", "(device\n    # nothing\n)"),
    ("(\n    non_blocking=True,  # fast\n)", "(\n    device, non_blocking=True,  # fast\n)"),
    (" ()", " (device)"),
    ("(device)", "(device)"),
    ("(device=device)", "(device)"),
    ("(device, True)", "(device, non_blocking=True)"),
    ("(torch.ones(1).device)", "(torch.ones(1).device)"),
    ("(torch.device(type='cuda'))", "(torch.device(type='cuda'))"),
]


@pytest.mark.parametrize(("before", "after"), ARGUMENTS)
def test_arguments(before: str, after: str) -> None:
    check(CODE, f"{HEAD}y = x.cuda{before}\n", f"{HEAD}y = x.to{after}\n", "safe")


@pytest.mark.parametrize("made", ["np.argsort(loss.data)", "np.sqrt(loss)", "np.argsort(loss.cpu())[:3]"])
def test_what_a_function_of_numpy_makes_of_a_tensor_is_one(made: str) -> None:
    """Arrays have no ``cuda``."""
    text = f"{HEAD}import numpy as np\n\nfound = {made}.{{}}\n"
    check(CODE, text.format("cuda()"), text.format("to(device)"), "safe")


STORAGES = [
    "torch.Storage(3)",
    "torch.FloatStorage(3)",
    "torch.ByteStorage.from_buffer(b'a')",
    "x.untyped_storage()",
    "x.storage()",
    "x.data.typed_storage()",
]


@pytest.mark.parametrize("storage", STORAGES)
def test_storages_which_take_no_device_by_position_are_left(storage: str) -> None:
    for text in (f"{HEAD}y = {storage}.cuda()\n", f"{HEAD}s = {storage}\ns.cuda()\n"):
        assert places(CODE, text) == [(text.count("\n"), "none")]
        assert fixed(CODE, text) == text


@pytest.mark.parametrize(
    "load",
    [
        "torch.load(f, map_location=lambda s, l: s.cuda())",
        "torch.load(f, lambda s, l: s.cuda(), pickle_module=p)",
        "torch.hub.load_state_dict_from_url(f, map_location=lambda s, l: s.cuda())",
        "read(f, map_location=lambda s, l: s.cuda())",
        "to_gpu = lambda s, l: s.cuda()\ny = torch.load(f, map_location=to_gpu)",
    ],
)
def test_a_function_that_gets_storages_becomes_the_device_whatever_it_calls_them(load: str) -> None:
    assert load.replace("lambda s, l: s.cuda()", "device") in fixed(CODE, f"{HEAD}{load}\n", unsafe=False)


@pytest.mark.parametrize(
    "lines",
    [
        "dev = torch.device(get())\ny = torch.load(f, map_location=lambda s, l: s.cuda(dev))",
        "y = torch.load(f, map_location=lambda s, l: s.cuda() if l != 'cpu' else s)",
        "to_gpu = lambda s, l: s.cuda()\ny = torch.load(f, map_location=to_gpu)\nto_gpu(s, l)",
        "def to_gpu(s, l):\n    return s.cuda()\ny = torch.load(f, to_gpu)",
        "def to_gpu(s, l):\n    return s.cuda()\ny = torch.load(f, map_location=to_gpu if big else None)",
    ],
)
def test_storages_that_a_function_gets_are_left(lines: str) -> None:
    assert f"{HEAD}{lines}\n" == fixed(CODE, f"{HEAD}{lines}\n")


def test_a_function_that_no_load_gets_has_tensors() -> None:
    text = "def g(s, l):\n    return s.cuda()\ny = torch.load(f, map_location=lambda s, l: g(x, l))\n"
    assert "    return s.to(device)" in fixed(CODE, HEAD + text)


@pytest.mark.parametrize(
    "arguments",
    ["*args", "**options", "None, *args", "non_blocking=True, **options", "None, False, torch.channels_last"],
)
def test_arguments_nobody_understands_are_left(arguments: str) -> None:
    text = f"{HEAD}y = x.cuda({arguments})\n"
    assert places(CODE, text) == [(4, "none")]
    assert fixed(CODE, text) == text


def test_a_third_argument_is_not_called_non_blocking() -> None:
    assert places(CODE, f"{HEAD}x.cuda(None, False, torch.preserve_format)\n") == [(4, "none")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y = net(x.cuda()).cuda()", "y = net(x.to(device)).to(device)"),
        (
            "y = a(b(x.cuda()).cuda(None, True)).cuda()",
            "y = a(b(x.to(device)).to(device, non_blocking=True)).to(device)",
        ),
        ("y = x.cuda().cuda()", "y = x.to(device).to(device)"),
        ("y = x.cuda()[y.cuda()].cuda()", "y = x.to(device)[y.to(device)].to(device)"),
        (
            "y = (x\n     .float()\n     .cuda()  # go\n     .sum())",
            "y = (x\n     .float()\n     .to(device)  # go\n     .sum())",
        ),
        ("y = x \\\n    .cuda()", "y = x \\\n    .to(device)"),
        ("y = x. cuda ()", "y = x. to (device)"),
        ("y = (x).cuda()", "y = (x).to(device)"),
        ("y = (x.cuda)()", "y = (x.to)(device)"),
        ("y = -x.cuda() ** 2", "y = -x.to(device) ** 2"),
        ("y = not x.cuda()", "y = not x.to(device)"),
        ('print(f"{x.cuda()}")', 'print(f"{x.to(device)}")'),
        ("f = lambda x: x.cuda()", "f = lambda x: x.to(device)"),
        ("f = lambda x=y.cuda(): x", "f = lambda x=y.to(device): x"),
        ("y = [x.cuda() for x in z.cuda() if x.cuda()]", "y = [x.to(device) for x in z.to(device) if x.to(device)]"),
        ("y = {x.cuda(): y.cuda() for x, y in z}", "y = {x.to(device): y.to(device) for x, y in z}"),
        ("a = x.cuda(); b = y.cuda()", "a = x.to(device); b = y.to(device)"),
        ("if x: y.cuda()", "if x: y.to(device)"),
        ("x, y = x.cuda(), y.cuda()", "x, y = x.to(device), y.to(device)"),
        ("class A:\n    w = x.cuda()", "class A:\n    w = x.to(device)"),
        ("@wrap(x.cuda())\ndef f(): pass", "@wrap(x.to(device))\ndef f(): pass"),
        ("def f(x=y.cuda()): pass", "def f(x=y.to(device)): pass"),
        ("def f(x): return x.cuda()", "def f(x): return x.to(device)"),
        ("def f():\n    yield x.cuda()", "def f():\n    yield x.to(device)"),
        ("async def f():\n    await g(x.cuda())", "async def f():\n    await g(x.to(device))"),
        ("while x.cuda().any():\n    pass", "while x.to(device).any():\n    pass"),
        ("del x.cuda().grad", "del x.to(device).grad"),
        ("x.cuda()[0] = y.cuda()", "x.to(device)[0] = y.to(device)"),
        ("with run(x.cuda()) as y:\n    pass", "with run(x.to(device)) as y:\n    pass"),
        ("assert x.cuda() == y", "assert x.to(device) == y"),
        ("y = x.cuda() if z else x", "y = x.to(device) if z else x"),
        ("y = torch.nn.DataParallel(x).cuda()", "y = torch.nn.DataParallel(x).to(device)"),
    ],
)
def test_every_place_of_a_call(before: str, after: str) -> None:
    assert fixed(CODE, f"{HEAD}{before}\n", unsafe=False) == f"{HEAD}{after}\n"


SILENT = [
    "@implements(torch.Tensor.cuda)\ndef moved(func, types, args):\n    return args[0].data.cuda()",
    "class Q(torch.Tensor):\n    @classmethod\n    def __torch_function__(cls, func, types, args=(), kwargs=None):\n"
    "        if func is torch.Tensor.cuda:\n            return args[0].dequantize().cuda()",
    "def test():\n    with pytest.raises(RuntimeError):\n        x.cuda()",
    "import bitsandbytes as bnb\nw = bnb.nn.Params4bit(x, requires_grad=False).cuda(0)",
    "from bitsandbytes.nn import Params4bit\nclass Q:\n    def __init__(self, w):\n        self.w = Params4bit(w.data)\n"
    "        self.w.cuda(w.device)",
    "from liegroups.torch import SE3\npose = SE3.exp(x).inv()\npose = pose.cuda()",
    "import liegroups\npose = liegroups.torch.SO3.from_matrix(x).cuda()",
    "import sparseconvnet as scn\nbatch = scn.InputBatch(2, x)\nbatch.cuda()",
    "from topk.svm import SmoothTop1SVM\nloss = SmoothTop1SVM(n_classes=2)\nloss = loss.cuda()",
    "import open3d as o3d\ncloud = o3d.t.geometry.PointCloud(x).cuda(0)",
    "import open3d.core as o3c\nclass Map:\n    def __init__(self, x):\n        self.grid = o3c.Tensor(x)\n"
    "        self.grid = self.grid.cuda()",
    "@pytest.mark.skipif(torch.cuda.get_device_capability() < (8, 0), reason='old')\ndef test():\n    x.cuda()",
    "def need():\n    if not torch.cuda.is_available():\n        pytest.skip('no CUDA')\ndef test():\n    need()\n    x.cuda()",
    "def need():\n    if not torch.cuda.is_available():\n        raise RuntimeError\ndef test():\n    need()\n    x.cuda()",
    "x = nvcomp.as_array(x).cuda(synchronize=False)",
    "def need(n):\n    if torch.cuda.device_count() < n:\n        pytest.skip('no CUDA')\n"
    "def test():\n    need(2)\n    x.cuda()",
    "def need(n):\n    if torch.cuda.device_count() < n:\n        pytest.skip('no CUDA')\n"
    "@pytest.fixture\ndef cards():\n    need(2)\n@pytest.fixture\ndef both(cards):\n    x.cuda()\n"
    "def test(both):\n    x.cuda()",
    "count = torch.cuda.device_count() if ready() and torch.cuda.is_available() else 0\n"
    "def _inputs(x):\n    return x.cuda()\ndef _work(rank):\n    return _inputs(1)\n"
    "@pytest.mark.skipif(count < 2, reason='cards')\ndef test():\n    spawn(_work, nprocs=2)",
    "x.cuda",
    "f = torch.Tensor.cuda",
    "getattr(x, 'cuda')()",
    "cuda(x)",
    "cuda()",
    "torch.cuda()",
    "torch.cuda.is_available()",
    "torch.cuda.FloatTensor(3)",
    "if settings.cuda: pass",
    "x = args.cuda",
    "X.cuda = f",
    's = "x.cuda()"',
    "# x.cuda()",
    '"""x.cuda()"""',
    'def f():\n    """Moves.\n\n    >>> x.cuda()\n    """',
    "x.cuda(0)",
    "x.cuda(device=1)",
    "class A:\n    def cuda(self):\n        self.x = self.x.cuda()\n        return self",
    "class A(torch.nn.Module):\n    def cuda(self, device=None):\n        return super().cuda(device)",
    "class A(torch.nn.Module):\n    def to_gpu(self):\n        return super().cuda()",
    "class A(torch.nn.Module):\n    def to_gpu(self):\n        return super(A, self).cuda()",
    "class A:\n    def cuda(self):\n        pass\n    def f(self):\n        return self.cuda()",
    "class A:\n    def cuda(self):\n        pass\nclass B(A):\n    def f(self):\n        return self.cuda()",
    "class Store:\n    def cuda(self):\n        pass\nstore = Store()\nstore.cuda()",
    "class Store:\n    def cuda(self):\n        pass\nStore().cuda()",
    "class Store:\n    def cuda(self):\n        pass\ndef f(store):\n    store.cuda()",
    "from chainer import cuda\ncuda.get_device(0)",
    "import chainer\nx = chainer.Variable(1).cuda()",
    "import cupy as cp\ncp.cuda()",
    "from numba import cuda\n@cuda.jit()\ndef f(): pass",
    "import numba\nnumba.cuda()",
    "import pycuda.driver as driver\ndriver.cuda()",
    "def _inputs(x):\n    return x.cuda()\n@require_cuda\ndef test():\n    _inputs(1)",
    'if backend == "nccl":\n    x = x.cuda()',
    "if dist.get_backend() != dist.Backend.NCCL:\n    pass\nelse:\n    x = x.cuda()",
]


@pytest.mark.parametrize(
    "test",
    [
        'backend != "nccl"',
        'backend in ("nccl", "gloo")',
        '"gloo" < "nccl" < backend',
        "backend is dist.Backend.GLOO",
        "not (dist.get_backend() == dist.Backend.NCCL)",
    ],
)
def test_other_tests_of_the_backend(test: str) -> None:
    assert len(found(CODE, f"{HEAD}if {test}:\n    x = x.cuda()\n")) == 1


def test_a_helper_that_comes_back_is_no_gate() -> None:
    helper = "def need():\n    if not torch.cuda.is_available():\n        return\n    pytest.skip('x')\n"
    assert found(CODE, f"import torch\n{helper}def test():\n    need()\n    x.cuda()\n")


def test_a_fixture_or_a_function_that_is_used_without_cuda_too_is_no_gate() -> None:
    inner = "def _inputs(x):\n    return x.cuda()\ndef _work(rank):\n    return _inputs(1)\n"
    gated = "@require_cuda\ndef test():\n    spawn(_work, nprocs=2)\n"
    assert not found(CODE, f"import torch\n{inner}{gated}")
    assert found(CODE, f"import torch\n{inner}{gated}def test_other():\n    _work(0)\n")
    assert found(CODE, "import torch\ndef _a(x):\n    _b(x)\ndef _b(x):\n    x.cuda()\n    _a(x)\n")
    own = "@pytest.fixture\ndef card(card):\n    return card\ndef test(card):\n    x.cuda()\n"
    assert found(CODE, f"import torch\n{own}")


def test_a_question_that_need_not_be_answered_is_no_gate() -> None:
    asked = "torch.cuda.is_available() and torch.cuda.get_device_capability() < (8, 0)"
    text = f"import torch\n@pytest.mark.skipif({asked}, reason='old')\ndef test():\n    x.cuda()\n"
    assert found(CODE, text)


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"{HEAD}{text}\n") == ()


def test_a_class_with_cuda_hides_no_tensors() -> None:
    text = f"""{HEAD}
class Store:
    def cuda(self):
        self.x = self.x.cuda()

store = Store()
store.cuda()
y = torch.ones(1).cuda()
image = load()
image.cuda()
"""
    assert places(CODE, text) == [(10, "safe"), (11, "safe"), (13, "safe")]


@pytest.mark.parametrize("move", ["cuda()", "cuda(device)"])
@pytest.mark.parametrize(
    "line", ["parcel = Parcel()", "parcel = Parcel() if rows else torch.ones(1)\n    parcel = Parcel()"]
)
def test_what_a_class_of_the_file_makes_and_its_own_cuda_moves(line: str, move: str) -> None:
    """The class has no ``to``, and its name need not be like that of the variable."""
    text = f"""{HEAD}
class Store(dict):
    def cuda(self, device=None):
        return Store((name, one.cuda(device)) for name, one in self.items())


def collate(rows, device):
    {line.replace("Parcel", "Store")}
    parcel["x"] = torch.tensor(rows)
    parcel = parcel.{move}
    return parcel
"""
    assert found(CODE, text) == ()


def test_a_name_that_stood_for_something_with_its_own_cuda() -> None:
    text = f"""{HEAD}
class Store(dict):
    def cuda(self):
        return self


def collate(rows):
    parcel = Store()
    parcel = torch.tensor(rows)
    return parcel.cuda()
"""
    check(CODE, text, text.replace("parcel.cuda()", "parcel.to(device)"), "safe")


@pytest.mark.parametrize("methods", ["cuda", "cuda to"])
def test_a_given_device_and_a_class_of_another_file_with_its_own_moves(methods: str, tmp_path: Path) -> None:
    defined = "".join(
        f"    def {one}(self, device=None):\n        self.x = self.x.to(device)\n\n" for one in methods.split()
    )
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "storage.py").write_text(f"class Rollouts:\n    def insert(self, x):\n        pass\n\n{defined}")
    text = f"{HEAD}\ndef train(memory, x):\n    memory.insert(x)\n    memory.cuda(device)\n    return x.cuda(device)\n"
    (tmp_path / "main.py").write_text(text)
    result = fix_files(tmp_path)["main.py"]
    assert ("memory.cuda(device)" in result, "x.to(device)" in result) == (methods == "cuda", True)


def test_a_class_imported_from_a_neighbouring_file(tmp_path: Path) -> None:
    (tmp_path / "storage.py").write_text("class RolloutStorage:\n    def cuda(self):\n        return self\n")
    (tmp_path / "models.py").write_text("import torch\n\nclass Policy(torch.nn.Module):\n    pass\n")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("from .inner import Memory\n")
    (tmp_path / "package" / "inner.py").write_text("class Memory:\n    x = 1\n    def cuda(self): return self\n")
    text = f"""{HEAD}
import package
from models import Policy
from package import Memory
from storage import RolloutStorage

policy = Policy()
policy.cuda()
rollouts = RolloutStorage()
rollouts.cuda()
memory = Memory()
memory.cuda()
again = package.Memory()
again.cuda()


class Agent:
    def __init__(self, path):
        self.memory = package.Memory.load(path)
        self.memory.cuda()
"""
    result = engine.fix(Source.from_text(str(tmp_path / "main.py"), text), [rule(CODE)], CUDA)
    assert result.failure is None
    assert result.text == text.replace("policy.cuda()", "policy.to(device)")


@pytest.mark.parametrize(
    ("imported", "made"),
    [
        ("from old import Net", "Net()"),
        ("import old", "old.Net.load()"),
        ("from package import Net", "Net()"),
        ("from everything import Net", "Net()"),
        ("from heirs import Heir", "Heir()"),
        ("from old import Net\n\nclass Own(Net):\n    pass\n", "Own()"),
        ("from old import Net\n\nclass Own(Net):\n    def put(self):\n        self.cuda()\n", "Own()"),
    ],
)
def test_what_is_in_a_file_that_cannot_be_parsed_may_have_a_cuda_of_its_own(
    imported: str, made: str, tmp_path: Path
) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "old.py").write_text("class Net:\n    def show(self):\n        print self\n")
    (tmp_path / "new.py").write_text("import torch\n\nclass Net(torch.nn.Module):\n    pass\n")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("from .inner import Net\n")
    (tmp_path / "package" / "inner.py").write_text("class Net: print 1\n")
    (tmp_path / "everything.py").write_text("from old import *\n")
    (tmp_path / "heirs.py").write_text("import old\n\nclass Heir(old.Net):\n    pass\n")
    text = f"{HEAD}\nfrom new import Net as New\n{imported}\n\nnet = {made}\nnet.cuda()\nnew = New()\nnew.cuda()\n"
    (tmp_path / "main.py").write_text(text)
    assert fix_files(tmp_path)["main.py"] == text.replace("new.cuda()", "new.to(device)")


LIGHTNING = """\
import pytorch_lightning as pl
import torch
from base import Base


class Net(BASE):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)

    def training_step(self, batch, batch_idx):
        noise = torch.ones(2).cuda()
        return self.layer(batch).mul(3) if batch_idx else noise
"""


@pytest.mark.parametrize("base", ["pl.LightningModule", "Base"])
@pytest.mark.parametrize(
    ("name", "text", "used"),
    [
        ("requirements.txt", "torch\npytorch-lightning==0.7.1\n", False),
        ("setup.py", 'setup(install_requires=["pytorch_lightning<0.7.6"])\n', False),
        ("Pipfile", '[packages]\npytorch-lightning = "==0.6.0"\n', False),
        ("requirements.txt", "torch\npytorch-lightning==0.7.6\n", True),
        ("requirements.txt", "torch\npytorch-lightning>=0.7.1\n", True),
        ("requirements.txt", "torch\n", True),
    ],
)
def test_a_lightning_of_old_has_no_device(base: str, name: str, text: str, used: bool, tmp_path: Path) -> None:
    made = "import pytorch_lightning as pl\n\n\nclass Base(pl.LightningModule):\n    pass\n"
    program = LIGHTNING.replace("BASE", base)
    files = {"setup.py": "", name: text, "nets/__init__.py": "", "nets/base.py": made, "nets/net.py": program}
    result = fix_files(write_files(tmp_path / "p", files))["nets/net.py"]
    assert (".cuda()" in result, ".to(self.device)" in result) == (False, used)


def test_programs_for_a_lightning_of_old_get_no_device_of_it() -> None:
    old = (
        LIGHTNING.replace("BASE", "pl.LightningModule")
        + "\n    @pl.data_loader\n    def train_dataloader(self):\n        pass\n"
    )
    result = fixed(CODE, old)
    assert (".cuda()" in result, ".to(self.device)" in result) == (False, False)


@pytest.mark.parametrize(
    ("head", "bases", "is_kept"),
    [
        ("", "", True),
        ("", "(object)", True),
        ("", "(dict)", True),
        ("from collections import UserList\n", "(UserList)", True),
        ("import abc\n", "(abc.ABC)", True),
        ("import torch\n", "(torch.nn.Module)", False),
        ("from library import Base\n", "(Base)", False),
    ],
)
def test_what_is_used_as_a_class_of_another_file_that_has_no_to(
    head: str, bases: str, is_kept: bool, tmp_path: Path
) -> None:
    methods = "    def insert(self, x):\n        pass\n\n    def cuda(self):\n        return self\n"
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "storage.py").write_text(f"{head}class Rollouts{bases}:\n{methods}")
    text = f"{HEAD}\ndef train(memory, x):\n    memory.insert(x)\n    memory.cuda()\n    return x.cuda()\n"
    (tmp_path / "main.py").write_text(text)
    result = fix_files(tmp_path)["main.py"]
    assert ("memory.cuda()" in result, "x.to(device)" in result) == (is_kept, True)


def test_where_the_finding_is_and_what_it_says() -> None:
    (finding,) = found(CODE, "import torch\nx = net(\n    y).cuda(\n)\n")
    assert (finding.location.row, finding.location.column) == (3, 8)
    assert (finding.end_location.row, finding.end_location.column) == (4, 2)
    assert "needs CUDA" in finding.message
    assert finding.fix is not None and finding.fix.message == "Replace `.cuda()` by `.to(device)`"


def test_guarded_moves_are_another_rules() -> None:
    text = f"""{HEAD}
if torch.cuda.is_available():
    x.cuda()
y = x.cuda() if torch.cuda.is_available() else x
"""
    assert found(CODE, text) == ()


@pytest.mark.parametrize(
    ("argument", "kinds"),
    [
        ("rank", []),
        ("args.gpu", []),
        ("0", []),
        ("choose(1)", ["unsafe"]),
        ("device", ["safe"]),
        ("device=device", ["safe"]),
        ("x.device", ["unsafe"]),
        ("torch.ones(1).device", ["safe"]),
        ("get_device()", []),
    ],
)
def test_a_number_is_another_rules_and_an_unknown_only_moved_to_when_asked(argument: str, kinds: list[str]) -> None:
    assert [kind for _, kind in places(CODE, f"{HEAD}y = x.cuda({argument})\n")] == kinds


def test_a_file_that_does_not_import_torch() -> None:
    text = "from data import batches\n\nfor x in batches:\n    x = x.cuda()\n"
    assert places(CODE, text) == [(4, "unsafe")]
    assert fixed(CODE, text, unsafe=False) == text
    assert "import torch" not in fixed(CODE, "def f(x, device):\n    return x.cuda()\n")


def test_newlines_tabs_and_the_last_line() -> None:
    before = "import torch\r\ndef f(x):\r\n\tif x:\r\n\t\treturn x.cuda()"
    after = (
        'import torch\r\ndef f(x):\r\n\tif x:\r\n\t\tdevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
        "\r\n\t\treturn x.to(device)"
    )
    assert fixed(CODE, before) == after


def test_targets() -> None:
    text = "import torch\n\nx = torch.ones(1).cuda(None, True)\n"
    accelerator = fixed(CODE, text, target=Target("accelerator", torch_min_version=(2, 6)))
    assert accelerator == (
        "import torch\n\n"
        "device = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else "
        'torch.device("cpu")\n\n'
        "x = torch.ones(1).to(device, non_blocking=True)\n"
    )
    project = fixed(CODE, text, target=Target("project", "get_device()", "from testing import get_device"))
    assert project == (
        "import torch\nfrom testing import get_device\n\nx = torch.ones(1).to(get_device(), non_blocking=True)\n"
    )


@pytest.mark.parametrize(
    ("program", "safety"),
    [
        ("def f(x, device=None):\n    return x.cuda(device)\n", "unsafe"),
        ("def f(x, device=None, n=1):\n    return [x.cuda(device=device) for _ in range(n)]\n", "unsafe"),
        ("class A:\n    def __init__(self, device=None):\n        self.device = device\n{method}", "unsafe"),
        ("class A:\n    def __init__(self, device=None):\n        self.device: object = device\n{method}", "unsafe"),
        ("class A:\n    def __init__(self):\n        self.device = None\n{method}", "unsafe"),
        ('p.add_argument("--device", default=None)\nargs = p.parse_args()\ny = x.cuda(args.device)\n', "unsafe"),
        (
            'p.add_argument("--device", type=int, nargs="+")\nargs = p.parse_args()\n'
            "device = args.device[0] if many else args.device\ny = x.cuda(device)\n",
            "unsafe",
        ),
        ("def f(x, device):\n    return x.cuda(device)\n", "unsafe"),
        ("def f(x, device: torch.device):\n    return x.cuda(device)\n", "safe"),
        ("def f(x, device: 'str | None'):\n    return x.cuda(device)\n", "unsafe"),
        ("def f(x, device='cuda'):\n    return x.cuda(device)\n", "safe"),
        ("def f(x, device='cuda'):\n    return x.cuda(device)\nf(batch, None)\n", "unsafe"),
        ("def f(x, device):\n    return x.cuda(device)\nf(batch, torch.device('cuda'))\n", "safe"),
        ("def f(x, device):\n    return x.cuda(device)\nf(batch, settings.device)\n", "unsafe"),
        ("def f(x, y):\n    device = y.device\n    return x.cuda(device)\n", "unsafe"),
        ("def f(x, y):\n    device = y.device\n    return x.view(y.size(0)).cuda(device)\n", "safe"),
        ("def f(x, device):\n    device = torch.device(device)\n    return x.cuda(device)\n", "safe"),
        ("def f(x, device):\n    y = z.to(torch.device(device))\n    return x.cuda(device)\n", "safe"),
        ("config = read()\ndevice = config['device']\ny = x.cuda(device)\n", "unsafe"),
        ("workers, device = read()\ny = x.cuda(device)\n", "unsafe"),
        ("from settings import config\ny = x.cuda(config.device)\n", "unsafe"),
        (
            "def f(x, device=None):\n    if device is None:\n        device = pick_device()\n    x.cuda(device)\n",
            "safe",
        ),
        ("def f(x, device=None):\n    device = device or pick_device()\n    return x.cuda(device)\n", "safe"),
        ("def f(x, device=None):\n    if device is not None:\n        x.cuda(device)\n", "safe"),
        ("def f(x, device=None):\n    return x if not device else x.cuda(device)\n", "safe"),
        ("def f(x, device=None, n=1):\n    if n and device is not None:\n        x.cuda(device)\n", "safe"),
        ("def f(x, device=None, n=1):\n    if n or device is not None:\n        x.cuda(device)\n", "unsafe"),
        ("def f(x, device=None, n=1):\n    return x if n or device is None else x.cuda(device)\n", "safe"),
        ("class A:\n    def __init__(self, device):\n        self.device = device\n{method}", "unsafe"),
        (
            "class A:\n    def __init__(self, device=None):\n"
            "        self.device = device if device is not None else pick_device()\n{method}",
            "safe",
        ),
        (
            "class B:\n    device = None\n    def g(self):\n        self.device = None\n"
            "class A:\n    def __init__(self, device: str):\n        self.device = device\n{method}",
            "safe",
        ),
    ],
)
def test_a_device_that_may_be_none_moves_nothing(program: str, safety: str) -> None:
    """``x.cuda(None)`` moves to the current GPU, ``x.to(None)`` leaves it where it is."""
    head = "import torch\ndef pick_device():\n    return 'cuda'\n"
    text = head + program.replace("{method}", "    def f(self, x):\n        return x.cuda(self.device)\n")
    assert [one for _, one in places(CODE, text)] == [safety]


def test_no_move_to_a_class_that_has_only_a_cuda_method_of_its_own() -> None:
    program = (
        "import torch\n\n\nclass Memory:\n    def __init__(self, n):\n        self.table = Table(torch.ones(n))\n"
        "        self.table.cuda()\n\n\nclass Table:\n    def __init__(self, x):\n        self.x = x\n\n"
        "    def cuda(self):\n        self.x = self.x.cuda()\n"
    )
    guarded = "        if torch.cuda.is_available():\n            self.table.cuda()\n"
    check(CODE, program, program.replace("        self.table.cuda()\n", guarded), "safe")


@pytest.mark.parametrize(("flag", "used"), [("gather_on_cpu", False), ("config.cpu_offload", False), ("use_cpu", True)])
def test_where_results_are_stored_is_not_where_the_program_runs(flag: str, used: bool) -> None:
    for value in ("'cpu' if {} else 'cuda'", "torch.device('cpu') if {} else torch.device('cuda')"):
        head = "import torch\n\n\ndef f(x, config, gather_on_cpu, use_cpu):\n"
        program = f"{head}    kept_device = {value.format(flag)}\n    return x.cuda().to(kept_device)\n"
        assert ("x.to(kept_device)" in fixed(CODE, program)) is used


@pytest.mark.parametrize(
    ("stored", "used"), [("v.detach().to(kept_device).clone()", False), ("v.to(kept_device)", True)]
)
def test_a_parameter_to_which_only_copies_go_is_not_the_program_s_device(stored: str, used: bool) -> None:
    program = (
        "import torch\n\n\ndef edit(model, tokens, kept_device='cuda'):\n    edited = model(tokens.clone().cuda())\n"
        f"    return edited, {{k: {stored} for k, v in model.named_parameters()}}\n"
    )
    assert ("tokens.clone().to(kept_device)" in fixed(CODE, program)) is used


@pytest.mark.parametrize(
    "moved", ["w.float().cuda()", "w.data.cuda()", "torch.abs(w).cuda()", "(2 * w)[:1].cuda()", "made.cuda()"]
)
def test_the_device_of_what_is_moved_is_no_place_for_what_is_made_of_it(moved: str) -> None:
    program = (
        "import torch\n\n\ndef rotated(layer):\n    w = layer.weight.data\n    made = w.abs()\n    home = w.device\n"
        f"    return {moved}.to(home)\n"
    )
    assert f"{moved.removesuffix('.cuda()')}.to(device).to(home)" in fixed(CODE, program)


@pytest.mark.parametrize(("value", "used"), [("config.cache_device", False), ("'cuda'", True)])
def test_a_device_that_is_the_cpu_until_an_option_says_otherwise_is_not_the_program_s(value: str, used: bool) -> None:
    program = (
        "import torch\n\nhome_device = 'cpu'\n\n\ndef configure(config):\n    global home_device\n"
        f"    home_device = {value}\n\n\ndef get(cache):\n    cache.append(cache[0].to(home_device))\n"
        "    return cache[0].cuda()\n"
    )
    assert ("return cache[0].to(home_device)" in fixed(CODE, program)) is used


@pytest.mark.parametrize(
    ("test", "used"),
    [
        ('the_device == "cpu"', False),
        ('x.ok and not the_device != "cpu"', False),
        ('x.ok or the_device == "cpu"', True),
        ('not (x.ok and the_device == "cpu")', True),
    ],
)
def test_where_a_device_is_said_to_be_the_cpu_it_is_no_place_for_cuda(test: str, used: bool) -> None:
    program = (
        "import torch\n\n\ndef get(x, the_device):\n    y = torch.ones(3, device=the_device)\n"
        f"    if {test}:\n        y = x.cuda()\n    return y\n"
    )
    assert ("x.to(the_device)" in fixed(CODE, program)) is used


@pytest.mark.parametrize("move", ["model.eval().cuda()", "model = model.half().eval().cuda()"])
def test_the_device_of_a_model_that_then_moves_is_no_place_for_its_input(move: str) -> None:
    program = (
        "import torch\n\n\ndef run(model, x):\n    home = next(model.parameters()).device\n"
        f"    {move}\n    return model(x.cuda()).to(home)\n"
    )
    assert fixed(CODE, program).count("(home)") == 1


_OWN_DEVICE = "\n    @property\n    def device(self):\n        return self.net.device\n"


@pytest.mark.parametrize(
    ("base", "last"),
    [("transformers.PreTrainedModel", ""), ("pytorch_lightning.LightningModule", ""), ("object", _OWN_DEVICE)],
)
@pytest.mark.parametrize(
    ("body", "used"),
    [
        ("self.net = build()\n        self.net.cuda().eval()", False),
        ("self.net = build()\n        self.net = self.net.cuda()", False),
        ("self.net.head.cuda()", False),
        ("self.net.half().eval().cuda()", False),
        ("return self.net(self.mask.cuda())", True),
    ],
)
def test_what_an_instance_is_made_of_is_not_moved_to_where_it_is(base: str, last: str, body: str, used: bool) -> None:
    top = base.partition(".")[0]
    program = (
        f"import torch\nimport {top}\n\n\nclass Tower({base}):\n    def load(self, build):\n        {body}\n{last}"
    ).replace("import object\n", "")
    result = fixed(CODE, program)
    assert ".cuda()" not in result
    assert (".to(self.device)" in result) is used
    assert "self.device =" not in result


def test_in_what_init_calls_an_instance_has_no_device_yet() -> None:
    program = (
        "import torch\n\n\nclass Tower:\n    def __init__(self):\n        self.load()\n\n    def load(self):\n"
        f"        self.mask = torch.ones(3).cuda()\n{_OWN_DEVICE}"
    )
    assert "self.device)" not in fixed(CODE, program)


def test_a_module_that_moves_itself_does_not_ask_its_own_weights_for_the_device() -> None:
    program = (
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.fc = nn.Linear(2, 2)\n\n    def intype(self, kind):\n"
        "        if kind == 'gpu':\n            self.cuda()\n            self.zero = torch.zeros(2).cuda()\n"
    )
    assert "weight.device" not in fixed(CODE, program)


@pytest.mark.parametrize(
    ("method", "statement", "asks"),
    [
        ("train", "self.cache = torch.zeros(2).cuda()", False),
        ("reset", "self.a, b = torch.zeros(2).cuda(), 1", False),
        ("reset", "return torch.zeros(2).cuda()", False),
        ("reset", "return self.fc(torch.zeros(2).cuda())", True),
        ("forward", "self.cache = torch.zeros(2).cuda()", False),
        ("forward", "self.cache = self.fc(torch.zeros(2).cuda())", True),
        ("build", "net = Helper(n)\n        net = net.half().cuda()\n        self.engine = Engine(net)", False),
        ("build", "self.keep(nn.Linear(2, 2).cuda())", False),
        ("build", "mask = torch.zeros(2)\n        self.keep(mask.cuda(), nn.Parameter(mask).cuda())", True),
    ],
)
def test_what_a_module_keeps_is_where_it_was_even_if_the_module_is_moved_later(
    method: str, statement: str, asks: bool
) -> None:
    program = (
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
        f"        super().__init__()\n        self.fc = nn.Linear(2, 2)\n\n    def {method}(self, n):\n        {statement}\n"
    )
    assert ("weight.device" in fixed(CODE, program)) is asks


def test_no_fix_for_what_a_kernel_needs() -> None:
    text = (
        "import torch\nfrom torch.autograd import Function\nclass March({}):\n    @staticmethod\n"
        "    def forward(ctx, rays, grid):\n        if not rays.is_cuda: rays = rays.cuda()\n"
        "        if not {}.is_cuda:\n            grid = grid.cuda()\n        return _backend.march(rays, grid)\n"
    )
    assert [kind for _, kind in places(CODE, text.format("Function", "grid"))] == ["none", "none"]
    assert [kind for _, kind in places(CODE, text.format("Function", "rays"))] == ["none", "unsafe"]  # the first stays
    assert [kind for _, kind in places(CODE, text.format("object", "grid"))] == ["safe", "safe"]


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ("return DistributedDataParallel(net.cuda(), device_ids=[rank])", "none"),
        ("return DistributedDataParallel(net.cuda().train(), device_ids=[rank], output_device=rank)", "none"),
        ("return MMDistributedDataParallel(net.cuda(), device_ids=[torch.cuda.current_device()])", "none"),
        ("net.cuda()\n    net.train()\n    net = DistributedDataParallel(net, device_ids=[rank])", "none"),
        ("net = net.half().cuda()\n    net = DistributedDataParallel(net, device_ids=[rank])", "none"),
        ("net.half().cuda()\n    return DistributedDataParallel(net, device_ids=[rank])", "none"),
        ("net.cuda()\n    if rank:\n        net = DistributedDataParallel(net, device_ids=[rank])", "safe"),
        ("other.cuda()\n    net = DistributedDataParallel(net, device_ids=[rank])", "unsafe"),
        ("net = DistributedDataParallel(net, device_ids=[rank])\n    other.cuda()", "unsafe"),
        ("net.cuda()\n    net = DistributedDataParallel(net)", "safe"),
        ("net.cuda()\n    net = DistributedDataParallel(net, device_ids=cards)", "safe"),
        ("net.cuda()\n    net = DataParallel(net, device_ids=[rank])", "safe"),
        ("return DistributedDataParallel(module=net, device_ids=[rank], other=x.cuda())", "unsafe"),
    ],
)
def test_a_model_for_distributed_cards_stays_on_its_card(lines: str, kind: str) -> None:
    program = f"import torch\nfrom torch.nn.parallel import DistributedDataParallel\n\n\ndef f(net, other, rank):\n    {lines}\n"
    assert [found for _, found in places(CODE, program)] == [kind]


def test_a_function_that_torchscript_compiles_keeps_no_other_from_asking_a_shared_one() -> None:
    text = (
        "import torch\n\n\n@torch.jit.script\ndef clamp(x):\n    return x.clamp(0)\n\n\n"
        "def f(x):\n    return clamp(x.cuda())\n\n\ndef g(x):\n    return x.cuda() + 1\n"
    )
    after = fixed(CODE, text)
    assert after.count("torch.cuda.is_available()") == 1
    assert after.count(".to(get_device())") == 2


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ("cfg.device = int(chosen)\nmodel.cuda(cfg.device)\n", "unsafe"),
        ("cfg.device = settings.gpu_index\ntorch.cuda.set_device(cfg.device)\nmodel.cuda(cfg.device)\n", "unsafe"),
        ("def f(x, dev):\n    with torch.cuda.device(dev):\n        return x.cuda(dev)\n", "unsafe"),
        ("dev = torch.device('cuda:1')\ntorch.cuda.set_device(dev)\nmodel.cuda(dev)\n", "safe"),
        ("def f(x, dev='cuda'):\n    return x.cuda(dev)\n", "safe"),
    ],
)
def test_what_is_a_number_or_made_the_current_card_is_no_device(lines: str, kind: str) -> None:
    assert [one for _, one in places(CODE, f"import torch\n{lines}")] == [kind]


_HOLDER = """import torch


class Holder:
    def __init__(self, net):
        self.net = net

    def cuda(self):
        {}
"""


@pytest.mark.parametrize(
    "body", ["self.net = self.net.cuda()\n        return self", '"Move it."\n        self.net.cuda()']
)
def test_a_cuda_of_the_projects_own_that_only_moves(body: str, tmp_path: Path) -> None:
    main = "import torch\nfrom holder import Holder\n\nheld = Holder(net)\nheld.cuda()\n"
    write_files(tmp_path, {"pyproject.toml": "", "holder.py": _HOLDER.format(body), "main.py": main})
    after = "if torch.cuda.is_available():\n    held.cuda()\n"
    assert fix_files(tmp_path)["main.py"] == main.replace("held.cuda()\n", after)


@pytest.mark.parametrize(
    ("body", "main"),
    [
        ("self.net = self.net.cuda()\n        self.kind = 'cuda'", "held = Holder(net)\nheld.cuda()"),
        ("self.net = wrap(self.net.cuda())", "held = Holder(net)\nheld.cuda()"),
        ("return Kernel(self)", "held = Holder(net)\nheld.cuda()"),
        ("self.net = self.net.cuda()", "held = Holder(net)\nother = held.cuda()"),
        ("self.net = self.net.cuda()", "held = Holder(net)\nheld.cuda(1)"),
        ("self.net = self.net.cuda()", "held = Holder(net)\nif torch.cuda.is_available():\n    held.cuda()"),
    ],
)
def test_a_cuda_of_the_projects_own_that_does_more(body: str, main: str, tmp_path: Path) -> None:
    text = f"import torch\nfrom holder import Holder\n\n{main}\n"
    write_files(tmp_path, {"pyproject.toml": "", "holder.py": _HOLDER.format(body), "main.py": text})
    assert "main.py" not in fix_files(tmp_path)


@pytest.mark.parametrize("default", ["'cpu'", "'cuda'"])
@pytest.mark.parametrize("device", ["args.device", "torch.device(args.device)"])
def test_a_variable_of_an_option_is_not_taken_for_what_does_not_meet_it(device: str, default: str) -> None:
    text = "import argparse\nimport torch\ndef load(args, device):\n    args.device = device\n    return make(args)\n"
    text += f"parser = argparse.ArgumentParser()\nparser.add_argument('--device', default={default})\nargs = parser.parse_args()\ndevice = {device}\n"
    text += "net = torch.nn.Linear(2, 2).to(device)\npipe = make().cuda()\n"
    assert "make().to(torch_device)" in fixed("DEV101", text, unsafe=False)


@pytest.mark.parametrize("test", ["args.cuda or args.mix", "args.mix or args.far or args.cuda", "args.far or args.mix"])
def test_another_option_that_asks_for_cuda_as_well(test: str) -> None:
    text = (
        "import argparse\nimport torch\n\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--cuda', action='store_true')\nparser.add_argument('--mix', action='store_true')\n"
        "parser.add_argument('--far', action='store_true')\nargs = parser.parse_args()\n"
        "device = torch.device('cuda' if args.cuda else 'cpu')\nmodel.to(device)\n"
        f"if {test}:\n    labels = labels.cuda()\nif args.mix:\n    adj = adj.cuda()\n"
    )
    after = fixed(CODE, text, unsafe=False)
    assert "labels.to(torch_device)" in after
    assert "adj.to(torch_device)" in after


@pytest.mark.parametrize(
    ("made", "kind"), [("Accelerator()", "unsafe"), ("PartialState()", "unsafe"), ("Logger()", "safe")]
)
def test_the_first_card_is_not_the_current_one_of_every_process(made: str, kind: str) -> None:
    text = (
        f"import torch\nfrom tools import *\n\ndevice = torch.device('cuda:0')\nstate = {made}\nnet = load().cuda()\n"
    )
    assert [found for _, found in places(CODE, text)] == [kind]


@pytest.mark.parametrize(
    ("line", "used"),
    [
        ("x = x.to(args.device) if args else x.cuda()", False),
        ("x = x.cuda() if args is None else x.to(args.device)", False),
        ("if not args:\n        x = x.cuda()\n    else:\n        x = x.to(args.device)", False),
        ("x = x.to(args.device) if other else x.cuda()", True),
        ("x = x.to(args.device) if args.big else x.cuda()", True),
    ],
)
def test_no_device_of_what_a_test_says_is_missing(line: str, used: bool) -> None:
    text = f"import torch\n\n\ndef run(x, args, other):\n    {line}\n    return x\n"
    given = fixed(CODE, text)
    assert ".cuda()" not in given
    assert ("\n    x = x.to(args.device)\n" in given) is used


def test_no_device_of_what_a_test_says_is_missing_by_another_name() -> None:
    text = (
        "import torch\n\n\nclass Tracker:\n    def __init__(self, opt=None):\n        self.opt = opt\n\n"
        "    def load(self, net):\n        if self.opt:\n            net.to(self.opt.device)\n\n"
        "    def run(self, x):\n        args = self.opt\n        return x.to(args.device) if args else x.cuda()\n"
    )
    given = fixed(CODE, text)
    assert ".cuda()" not in given
    assert given.count("opt.device") == 1
    assert given.count("args.device") == 1


@pytest.mark.parametrize(
    ("base", "used"),
    [
        ("class PreTrainedModel(torch.nn.Module):\n    pass", False),
        ("from transformers import PreTrainedModel", True),
        ("from own import PreTrainedModel", False),
    ],
)
def test_a_class_of_the_project_gives_no_device_by_its_name_alone(tmp_path: Path, base: str, used: bool) -> None:
    own = "import torch\n\n\nclass PreTrainedModel(torch.nn.Module):\n    pass\n"
    net = (
        f"import torch\n\n{base}\n\n\nclass Net(PreTrainedModel):\n    def forward(self, x):\n"
        "        return torch.zeros(2).long().cuda()\n"
    )
    result = fix_files(write_files(tmp_path / "p", {"setup.py": "", "own.py": own, "net.py": net}))["net.py"]
    assert (".to(self.device)" in result) is used
    assert ".cuda()" not in result


@pytest.mark.parametrize(
    ("line", "method", "used"),
    [
        ("self.net = net.cuda()", "evaluate", False),
        ("self.net = net.cuda()", "training_step", True),
        ("self.net = net", "evaluate", True),
    ],
)
def test_a_lightning_module_that_moves_things_itself_is_elsewhere_before_its_trainer_moves_it(
    line: str, method: str, used: bool
) -> None:
    text = (
        "import lightning as L\nimport torch\n\n\nclass Net(L.LightningModule):\n    def __init__(self, net):\n"
        f"        super().__init__()\n        {line}\n\n    def {method}(self, batch):\n"
        "        return self.net(torch.zeros(2).long().cuda())\n"
    )
    result = fixed(CODE, text)
    assert (".to(self.device)" in result) is used
    assert ".cuda()" not in result


def test_a_decorator_that_is_called_step_makes_no_script(tmp_path: Path) -> None:
    text = (
        "import smp\nimport torch\n\nif smp.there():\n\n    @smp.step()\n    def run(x):\n        return x.cuda()\n\n\n"
        "def again(x):\n    return x.cuda()\n"
    )
    assert "\ndevice = " not in fixed(CODE, text)
    assert "\ndevice = " in fixed(CODE, text.replace("@smp.step()\n    ", "smp.step()\n\n    "))


HAS = "import torch\nimport contextlib\n\n\ndef has(x):\n    x.cuda()\n    return True\n\n\n"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("try:\n    gpu = has(1)\nexcept Exception:\n    gpu = False\nprint(gpu)", "unsafe"),
        ("def main():\n    try:\n        return has(1)\n    except RuntimeError:\n        return 3\nmain()", "unsafe"),
        ("try:\n    gpu = has(1)\nexcept* RuntimeError:\n    gpu = False\nprint(gpu)", "unsafe"),
        ("with contextlib.suppress(Exception):\n    x.cuda()\nhas(1)", "safe"),
        ("try:\n    gpu = has(1)\nexcept Exception:\n    gpu = False\nprint(gpu, has(2))", "safe"),
        ("try:\n    has(1)\nexcept Exception as error:\n    print(error)", "safe"),
        ("try:\n    gpu = has(1)\nexcept KeyError:\n    gpu = False\nprint(gpu)", "safe"),
        ("def main():\n    try:\n        return has(1)\n    except RuntimeError:\n        return 3", "safe"),
    ],
)
def test_a_function_that_is_only_tried(line: str, kind: str) -> None:
    assert places(CODE, HAS + line + "\n")[0][1] == kind


def test_a_move_below_a_test_fails_nowhere() -> None:
    text = (
        "import torch\n\n\ndef load(net):\n    if torch.cuda.is_available():\n        net = net.cuda()\n    return net\n\n\n"
        "try:\n    net = load(torch.nn.Linear(1, 1))\nexcept Exception:\n    net = None\nprint(net)\n"
    )
    assert "    if torch" not in fixed("DEV105", text, unsafe=False)


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ("with contextlib.suppress(Exception):\n    x = x.cuda()", "unsafe"),
        ("with contextlib.suppress(KeyError):\n    x = x.cuda()", "safe"),
        ("try:\n    x = x.cuda()\nexcept* RuntimeError:\n    x = x.float()", "unsafe"),
        ("while x:\n    try:\n        x = x.cuda()\n    except RuntimeError:\n        break", "unsafe"),
        ("while x:\n    try:\n        x = x.cuda()\n    except RuntimeError:\n        continue", "unsafe"),
        (
            "while x:\n    try:\n        x = x.cuda()\n    except RuntimeError as error:\n        print(error)\n        break",
            "safe",
        ),
        ("try:\n    x = x.cuda()\nexcept RuntimeError as error:\n    print(error)\nprint(x)", "unsafe"),
        (
            "try:\n    print('moved')\n    x = x.cuda()\nexcept RuntimeError as error:\n    print(error)\nprint(x)",
            "unsafe",
        ),
        ("try:\n    x = f(x.cuda())\nexcept RuntimeError as error:\n    print(error)\nprint(x)", "safe"),
    ],
)
def test_what_is_tried_in_other_words(lines: str, kind: str) -> None:
    assert places(CODE, f"import contextlib\nimport torch\n\nx = load()\n{lines}\n")[-1][1] == kind


def test_what_is_tried_under_a_flag_that_need_not_ask() -> None:
    text = (
        "import torch\n\nuse_cuda = True\n\n\ndef put(x):\n    global use_cuda\n    if use_cuda:\n        try:\n"
        "            return x.cuda()\n        except RuntimeError:\n            print('no card')\n"
        "            use_cuda = False\n    return x\n"
    )
    fix = found("DEV105", text)[0].fix
    assert fix is not None
    assert "without CUDA the program goes on with `except RuntimeError:`" in fix.message


def test_a_failure_that_a_test_wants_of_a_lambda() -> None:
    text = "import torch, unittest\n\n\nclass T(unittest.TestCase):\n    def test(self):\n        self.{}(RuntimeError, lambda: x.cuda())\n"
    assert places(CODE, text.format("assertRaises")) == []
    assert len(places(CODE, text.format("assertEqual"))) == 1


def test_a_data_module_of_lightning_has_no_device() -> None:
    text = (
        "import torch\nimport lightning as L\n\n\nclass Data(L.{}):\n    def setup(self, stage):\n        self.x = torch.ones(1)\n\n"
        "    def predict_step(self, batch, n):\n        return self.x.cuda() + batch\n"
    )
    assert "self.device" not in fixed(CODE, text.format("LightningDataModule"))
    assert "self.device" in fixed(CODE, text.format("LightningModule"))


@pytest.mark.parametrize("name", ["dev_file", "dev", "first_device"])
def test_an_option_that_is_only_called_like_a_device_is_none(name: str) -> None:
    program = (
        "import argparse\n\nimport torch\n\nparser = argparse.ArgumentParser()\n"
        f"parser.add_argument('--cuda', action='store_true')\nparser.add_argument('--{name}', type=str)\n\n\n"
        f"def train(args, saved):\n    saved.cuda = args.cuda\n    saved.{name} = args.{name}\n    args = saved\n"
        "    model = torch.nn.Linear(2, 2)\n    if args.cuda:\n        model = model.cuda()\n    return model\n\n\n"
        "train(parser.parse_args(), argparse.Namespace())\n"
    )
    assert "    model = model.to(device)\n" in fixed("DEV105", program)


@pytest.mark.parametrize(
    ("beside", "goes"),
    [("y = y.cuda(card)", False), ("if n:\n        y = y.cuda(card)", True), ("y = y.cuda()", True)],
)
def test_a_move_beside_one_to_a_card_that_stays_gains_nothing(beside: str, goes: bool) -> None:
    text = f"import torch\n\n\ndef f(x, y, n, card):\n    x = x.cuda()\n    {beside}\n    return x + y\n"
    after = fixed(CODE, text, unsafe=False)
    assert ("x = x.cuda()" not in after) is goes


def test_a_test_that_is_not_called_goes_with_its_moves() -> None:
    begin = f"{HEAD}\nx = torch.ones(2)\n"
    text = f"{begin}if torch.cuda.is_available:\n    x = x.cuda()  # why\n    net.cuda()\n"
    assert fixed(CODE, text, unsafe=False) == f"{begin}x = x.to(device)  # why\nnet.to(device)\n"
    more = f"{text}    print(x)\n"
    assert "if torch.cuda.is_available:\n    x = x.to(device)" in fixed(CODE, more, unsafe=False)


def test_a_test_that_is_not_called_goes_where_its_function_gets_a_device() -> None:
    text = "import torch\n\n\ndef f(x, y):\n    if torch.cuda.is_available:\n        x = x.cuda()\n        y = y.cuda()\n    return x + y\n"
    after = fixed(CODE, text, unsafe=False)
    assert "is_available:" not in after
    assert "    x = x.to(device)\n    y = y.to(device)\n" in after


@pytest.mark.parametrize(
    ("kept", "is_left"),
    [
        ("kind = torch.cuda.FloatTensor", True),
        ("x = x.type(kinds(torch.cuda.FloatTensor))", False),
        ("if torch.cuda.is_available():\n        kind = torch.cuda.FloatTensor", False),
    ],
)
def test_moves_beside_a_type_that_stays_gain_nothing(kept: str, is_left: bool) -> None:
    code = f"import torch\n\ndef f(net, x):\n    {kept}\n    net.cuda()\n    return read(net, x, kind)\n"
    assert ("net.cuda()" in fixed(CODE, code, unsafe=False)) is is_left


@pytest.mark.parametrize(
    ("choice", "after"),
    [
        ("x.cuda() if isinstance(x, Packed) else x.to(device)", "x.to(device)"),
        ("x.to(device) if is_plain else x.cuda()", "x.to(device)"),
        ("x.cuda() if not self.is_packed else x.to(device)", "x.to(device)"),
        # The test may do something, or the arms still differ.
        ("x.cuda() if pick(x) else x.to(device)", "x.to(device) if pick(x) else x.to(device)"),
        ("x.cuda() if is_packed else x[0].to(device)", "x.to(device) if is_packed else x[0].to(device)"),
        ("x.cuda() if is_packed else x.to(device, y)", "x.to(device) if is_packed else x.to(device, y)"),
    ],
)
def test_arms_that_are_the_same_become_one(choice: str, after: str) -> None:
    asked = "if torch.cuda.is_available() else"
    program = f'import torch\ndevice = torch.device("cuda" {asked} "cpu")\ndef put(self, x, y, is_packed, is_plain):\n    x = '
    check(CODE, f"{program}{choice}\n    return x\n", f"{program}{after}\n    return x\n", "safe")


@pytest.mark.parametrize(
    ("moved", "beside", "kind"),
    [
        ("nn.ReLU()", "", "unsafe"),
        ("nn.CrossEntropyLoss()", "", "unsafe"),
        ("nn.CrossEntropyLoss(weight=w)", "", "safe"),
        ("nn.Linear(1, 1)", "", "safe"),
        ("make()", "", "safe"),
        ("nn.ReLU()", "x = torch.ones(1).cuda()\n", "safe"),
    ],
)
def test_a_layer_without_tensors_alone_needs_no_device(moved: str, beside: str, kind: str) -> None:
    program = f"import torch\nfrom torch import nn\n{beside}layer = {moved}.cuda()\nprint(layer)\n"
    assert {how for _, how in places(CODE, program)} == {kind}


@pytest.mark.parametrize(
    ("test", "card", "kind"),
    [
        ("args.many", "args.gpu", "unsafe"),
        ("gpu is None", "gpu", "unsafe"),
        ("not args.split", "args.gpu", "safe"),  # the default
        ("args.many", "0", "safe"),  # becomes the device, too
    ],
)
def test_half_of_two_branches_gains_nothing_where_the_other_stays_on_a_card(test: str, card: str, kind: str) -> None:
    text = (
        "import argparse\nimport settings\nimport torch\n\nparser = argparse.ArgumentParser()\n"
        'parser.add_argument("--split", action="store_true")\nargs = settings.fill(parser.parse_args())\n\n\n'
        f"def place(net, gpu):\n    if {test}:\n        net = torch.nn.DataParallel(net).cuda()\n"
        f"    else:\n        net = net.cuda({card})\n    return net\n"
    )
    assert [how for _, how in places("DEV101", text)] == [kind]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("nn.Parameter(torch.randn(n)).cuda()", "unsafe"),
        ("nn.Parameter(torch.randn(n), requires_grad=False).cuda()", "safe"),
        ("nn.Parameter(torch.randn(n).cuda())", "safe"),
    ],
)
def test_a_parameter_that_is_none_once_it_is_moved(value: str, kind: str) -> None:
    head = "import torch\nfrom torch import nn\nclass Memory(nn.Module):\n    def __init__(self, n):\n"
    text = f"{head}        super().__init__()\n        self.key = {value}\nnet = Memory(3)\n"
    assert [one for _, one in places(CODE, text)] == [kind]
