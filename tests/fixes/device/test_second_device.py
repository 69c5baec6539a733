"""A function that has a device for other things gets no second one beside it: a person must say whether both are one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

BUILD = """\
import torch


def build(cfg):
    device = torch.device(cfg.device)
    {}
    return torch.nn.Linear(3, 2).cuda()
"""
STEP = """\
import torch


class Trainer:
    def __init__(self, device):
        self.device = device

    def step(self, x, y):
        {}
        if torch.cuda.is_available():
            y = y.cuda()
        return x, y
"""


def fixed(folder: Path, text: str, unsafe: bool = False) -> str:
    return fix_files(write_files(folder / "p", {"build.py": text}), unsafe=unsafe).get("build.py", text)


@pytest.mark.parametrize(
    ("other", "is_left"),
    [
        ("other = torch.nn.Linear(2, 2).to(device)", True),
        ("other = torch.nn.Linear(2, 2, device=device)", True),
        ("other = torch.load(cfg.path, map_location=device)", False),  # may be read to the CPU
        ("other = print(device)", False),
        ("cpu_device = torch.device(cfg.where); other = torch.nn.ReLU().to(cpu_device)", False),
        ("data_device = torch.device(cfg.where); other = torch.nn.ReLU().to(data_device)", False),
        ("a, b = torch.nn.ReLU().to(device), torch.nn.ReLU().to(cfg.device); other = a", False),  # two already
    ],
)
def test_options_device(tmp_path: Path, other: str, is_left: bool) -> None:
    text = BUILD.format(other)
    assert ("Linear(3, 2).cuda()" in fixed(tmp_path, text)) is is_left
    if is_left:
        assert "Linear(3, 2).to(device)" in fixed(tmp_path, text, unsafe=True)
        assert "torch_device" not in fixed(tmp_path, text, unsafe=True)


@pytest.mark.parametrize("placed", ["x = x.to(self.device)", "x = x.to(y.device)"])
def test_an_instances_device_that_may_be_any_leaves_nothing(tmp_path: Path, placed: str) -> None:
    text = STEP.format(placed) + "\n\nTrainer(torch.device('cpu'))\n"
    assert "y.cuda()" not in fixed(tmp_path, text)


ALWAYS = """\
import torch

device = torch.device("cuda")
net = torch.nn.Linear(1, 1).cuda()
x = net(torch.ones(1, device=device))
x = x.to(device)
"""


def test_a_device_that_is_always_cuda_is_that_of_all(tmp_path: Path) -> None:
    assert "torch.nn.Linear(1, 1).to(device)" in fixed(tmp_path, ALWAYS)


GATHER = """\
import torch


def gather(net, loader, on_cpu=False):
    gather_device = torch.device("cpu") if on_cpu or not torch.cuda.is_available() else torch.device("cuda")
    found = []
    for x in loader:
        x = x.cuda({})
        y = net(x).float()
        found.append(y.to(gather_device))
    return torch.cat(found)
"""


@pytest.mark.parametrize("given", ["", "non_blocking=True"])
def test_where_results_are_gathered_is_another_device(tmp_path: Path, given: str) -> None:
    assert "x.to(gather_device" not in fixed(tmp_path, GATHER.format(given))


INSTANCE = """\
import torch


class Net:
    def __init__(self, config, device):
        {}

    def first(self, x):
        return x.to(self.device)

    def second(self, x):
        return x.cuda()

    def set(self, config, device):
        {}
"""


@pytest.mark.parametrize(
    ("made", "later", "is_left"),
    [
        ("self.device = config['device']", "pass", False),
        ("self.device = config.find('device', 'cuda')", "pass", True),
        ("self.device = torch.device('cuda' if torch.cuda.is_available() and config.n else 'cpu')", "pass", True),
        ("pass", "self.device = config.find('device', 'cuda')", False),  # may have none yet
        ("self.device = device", "self.device = 'cpu'", False),
        ("self.device = torch.device(device)", "self.device = torch.device('cpu')", False),
        ("self.device = config.find('device'); self.device == 'gpu'", "pass", False),
    ],
)
def test_a_classs_device(tmp_path: Path, made: str, later: str, is_left: bool) -> None:
    text = INSTANCE.format(made, later)
    assert ("return x.cuda()" in fixed(tmp_path, text)) is is_left
    if is_left:
        assert "x.cuda()" not in fixed(tmp_path, text, unsafe=True)
        assert fixed(tmp_path, text, unsafe=True).count("x.to(self.device)") == 2


BASE = """\
import torch


class Base:
    def __init__(self, cards):
        self.device = torch.device(f"cuda:{cards[0]}") if cards else torch.device("cpu")
"""
HEIR = """\
import torch
from base import Base


class Heir(Base):
    def first(self, x):
        return x.to(self.device)

    def second(self, x):
        return x.cuda()
"""


def test_a_device_of_a_base_in_another_file(tmp_path: Path) -> None:
    files = write_files(tmp_path / "p", {"base.py": BASE, "heir.py": HEIR})
    assert "heir.py" not in fix_files(files)


SCRIPT = """\
import torch


def main():
    use_cuda = torch.cuda.is_available()
    if use_cuda:
        print("CUDA")
    model = torch.nn.Linear(2, 2)
    model.cuda()
    train(model)


def train(model):
    x = torch.rand(3, 2){}
    print(model(x).shape)


if __name__ == "__main__":
    main()
"""


def test_answer_of_one_function_beside_the_scripts_device(tmp_path: Path) -> None:
    together = fixed(tmp_path, SCRIPT.format(".cuda()"))
    assert together.count("torch.device(") == 1
    assert together.index("torch.device(") < together.index("def main")
    alone = fixed(tmp_path, SCRIPT.format(""))
    assert '    device = torch.device("cuda" if use_cuda else "cpu")\n' in alone


SWITCHED = """\
import torch

if __name__ == "__main__":
    cuda = False
    if torch.cuda.is_available():
        cuda = True
    device = torch.device("cuda" if cuda{} else "cpu")
    net = torch.nn.Linear(2, 2)
    net.cuda()
    net = torch.nn.DataParallel(net)
"""


@pytest.mark.parametrize(("asked", "is_same"), [("", True), (" and torch.rand(1) > 0", False)])
def test_flag_that_torch_switches_on_beside_nothing(tmp_path: Path, asked: str, is_same: bool) -> None:
    assert ("    net.to(device)\n" in fixed(tmp_path, SWITCHED.format(asked))) is is_same


GIVEN = """\
import torch
from models import Net


def build(x):
    device = torch.device("cuda")
    net = Net(x, where={})
    net.to("cuda")
    return net
"""


@pytest.mark.parametrize(
    ("where", "given"),
    [
        ('torch.device("cuda")', "device"),
        ('torch.device("cuda:0")', 'torch.device("cuda:0" if torch.cuda.is_available() else "cpu")'),
    ],
)
def test_device_of_the_same_words_is_handed_on(tmp_path: Path, where: str, given: str) -> None:
    assert f"where={given})" in fixed(tmp_path, GIVEN.format(where))


MEETING = """\
import torch


def loss(a, b, c, d):
    w = torch.eye(4).cuda()
    x = torch.eye(4).cuda()
    y = torch.eye(4).cuda()
    z = torch.eye(4).cuda()
    return torch.mm(w, a), torch.mm(x, b), torch.mm(y, c), torch.mm(z, {})
"""


@pytest.mark.parametrize(("last", "expected"), [("c", "x = torch.eye(4).to(b.device)"), ("d", "to(device)")])
def test_many_tensors_are_no_device(tmp_path: Path, last: str, expected: str) -> None:
    assert expected in fixed(tmp_path, MEETING.format(last))


ASKED = """\
import torch


def infer(device, x):
    net = torch.nn.Linear(2, 2)
    if {}:
        net.cuda()
    return net(x)
"""


@pytest.mark.parametrize(("test", "is_left"), [('device != "cpu"', True), ('device != "mps"', False)])
def test_device_that_a_test_asks(tmp_path: Path, test: str, is_left: bool) -> None:
    assert ("net.cuda()" in fixed(tmp_path, ASKED.format(test))) is is_left


ANSWER = """\
import torch


class Worker:
    def answer(self, model, prompt, image):
        {}
        prompt = prompt.cuda()
        {}
        return model.generate(prompt, image)
"""


@pytest.mark.parametrize(
    ("above", "below", "is_left"),
    [
        ("image = image.to(model.device)", "pass", True),
        ("pass", "image = image.to(model.device, torch.float16)", True),
        ("image = torch.zeros(2, device=self.model.device)", "pass", True),
        ("image = image.to(prompt.device)", "pass", False),  # of a tensor
        ("model.cuda()", "image = image.to(model.device)", False),  # the device is needed for the model itself
        ("image = image.to(model.device)", "model = self.other", False),  # another model
        ("print(model.device)", "pass", False),
        ("pass", "prompt = prompt.to(torch.float16)", False),
    ],
)
def test_a_models_device_at_hand(tmp_path: Path, above: str, below: str, is_left: bool) -> None:
    text = ANSWER.format(above, below)
    assert ("prompt.cuda()" in fixed(tmp_path, text)) is is_left
    if is_left:
        assert "model.device)" in fixed(tmp_path, text, unsafe=True)
        assert "prompt.cuda()" not in fixed(tmp_path, text, unsafe=True)
