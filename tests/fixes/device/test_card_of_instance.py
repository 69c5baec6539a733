"""An instance that keeps the number of a card has one device of it, for all of its methods."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

_DEVICE = """(
            torch.device("cuda", self.{})
            if torch.cuda.is_available()
            else torch.device("cpu")
        )"""
_CLASS = """import torch


class Trainer:
    def __init__(self, kind, device):
        self.device = int(device)
        self.size = 3
        if kind == "linear":
            self.net = torch.nn.Linear(self.size, 1)
        else:
            raise ValueError(kind)
{}        self.net = self.net.cuda(self.device)

    def step(self, x):
        return self.net(x.cuda(self.device))

    def score(self, x, y):
        return self.net(x.cuda(self.device)) - y.cuda(self.device)
"""


def _fixed(tmp_path: Path, text: str, others: dict[str, str] | None = None) -> str:
    return fix_files(write_files(tmp_path, {"trainer.py": text, **(others or {})})).get("trainer.py", text)


def test_one_device_for_an_instance_whose_device_is_a_number(tmp_path: Path) -> None:
    defined = f"        self.torch_device = {_DEVICE.format('device')}\n        self.net = self.net.to"
    after = _CLASS.format("").replace(".cuda(self.device)", ".to(self.torch_device)")
    assert _fixed(tmp_path, _CLASS.format("")) == after.replace("        self.net = self.net.to", defined)


def test_the_same_for_a_number_of_another_name(tmp_path: Path) -> None:
    text = _CLASS.format("").replace("self.device", "self.gpu")
    after = text.replace(".cuda(self.gpu)", ".to(self.device)")
    defined = f"        self.device = {_DEVICE.format('gpu')}\n        self.net = self.net.to"
    assert _fixed(tmp_path, text) == after.replace("        self.net = self.net.to", defined)


@pytest.mark.parametrize(
    "between",
    [
        "        if not kind:\n            return\n",
        "        self.step(torch.ones(self.size))\n",
        "        register(self.step)\n",
        "        register(self)\n",
        "        super().__init__()\n",
        "        self.prepare()\n",
    ],
)
def test_each_method_has_its_own_where_one_may_run_without_it(tmp_path: Path, between: str) -> None:
    assert "self.torch_device" not in _fixed(tmp_path, _CLASS.format(between))


@pytest.mark.parametrize(
    ("more", "other"),
    [
        ("\n    def move(self, device):\n        self.device = device\n", ""),
        ("\n    def state(self):\n        return dict(self.__dict__)\n", ""),
        ("\n\ntorch_device = None\n", ""),
        ("", "from trainer import Trainer\n\n\nclass Heir(Trainer):\n    torch_device = 0\n"),
        ("", "from trainer import Trainer\n\nmade = Trainer('linear', 0)\nmade.device = 1\n"),
        (
            "",
            "from trainer import Trainer\n\n\nclass Heir(Trainer):\n    def __init__(self):\n        self.device = 0\n",
        ),
        ("", "import pickle\nfrom trainer import Trainer\n\ntrainer = Trainer('linear', 0)\npickle.dump(trainer, f)\n"),
    ],
)
def test_none_where_the_number_may_change_or_somebody_may_mind(tmp_path: Path, more: str, other: str) -> None:
    assert "self.torch_device" not in _fixed(tmp_path, _CLASS.format("") + more, {"other.py": other})
