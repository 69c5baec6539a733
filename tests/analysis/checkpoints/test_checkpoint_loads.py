"""Whether ``load_state_dict`` of an object copies values into its own tensors, wherever they are."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

from devlint.analysis.checkpoints.checkpoint_loads import copies_state
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext
from tests.support.projects import fix_files, write_files
from tests.support.questions import asked

CASES = [
    ("net = nn.Linear(1, 2)\nask(net)", True),
    ("net = nn.Linear(1, 2).to(d)\nask(net)", True),
    ("net = nn.Linear(1, 2)\nnet = net.cuda()\nask(net)", True),
    ("net = nn.Linear(1, 2)\nnet.eval()\nask(net)", True),
    ("net = nn.Linear(1, 2)\nnet = net.eval()\nask(net)", True),
    ("net = nn.Linear(1, 2)\nnet = net.train()\nask(net)", True),
    ("net = nn.Linear(1, 2)\nnet = net.other()\nask(net)", False),
    ("net = get()\nask(net)", False),
    ("net = other\nask(net)", False),
    ("net = nn.Linear(1, 2)\nnet = net\nask(net)", True),
    ("net = torch.optim.SGD(p)\nask(net)", True),
    ("class A(nn.Module):\n    pass\nnet = A()\nask(net)", True),
    ("class A(nn.Module):\n    def load_state_dict(self, s):\n        pass\nnet = A()\nask(net)", False),
    ("class A:\n    pass\nnet = A()\nask(net)", False),
    ("class A(nn.Module):\n    def f(self):\n        ask(self)", True),
    ("class A(B):\n    def f(self):\n        ask(self)", False),
    ("import torchvision\nnet = torchvision.models.resnet18()\nask(net)", True),
    ("ask(nn.Linear(1, 2))", True),
    ("def f(net):\n    ask(net)", False),
    ("net = A\nask(net)", False),
    ("class A(nn.Module):\n    pass\nA = 3\nnet = A()\nask(net)", False),
]


ELSEWHERE = [
    ("class Net(nn.Module):\n    pass", True),
    ("class Net(nn.Linear):\n    pass", True),
    ("class Net(nn.Module):\n    def load_state_dict(self, s):\n        pass", False),
    ("class Base(nn.Module):\n    def load_state_dict(self, s):\n        pass\nclass Net(Base):\n    pass", False),
    ("class Net:\n    pass", False),
    ("class Net(pl.LightningModule):\n    pass", False),
    ("class Net(nn.Module, Mixin):\n    pass", False),
    ("def Net():\n    pass", False),
    ("Net = nn.Linear", False),
]
"""Classes of another file."""


@pytest.mark.parametrize(("text", "expected"), ELSEWHERE)
def test_classes_of_another_file(tmp_path: Path, text: str, expected: bool) -> None:
    folder = write_files(tmp_path / "p", {"nets.py": f"import torch\nfrom torch import nn\n{text}\n"})
    ctx = FileContext(Source.from_text(str(folder / "train.py"), "import nets\nnet = nets.Net()\nask(net)\n"))
    call = next(one for one in ctx.tree.of_type(cst.Call) if isinstance(one.func, cst.Name) and one.func.value == "ask")
    assert copies_state(ctx, call.args[0].value) is expected


GIVEN = [
    ("def f(net):\n    ask(net)\nf(nn.Linear(1, 2))", True),
    ("def f(net):\n    ask(net)\nf(nn.Linear(1, 2))\nf(net=nn.Linear(1, 2).to(d))", True),
    ("def f(net):\n    ask(net)\ndef g(net):\n    f(net)\ng(nn.Linear(1, 2))", True),
    ("def f(net):\n    ask(net)\n    f(net)", False),
    ("def f(net):\n    ask(net)\nf(nn.Linear(1, 2))\nf(other)", False),
    ("def f(net):\n    ask(net)\nf(nn.Linear(1, 2))\nmap(f, nets)", False),
    ("def f(net):\n    ask(net)\n    y = net(x)", True),
    ("def f(net):\n    ask(net)\n    net.to(d)", True),
    ("def f(net):\n    ask(net)\n    y = net.to(d)", False),
    ("def f(net):\n    ask(net)\n    net = nn.DataParallel(net)", True),
    ("def f(net):\n    ask(net)\n    x = {k for k in s if k in net.state_dict()}", True),
    ("opt = torch.optim.SGD(p) if x else None\nask(opt)", False),
    ("if x:\n    opt = torch.optim.SGD(p)\nelse:\n    opt = net.opt\nask(opt)", True),
    ("if x:\n    opt = torch.optim.SGD(p)\nelse:\n    opt = make()\nask(opt)", False),
    ("class A:\n    def load_state_dict(self, s):\n        pass\ndef f(net):\n    ask(net)\nf(nn.Linear(1, 2))", False),
]


@pytest.mark.parametrize(("text", "expected"), [*CASES, *GIVEN])
def test_copies_state(text: str, expected: bool) -> None:
    assert copies_state(*asked(f"import torch\nfrom torch import nn\n{text}")) is expected


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("Net()", True),
        ("Net().to(d)", True),
        ("make().cuda()", True),
        ("nn.Linear(1, 2)", True),
        ("torch.optim.SGD(p)", True),
        ("make()", False),
        ("Other()", False),
        ("Net", False),
    ],
)
def test_what_other_files_give(tmp_path: Path, made: str, expected: bool) -> None:
    text = "def load(net):\n    ask(net)\n"
    write_files(
        tmp_path,
        {
            "pyproject.toml": "",
            "load.py": text,
            "nets.py": "from torch import nn\nclass Net(nn.Module):\n    pass\nclass Other:\n    pass\n",
            "main.py": "import torch\nfrom torch import nn\nfrom nets import Net, Other, make\nfrom load import load\n"
            f"def main():\n    net = {made}\n    load(net)\n    load({made})\n",
        },
    )
    ctx = FileContext(Source.from_text(str(tmp_path / "load.py"), text))
    call = ctx.tree.of_type(cst.Call)[0]
    assert copies_state(ctx, call.args[0].value) is expected


HEAD = "import torch\nfrom torch import nn\n"
OWN_WAYS = [
    ("def load_state_dict(self, s):\n        super().load_state_dict(s)\n        self.x = [p for p in self.y]", True),
    ("def load_state_dict(self, s):\n        nn.Module.load_state_dict(self, {k: s[k] for k in list(self.z())})", True),
    ("def load_state_dict(self, s):\n        super().load_state_dict(s)\n        self.x = s", False),
    ("def load_state_dict(self, s):\n        self.net.load_state_dict(s)", True),
    (
        "def load_state_dict(self, s):\n        for k, v in s.items():\n            self.n[k].load_state_dict(v)",
        True,
    ),
    ("def load_state_dict(self, s):\n        for k, v in s.items():\n            self.n[k] = v", False),
    ("def load_state_dict(self, s):\n        self.net.load_state_dict(s, assign=True)", False),
    ("def load_state_dict(self):\n        pass", False),
    ("def _load_from_state_dict(self, s, *args):\n        super()._load_from_state_dict(s, *args)", True),
    ("def _load_from_state_dict(self, s, *args):\n        self.x = s['x']", False),
]


@pytest.mark.parametrize(("method", "expected"), OWN_WAYS)
def test_a_class_may_give_its_state_to_torchs_own_way(tmp_path: Path, method: str, expected: bool) -> None:
    text = f"class A(nn.Module):\n    {method}\nnet = make()\nnet.eval()\nask(net)"
    assert copies_state(*asked(f"{HEAD}{text}")) is expected
    main = f"{HEAD}net = make()\nnet.eval()\nask(net)\n"
    write_files(
        tmp_path, {"pyproject.toml": "", "nets.py": f"{HEAD}class A(nn.Module):\n    {method}\n", "main.py": main}
    )
    ctx = FileContext(Source.from_text(str(tmp_path / "main.py"), main))
    call = next(one for one in ctx.tree.of_type(cst.Call) if isinstance(one.func, cst.Name) and one.func.value == "ask")
    assert copies_state(ctx, call.args[0].value) is expected


KEEPS = "    def load_state_dict(self, s):\n        self.x = s['x']\n"
OF_OTHERS = [
    ("class Clip:\n", "net = make()\nnet.eval()\nask(net)", True),
    ("class Clip:\n", "net = make()\nnet(x)\nask(net)", True),
    ("class Clip:\n    def __call__(self, x):\n        pass\n", "net = make()\nnet(x)\nask(net)", False),
    ("class Clip:\n    def __call__(self, x):\n        pass\n", "net = make()\nnet(x)\nnet.eval()\nask(net)", True),
    ("class Clip(torch.utils.data.Sampler):\n", "net = make()\nnet.eval()\nask(net)", True),
    ("class Clip(nn.Module):\n", "net = make()\nnet.eval()\nask(net)", False),
    ("class Clip(Other):\n", "net = make()\nnet.eval()\nask(net)", False),
    ("class Clip(nn.Module):\n", "class Net(Base):\n    pass\nnet = Net()\nnet.eval()\nask(net)", True),
    ("class Clip(nn.Module):\n", "net = nn.DataParallel(make())\nnet.eval()\nask(net)", True),
    ("class Clip(nn.Module):\n", "from lib import Net\nnet = Net().cuda()\nnet.eval()\nask(net)", True),
    ("class Clip(nn.Module):\n", "from lib import get\nnet = get().cuda()\nnet.eval()\nask(net)", False),
    ("class Clip(nn.Module):\n", "from own import Clip\nnet = Clip()\nnet.eval()\nask(net)", False),
    ("class Clip(nn.Module):\n", "from own import Near\nnet = Near()\nnet.eval()\nask(net)", False),
    ("class Clip(nn.Module):\n", "from own import Far\nnet = Far(x)\nnet.eval()\nask(net)", True),
    ("class Clip(nn.Module):\n", "from own import far\nnet = far(x)\nnet.to(d).eval()\nask(net)", True),
    ("class Clip(nn.Module):\n", "from own import near\nnet = near(x)\nnet.to(d).eval()\nask(net)", False),
    ("class Clip(nn.Module):\n", "from own import other\nnet = other(x)\nnet.to(d).eval()\nask(net)", False),
    ("class Clip(nn.Module):\n", "from own import *\nnet = far(x)\nnet.to(d).eval()\nask(net)", True),
    ("class Clip:\n", "def make():\n    net = f()\n    ask(net)\n    return net\nmake().cuda()", False),
]
REST = """
class Near(Clip):
    pass


class Far(nn.Module):
    pass


def far(x):
    net = Far(x)
    return net


def near(x):
    if x:
        return Near()
    return Far(x)


def other(x):
    return x.net
"""


@pytest.mark.parametrize(("start", "text", "expected"), OF_OTHERS)
def test_what_takes_a_state_is_of_no_class_that_cannot_be_it(
    tmp_path: Path, start: str, text: str, expected: bool
) -> None:
    files = {"pyproject.toml": "", "own.py": f"{HEAD}{start}{KEEPS}{REST}", "main.py": f"{HEAD}{text}\n"}
    ctx = FileContext(Source.from_text(str(write_files(tmp_path, files) / "main.py"), files["main.py"]))
    call = next(one for one in ctx.tree.of_type(cst.Call) if isinstance(one.func, cst.Name) and one.func.value == "ask")
    assert copies_state(ctx, call.args[0].value) is expected


def test_what_a_function_gives_is_a_module_where_its_calls_use_it_as_one() -> None:
    text = "from lib import Net\ndef make():\n    net = Net()\n    ask(net)\n    return net\n"
    assert copies_state(*asked(f"{HEAD}{text}make().cuda()\n"))
    assert copies_state(*asked(f"{HEAD}{text}net = make().eval()\n"))
    assert not copies_state(*asked(f"{HEAD}{text}make().run()\n"))


WRAPPER = """import torch


class Wrapper:
    def __init__(self, optimizer):
        self.optimizer, self.best = optimizer, None

    def load_state_dict(self, state):
        self.best = state["best"]
{more}

def build(parameters, name):
    return torch.optim.SGD(parameters, 0.1) if name else torch.optim.Adam(parameters, 0.1)
"""
RESUMED = """import sys
import torch
import optimizers

model = torch.nn.Linear(4, 2).cuda()
optimizer = optimizers.build(model.parameters(), sys.argv[1])
if sys.argv[2]:
    optimizer = optimizers.Wrapper(optimizer)
optimizer.load_state_dict(torch.load("optimizer.pth"))
optimizer.zero_grad()
"""


@pytest.mark.parametrize(
    ("more", "form"),
    [
        ("\n    def __getattr__(self, name):\n        return getattr(self.optimizer, name)\n", "None if device"),
        ("\n    def zero_grad(self):\n        pass\n", "None if device"),
        ("", '"cpu"'),
    ],
)
def test_a_wrapper_that_hands_on_what_it_lacks_may_take_a_state(tmp_path: Path, more: str, form: str) -> None:
    files = {"optimizers.py": WRAPPER.format(more=more), "main.py": RESUMED}
    fixed = fix_files(write_files(tmp_path / "p", files), unsafe=False)["main.py"]
    assert f"map_location={form}" in fixed
