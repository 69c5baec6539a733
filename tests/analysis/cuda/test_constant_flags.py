"""Flags and devices that constants of the program decide, in whatever words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

ASKS = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'
TRAIN = "\ndef train(net, x):\n    if {}:\n        x = x.cuda()\n    net.cuda()\n    return net, x\n"
PLACED = "\ndef train(net, x):\n    x = x.to(device)\n    net.cuda()\n    return net, x\n"
CHOSEN = "device = torch.device('cuda' if {} else 'cpu')\n"


def _fixed(tmp_path: Path, text: str, settings: str = "") -> str:
    files = {"main.py": f"import torch\n{text}", "settings.py": settings}
    return fix_files(write_files(tmp_path / "p", files))["main.py"]


@pytest.mark.parametrize(
    ("defined", "flag", "is_off"),
    [
        ("use_cuda = 0", "use_cuda", True),
        ("gpu = None", "gpu is not None", True),
        ("use_cuda = False and torch.cuda.is_available()", "use_cuda", True),
        ("on_cpu = True\nuse_cuda = not on_cpu and torch.cuda.is_available()", "use_cuda", True),
        ("class Config:\n    use_cuda = False", "Config.use_cuda", True),
        ("class Config:\n    use_cuda = False\nconfig = Config()", "config.use_cuda", True),
        ("class Config:\n    use_cuda = False\nconfig = Config(use_cuda=True)", "config.use_cuda", False),
        ("class Config:\n    use_cuda = False\nConfig.use_cuda = choose()", "Config.use_cuda", False),
        ("from types import SimpleNamespace\nconfig = SimpleNamespace(use_cuda=False)", "config.use_cuda", True),
        ("config = {'use_cuda': False}", "config['use_cuda']", True),
        ("config = dict(use_cuda=False)", "config['use_cuda']", True),
        ("config = {'use_cuda': False, **more}", "config['use_cuda']", False),
        ("config = {'use_cuda': False}\nconfig['use_cuda'] = choose()", "config['use_cuda']", False),
        ("import settings", "settings.USE_CUDA", True),
        ("import settings as config", "config.USE_CUDA", True),
        ("from settings import USE_CUDA", "USE_CUDA", True),
        ("use_cuda = True", "use_cuda", False),
        ("use_cuda = choose()", "use_cuda", False),
    ],
)
def test_a_constant_that_switches_moves_off(tmp_path: Path, defined: str, flag: str, is_off: bool) -> None:
    text = _fixed(tmp_path, defined + TRAIN.format(flag), "USE_CUDA = False\n")
    assert (f"device = {ASKS}\n" in text) is is_off
    assert (f"    if {flag}:\n" in text) is is_off
    assert "net.cuda()" not in text


@pytest.mark.parametrize(("line", "is_off"), [("use_cuda = False", True), ("use_cuda = True", False)])
def test_a_constant_of_a_class_for_its_instances(tmp_path: Path, line: str, is_off: bool) -> None:
    text = _fixed(
        tmp_path,
        f"\nclass Trainer:\n    {line}\n\n    def __init__(self, net):\n        self.net = net\n\n"
        "    def step(self, x):\n        if self.use_cuda:\n            x = x.cuda()\n        return self.net.cuda()(x)\n",
    )
    assert (ASKS in text) is is_off
    assert "net.cuda()" not in text


@pytest.mark.parametrize(
    ("defined", "is_off"),
    [
        ("class C:\n    no_cuda = True\n" + CHOSEN.format("not C.no_cuda and torch.cuda.is_available()"), True),
        ("n_gpu = 0\n" + CHOSEN.format("torch.cuda.is_available() and n_gpu > 0"), True),
        ("n_gpu = 1\n" + CHOSEN.format("torch.cuda.is_available() and n_gpu > 0"), False),
        ("from settings import device", True),
        ("from settings import get_device\ndevice = get_device()", True),
        ("from settings import get_gpu\ndevice = get_gpu()", False),
        ("import settings\ndevice = settings.get_device()", True),
        ("def get_device():\n    return torch.device('cpu')\n\ndevice = get_device()", True),
    ],
)
def test_a_device_that_a_constant_makes_the_cpu(tmp_path: Path, defined: str, is_off: bool) -> None:
    settings = (
        f"import torch\n\nUSE = False\n{CHOSEN.format('USE and torch.cuda.is_available()')}\n"
        "def get_device():\n    return device\n\ndef get_gpu():\n    return torch.device(choose())\n"
    )
    text = _fixed(tmp_path, defined + PLACED, settings)
    assert ("net.to(torch_device)" in text) is is_off
    assert ("net.to(device)" in text) is not is_off


def test_an_entry_that_an_instance_keeps_may_be_anything(tmp_path: Path) -> None:
    text = _fixed(
        tmp_path,
        "\nclass Trainer:\n    def __init__(self, net, opt):\n        self.net, self.opt = net, opt\n\n"
        "    def step(self, x):\n        if self.opt['cuda']:\n            x = x.cuda()\n        return self.net.cuda()(x)\n",
    )
    assert 'torch.device("cuda" if self.opt["cuda"]' in text.replace("'", '"')
