"""Whether ``load_state_dict`` of an object copies values into its own tensors, wherever they are."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

from devlint.analysis.transfers.checkpoint_loads import copies_state
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext
from tests.support.projects import write_files
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
    ("def load_state_dict(self, s):\n        self.net.load_state_dict(s)", False),
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
