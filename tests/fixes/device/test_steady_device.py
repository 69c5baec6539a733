"""Devices of instances and of modules in a project whose other files may change them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

TRAINER = """import torch


class Trainer:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def step(self, net):
        net.cuda()
        return net
"""
HEIR = "from trainer import Trainer\n\n\nclass Careful(Trainer):\n    def __init__(self):\n"
OTHERS = [
    # What another file does, and whether every trainer keeps its device.
    ("", True),
    (HEIR + "        super().__init__()\n        self.size = 1\n", True),
    (HEIR + '        super().__init__()\n        self.device = "cpu"\n', False),
    (HEIR + "        self.size = 1\n", False),
    ("from trainer import Trainer\n\ntrainer = Trainer()\ntrainer.device = choose()\n", False),
    ("from options import args\n\nargs.device = choose()\n", True),
]


@pytest.mark.parametrize(("other", "is_kept"), OTHERS)
def test_an_instance_of_which_other_files_know(tmp_path: Path, other: str, is_kept: bool) -> None:
    text = fix_files(write_files(tmp_path, {"trainer.py": TRAINER, "other.py": other}))["trainer.py"]
    assert ("net.to(self.device)" in text) is is_kept
    assert "net.cuda()" not in text


BASES = [
    # What a base in another file does before it sets the device, what the class itself does, and whether it keeps it.
    ("        self.net = net\n", "", True),
    ("        if net is None:\n            return\n", "", False),
    ("        net.register(self)\n", "", False),
    ("        self.start()\n\n    def start(self):\n        self.step(None)\n", "", False),
    ("", '    device = "phone"\n\n', False),
    ("", "    size = 1\n\n", True),
]


@pytest.mark.parametrize(("first", "own", "is_kept"), BASES)
def test_an_instance_whose_base_is_in_another_file(tmp_path: Path, first: str, own: str, is_kept: bool) -> None:
    choice = '        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
    before, method, after = first.partition("\n    def start")
    base = f"import torch\n\n\nclass Base:\n    def __init__(self, net):\n{before}\n{choice}"
    base += f"{method}{after.removesuffix('    def other(self):')}\n"
    step = "    def step(self, net):\n        net.cuda()\n        return net\n"
    text = f"import torch\nfrom base import Base\n\n\nclass Trainer(Base):\n{own}{step}"
    text = fix_files(write_files(tmp_path, {"base.py": base, "trainer.py": text}))["trainer.py"]
    assert ("net.to(self.device)" in text) is is_kept
    assert "net.cuda()" not in text


PROPERTIES = [
    # What a property gives, and whether a method asks it that has not done so before.
    ("self._device", True),
    ("next(self.parameters()).device", True),
    ("self.net.device", True),
    ("self.phone.name", False),
]


@pytest.mark.parametrize(("value", "is_asked"), PROPERTIES)
def test_a_property_of_an_instance(tmp_path: Path, value: str, is_asked: bool) -> None:
    text = f"import torch\n\n\nclass C:\n    @property\n    def device(self):\n        return {value}\n"
    text += "\n    def f(self, x):\n        return x.cuda()\n"
    fixed = fix_files(write_files(tmp_path, {"c.py": text}))["c.py"]
    assert ("x.to(self.device)" in fixed) is is_asked
    assert "x.cuda()" not in fixed


@pytest.mark.parametrize(("line", "is_imported"), [("", True), ("del device\n", False)])
def test_a_module_that_deletes_its_device(tmp_path: Path, line: str, is_imported: bool) -> None:
    utils = f'import torch\n\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n{line}'
    text = "import torch\nfrom utils import load\n\n\ndef f(x):\n    load(x)\n    return x.cuda()\n"
    files = {"utils.py": f"{utils}\n\ndef load(x):\n    pass\n", "model.py": text}
    fixed = fix_files(write_files(tmp_path, files))["model.py"]
    assert ("from utils import device, load" in fixed) is is_imported
    assert "x.cuda()" not in fixed


BRANCHES = """\
import torch


class Base:
    def __init__(self, paras):
        if paras.gpu and torch.cuda.is_available():
            self.gpu = True
            self.device = torch.device("cuda")
        else:
            self.gpu = False
            self.device = torch.device("cpu")
"""
HEIR = """\
import torch
from base import Base


class Own(Base):
    def fetch(self, x):
        if self.gpu:
            x = x.cuda()
        return x

    def load(self, net):
        if self.gpu:
            net = net.cuda()
        return net
"""


@pytest.mark.parametrize(
    ("main", "is_same"),
    [
        ("paras = parser.parse_args()\nsetattr(paras, 'gpu', True)", True),
        ("paras = Own(1)\nsetattr(paras, 'gpu', True)", False),
        ("paras = parser.parse_args()\ndef f(paras):\n    paras.gpu = True", False),
    ],
)
def test_a_flag_beside_the_device_of_a_base(tmp_path: Path, main: str, is_same: bool) -> None:
    files = {"base.py": BRANCHES, "own.py": HEIR, "main.py": f"import argparse\nfrom own import Own\n{main}\n"}
    after = fix_files(write_files(tmp_path / "p", {"pyproject.toml": "", **files})).get("own.py", "")
    assert ("        x = x.to(self.device)\n" in after and "if self.gpu" not in after) is is_same
    assert is_same or "self.device" not in after
