"""A device of its own for a class, where other files of the project inherit from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files
from tests.support.rule_cases import fixed

MIXIN = """import torch


class Encoder:
    def __init__(self, *args):
        super().__init__(*args)
        {}

    def load(self, net):
        self.net = net.cuda()

    def encode(self, x):
        return self.net(x{})
"""
PLAIN = ("self.net = None", ".cuda()")
FLAG = ("self.use_cuda = torch.cuda.is_available()", ".cuda() if self.use_cuda else x")
BASE = "class Trainer:\n    def __init__(self, net):\n        self.net = net\n\n"
PROPERTY = "    @property\n    def device(self):\n        return next(self.net.parameters()).device\n"
HEIR = "from mixin import Encoder\n{}\n\n\nclass Own(Encoder, {}):\n    pass\n"
TAKEN = [
    (BASE + PROPERTY, "from base import Trainer", "Trainer"),
    (BASE + "        self.device = net.device\n", "from base import Trainer", "Trainer"),
    (BASE + "    device = None\n", "from base import Trainer", "Trainer"),
    (BASE + "    device: str\n", "from base import Trainer", "Trainer"),
    ("", "import lightning", "lightning.LightningModule"),
    ("", "from engine import Base", "Base"),
]
FREE = [
    (BASE, "from base import Trainer", "Trainer"),
    ("", "import torch", "torch.nn.Module"),
    ("", "from abc import ABC", "ABC"),
]


def _fixed(tmp_path: Path, body: tuple[str, str], base: str, line: str, name: str) -> str:
    files = {"mixin.py": MIXIN.format(*body), "base.py": base, "own.py": HEIR.format(line, name)}
    return fix_files(write_files(tmp_path / "p", files))["mixin.py"]


@pytest.mark.parametrize("body", [PLAIN, FLAG])
@pytest.mark.parametrize(("base", "line", "name"), TAKEN)
def test_no_device_of_its_own_where_an_heir_has_one(
    tmp_path: Path, body: tuple[str, str], base: str, line: str, name: str
) -> None:
    assert "self.device = " not in _fixed(tmp_path, body, base, line, name)


@pytest.mark.parametrize("body", [PLAIN, FLAG])
@pytest.mark.parametrize(("base", "line", "name"), FREE)
def test_a_device_of_its_own_where_no_heir_has_one(
    tmp_path: Path, body: tuple[str, str], base: str, line: str, name: str
) -> None:
    text = _fixed(tmp_path, body, base, line, name)
    assert "self.device = " in text
    assert ".cuda()" not in text


@pytest.mark.parametrize("body", [PLAIN, FLAG])
@pytest.mark.parametrize(
    ("line", "is_free"), [("one.device = 'mine'", False), ("args.device = 'mine'", True), ("one.place = 'mine'", True)]
)
def test_no_device_of_its_own_where_others_give_an_object_one(
    tmp_path: Path, body: tuple[str, str], line: str, is_free: bool
) -> None:
    use = f"def use(one, args):\n    {line}\n    return one\n"
    files = write_files(tmp_path / "p", {"mixin.py": MIXIN.format(*body), "use.py": use})
    assert ("self.device = " in fix_files(files)["mixin.py"]) is is_free
    files = write_files(tmp_path / "q", {"mixin.py": f"{MIXIN.format(*body)}\n\n{use}"})
    assert ("self.device = " in fix_files(files)["mixin.py"]) is is_free


MEASURED = "import torch\n\n\ndef measure(net, x):\n    y = net(x.cuda())\n    return y\n\n\n"
COMPILED = "def compiled(net):\n    return torch.jit.script(net)\n"


@pytest.mark.parametrize(("more", "shared"), [("", True), ("\n\n" + COMPILED, False)])
def test_a_function_beside_one_class_shares_its_device_where_both_can_ask(
    tmp_path: Path, more: str, shared: bool
) -> None:
    text = MEASURED + MIXIN.format(*PLAIN).replace("import torch\n\n\n", "") + more
    files = {"mixin.py": text, "own.py": "from mixin import Encoder\n"}
    after = fix_files(write_files(tmp_path / "p", files))["mixin.py"]
    assert "self.device = " in after
    assert ("def get_device" in after) is shared


def test_a_device_that_no_function_is_known_to_place_by_is_not_counted(tmp_path: Path) -> None:
    text = MEASURED + 'def load(name):\n    from unseen import make\n\n    return make(name, device="cuda")\n'
    after = fix_files(write_files(tmp_path / "p", {"part.py": text}))["part.py"]
    assert "get_device" not in after


OF_BASE = "import torch\nfrom base import Base\n\n\nclass Own(Base):\n    def __init__(self, net, gpu):\n"
OF_BASE += (
    "        super().__init__(net)\n        self.net = net\n        self.gpu = gpu\n\n    def load(self, x):\n{}\n\n"
)
OF_BASE += "    def run(self, x):\n{}\n"
MOVES = ("        self.net.cuda()", "        return self.net(x.cuda())")
GUARDED = (
    "        if self.gpu:\n            self.net.cuda()",
    "        if self.gpu:\n            x = x.cuda()\n        return self.net(x)",
)
BASES = [
    ("class Base:\n    def __init__(self, net):\n        self.size = 3\n", True),
    ("class Root(object):\n    pass\n\n\nclass Base(Root):\n    pass\n", True),
    ("class Base:\n    def __init__(self, net):\n        self.device = net.device\n", False),
    ("class Base:\n    device = None\n", False),
    ("class Base:\n    @property\n    def device(self):\n        return self.net.device\n", False),
    ("class Base:\n    def set(self, name, value):\n        setattr(self, name, value)\n", False),
    ("class Base:\n    def set(self, values):\n        self.__dict__.update(values)\n", False),
    ("class Base:\n    __slots__ = ('net',)\n", False),
    ("class Base:\n    def place(self, x):\n        return x.cuda()\n", False),
    ("from other import Root\n\n\nclass Base(Root):\n    pass\n", False),
    ("Base = make()\n", False),
]


@pytest.mark.parametrize("body", [MOVES, GUARDED])
@pytest.mark.parametrize(("base", "is_plain"), BASES)
def test_a_base_of_another_file_that_knows_no_device(
    tmp_path: Path, body: tuple[str, str], base: str, is_plain: bool
) -> None:
    files = {"base.py": base, "own.py": OF_BASE.format(*body)}
    after = fix_files(write_files(tmp_path / "p", files))["own.py"]
    assert ("self.device = torch.device(" in after) is is_plain
    assert (after.count("to(self.device)") == 2) is is_plain


def test_a_base_that_sets_the_flag_itself(tmp_path: Path) -> None:
    base = "class Base:\n    def __init__(self, net):\n        self.gpu = False\n\n    def switch(self):\n        self.gpu = True\n"
    after = fix_files(write_files(tmp_path / "p", {"base.py": base, "own.py": OF_BASE.format(*GUARDED)}))["own.py"]
    assert "self.device" not in after


@pytest.mark.parametrize(
    ("parameter", "line", "is_shared"),
    [
        ("net", "self.net = net", True),
        ("net=None", "self.net = net", False),
        ("net=None", "self.net = net\n        if self.net is None:\n            self.net = make()", True),
    ],
)
def test_what_is_none_by_default_is_not_asked_before_it_is_used(parameter: str, line: str, is_shared: bool) -> None:
    text = (
        f"import torch\nfrom nets import make\n\n\nclass Detector:\n    def __init__(self, {parameter}):\n        {line}\n\n"
        "    def run(self, x):\n        if self.net.use_cuda:\n            x = x.cuda()\n        return self.net(x)\n\n"
        "    def again(self, x):\n        if self.net.use_cuda:\n            x = x.cuda()\n        return self.net(x)\n"
    )
    assert ("self.device = " in fixed("DEV105", text)) is is_shared


METHODS = """import torch


class Experiment:
    def __init__(self, args):
        self.args = args
        self.model = {}

    def _acquire(self, model):
        if self.args.use_gpu:
            return model.cuda()
        return model

    def run(self, x):
        return self.model(x.cuda())
"""


@pytest.mark.parametrize(("line", "follows"), [("self._acquire(build())", True), ("build().cuda()", False)])
def test_a_flag_that_only_a_method_asks_which_nothing_calls(tmp_path: Path, line: str, follows: bool) -> None:
    files = write_files(tmp_path / "p", {"pyproject.toml": "", "experiment.py": METHODS.format(line)})
    text = fix_files(files, unsafe=False)["experiment.py"]
    assert ('"cuda" if self.args.use_gpu' in text) is follows
    assert ".cuda()" not in text


NET = """import torch


class Net(torch.nn.Module):
    def __init__(self, args):
        super().__init__()
        self.gpu = args.gpu
        self.layer = torch.nn.Linear(1, 1)

    def normed(self, x, norm):
        if self.gpu:
            norm = norm.cuda()
        return norm(x)

    def masked(self, x):
        return x * torch.arange(1).unsqueeze(0).cuda()
"""
MAIN = """import argparse
from net import Net

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", action="store_true"{})
args = parser.parse_args()
net = Net(args)
{}
"""


@pytest.mark.parametrize(
    ("default", "line", "follows"),
    [
        ("", "net.cuda()", False),
        ("", "if args.gpu:\n    net.cuda()", True),
        (", default=True", "net.cuda()", False),
    ],
)
def test_an_option_that_is_off_where_the_program_moves_without_asking(
    tmp_path: Path, default: str, line: str, follows: bool
) -> None:
    files = write_files(tmp_path / "p", {"pyproject.toml": "", "net.py": NET, "main.py": MAIN.format(default, line)})
    text = fix_files(files, unsafe=False)["net.py"]
    assert ("self.device = " in text) is follows
    assert "unsqueeze(0).cuda()" not in text


PICKLED = """\
import torch


class Own:
    def __init__(self, use_cuda):
        self.use_cuda = use_cuda
        self.weight = torch.ones(2)
        if self.use_cuda:
            self.weight = self.weight.cuda()

    def {0}
        {1}
        return state

    def run(self, x):
        if self.use_cuda:
            x = x.cuda()
        return x * self.weight
"""


@pytest.mark.parametrize(
    ("method", "line", "is_kept"),
    [
        ("state(self, state):", 'state["weight"] = self.weight', True),
        ("state(self, state):", 'state["use_cuda"] = False', True),
        ("__getstate__(self):", 'state = dict(vars(self)); state["weight"] = self.weight.cpu()', True),
        ("__getstate__(self):", 'state = dict(vars(self)); state["use_cuda"] = False', False),
        ("__setstate__(self, state):", 'state["use_cuda"] = False; self.__dict__.update(state)', False),
        ("reset(self, state):", 'self.__dict__["use_cuda"] = False', False),
        ("reset(self, state):", 'vars(self)["use_cuda"] = False', False),
        ("reset(self, state):", "self.__dict__[state] = False", False),
    ],
)
def test_a_flag_that_the_state_of_an_instance_changes(tmp_path: Path, method: str, line: str, is_kept: bool) -> None:
    after = fix_files(write_files(tmp_path / "p", {"own.py": PICKLED.format(method, line)}))["own.py"]
    assert ("x.to(self.device)" in after) is is_kept


@pytest.mark.parametrize(
    "line", ["settings.USE_CUDA = False", 'setattr(settings, "USE_CUDA", False)', "settings.size = 3"]
)
def test_a_flag_of_another_file_that_this_one_sets(tmp_path: Path, line: str) -> None:
    text = f"import torch\nimport settings\n\n{line}\nfrom settings import USE_CUDA\n\n"
    text += "x = torch.zeros(2)\nif USE_CUDA:\n    x = x.cuda()\n"
    files = {"settings.py": "import torch\n\nUSE_CUDA = torch.cuda.is_available()\n", "main.py": text}
    after = fix_files(write_files(tmp_path / "p", files)).get("main.py", text)
    assert ("x.to(device)" in after) is ("USE_CUDA" not in line)
    assert ("if USE_CUDA:\n" in after) is ("USE_CUDA" in line)


REPLICATED = """\
import torch

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


def noise(n):
    return torch.zeros(n).cuda()


def load(x):
    return x.cuda()


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.zeros(3).cuda()

    def forward(self, x):
        return x + torch.ones(3).cuda() + noise(3) + self.weight
"""


@pytest.mark.parametrize(
    "wrapped", ["torch.nn.DataParallel(Net())", "torch.nn.parallel.DistributedDataParallel(Net())"]
)
def test_card_0_is_not_that_of_a_replica(tmp_path: Path, wrapped: str) -> None:
    files = {"net.py": REPLICATED, "main.py": f"import torch\nfrom net import Net\n\nnet = {wrapped}\n"}
    after = fix_files(write_files(tmp_path / "p", files))["net.py"]
    left = {line.strip() for line in after.splitlines() if ".cuda()" in line}
    inner = {"return torch.zeros(n).cuda()", "return x + torch.ones(3).cuda() + noise(3) + self.weight"}
    assert left == (inner if wrapped.startswith("torch.nn.DataParallel") else set())


@pytest.mark.parametrize(
    ("config", "is_in_init"),
    [
        ("class Config:\n    pass\n", False),
        ("class Config:\n    use_cuda = True\n", True),
        ("parser.add_argument('--use_cuda', action='store_true')\n", True),
        ("if train:\n    parser.add_argument('--use_cuda', action='store_true')\n", False),
    ],
)
def test_an_option_is_only_asked_earlier_where_it_is_there(tmp_path: Path, config: str, is_in_init: bool) -> None:
    text = (
        "import torch\n\n\nclass Trainer:\n    def __init__(self, config):\n        self.config = config\n\n"
        "    def train(self, x):\n        if self.config.use_cuda:\n            x = x.cuda()\n        return x\n\n"
        "    def test(self, x):\n        if self.config.use_cuda:\n            x = x.cuda()\n        return x + 1\n"
    )
    write_files(tmp_path, {"README.md": "", "trainer.py": text, "config.py": config})
    assert ("        self.device = " in fix_files(tmp_path)["trainer.py"]) is is_in_init
