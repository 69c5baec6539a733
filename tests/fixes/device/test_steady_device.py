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


@pytest.mark.parametrize(("line", "is_imported"), [("", True), ("del device\n", False)])
def test_a_module_that_deletes_its_device(tmp_path: Path, line: str, is_imported: bool) -> None:
    utils = f'import torch\n\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n{line}'
    text = "import torch\nfrom utils import load\n\n\ndef f(x):\n    load(x)\n    return x.cuda()\n"
    files = {"utils.py": f"{utils}\n\ndef load(x):\n    pass\n", "model.py": text}
    fixed = fix_files(write_files(tmp_path, files))["model.py"]
    assert ("from utils import device, load" in fixed) is is_imported
    assert "x.cuda()" not in fixed
