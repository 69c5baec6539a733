"""Numbers of cards that come from other files: they count only where all of the project gives numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

TRAIN = "import torch\n\n\ndef train(rank, x):\n    return x.cuda(rank)\n\n\ndef main(x):\n    train(0, x)\n"
CARD = 'torch.device("cuda", rank) if torch.cuda.is_available() else'
SAME = [
    "def train(rank, x): ...\ntrain('cuda:0', 1)\n",
    "class Engine:\n    def run(self):\n        self.train('cuda:0', 1)\n",
    "import engine\nengine.train('cuda:0', 1)\n",
]
OTHERS = [
    "from train import train\ntrain('cuda:0', 1)\n",
    "import train\ntrain.train('cuda:0', 1)\n",
    "def f():\n    from train import train as start\n    start('cuda:0', 1)\n",
    "from train import *\ntrain('cuda:0', 1)\n",
    "def f():\n    from train import train\n    train('cuda:0', 1)\n",
]


def fixed(tmp_path: Path, files: dict[str, str]) -> str:
    return fix_files(write_files(tmp_path / "p", {"pyproject.toml": "", **files}), unsafe=False).get(
        "train.py", files["train.py"]
    )


@pytest.mark.parametrize("other", SAME)
def test_who_calls_something_else_does_not_count(tmp_path: Path, other: str) -> None:
    files = {"train.py": TRAIN, "other.py": other, "engine.py": "def train(rank, x): ...\n"}
    assert CARD in fixed(tmp_path, files)


@pytest.mark.parametrize("other", OTHERS)
def test_who_calls_it_from_another_file_may_give_a_string(tmp_path: Path, other: str) -> None:
    assert CARD not in fixed(tmp_path, {"train.py": TRAIN, "other.py": other})


def test_an_attribute_that_another_file_sets_is_no_number(tmp_path: Path) -> None:
    trainer = (
        "import torch\n\n\nclass Trainer:\n    def __init__(self, n):\n        self.rank = int(n)\n\n"
        "    def step(self, x):\n        return x.cuda(self.rank)\n"
    )
    assert "torch.device(" in fixed(tmp_path, {"train.py": trainer})
    other = "from train import Trainer\n\ntrainer = Trainer(1)\ntrainer.rank = 'cuda:1'\n"
    assert fixed(tmp_path, {"train.py": trainer, "other.py": other}) == trainer
