"""Methods that run before a model is moved: its own device is the CPU then, and is not asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files
from tests.support.rule_cases import fixed

HEAD = """import lightning as L
import torch


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)

"""
EARLY = [
    '    def setup(self, stage):\n        self.scale = torch.ones(2, device="cuda")\n',
    '    def configure_model(self):\n        self.scale = torch.ones(2, device="cuda")\n',
    '    def make_weights(self):\n        return torch.ones(2, device="cuda")\n',
]
LATE = [
    '    def on_fit_start(self):\n        self.scale = torch.ones(2, device="cuda")\n',
    '    def training_step(self, batch):\n        return torch.ones(2, device="cuda")\n',
    '    def sample(self, n):\n        return torch.ones(n, device="cuda")\n',
    "    def predict_step(self, x):\n        return self.mask()\n\n"
    '    def mask(self):\n        return torch.ones(2, device="cuda")\n',
]


@pytest.mark.parametrize("text", EARLY)
def test_before_the_trainer_moves_the_model(text: str) -> None:
    result = fixed("DEV102", HEAD + text)
    assert "device=device" in result
    assert "self.device" not in result and "weight.device" not in result


@pytest.mark.parametrize("text", LATE)
def test_once_the_model_is_moved(text: str) -> None:
    assert "device=self.device)" in fixed("DEV102", HEAD + text)


BASE = """import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.indicator = torch.nn.Parameter(torch.empty(0))
        self.populate()

    @property
    def device(self):
        return self.indicator.device
"""
OWN = """import torch
from base import Model


class Splats(Model):
    def {}(self):
        self.points = torch.zeros(3).cuda()
"""


def test_what_the_init_of_a_base_in_another_file_calls(tmp_path: Path) -> None:
    files = {"base.py": BASE, "splats.py": OWN.format("populate")}
    text = fix_files(write_files(tmp_path / "p", files))["splats.py"]
    assert "torch.zeros(3).to(device)" in text


def test_another_method_of_such_a_class(tmp_path: Path) -> None:
    files = {"base.py": BASE, "splats.py": OWN.format("densify")}
    text = fix_files(write_files(tmp_path / "p", files))["splats.py"]
    assert "torch.zeros(3).to(self.device)" in text


PIPELINE = """import torch


class Pipeline:
    def __init__(self, models):
        self.models = models

    @property
    def device(self):
        return self.models["flow"].device
"""
TEXT = """import torch
from base import Pipeline


class TextPipeline(Pipeline):
    def __init__(self, models):
        super().__init__(models)
        self.{}

    @staticmethod
    def load(path):
        new = TextPipeline(torch.load(path, map_location="cpu"))
        new.{}
        return new

    def warm_up(self):
        self.empty = self.encode("")

    def encode(self, text):
        return torch.tensor(text).cuda()
"""


@pytest.mark.parametrize(
    ("by_init", "by_maker", "asks"),
    [("warm_up()", "x", False), ("x", "warm_up()", False), ("x", "encode(1)", False), ("x", "y", True)],
)
def test_what_runs_while_an_instance_is_made(tmp_path: Path, by_init: str, by_maker: str, asks: bool) -> None:
    files = {"base.py": PIPELINE, "text.py": TEXT.format(by_init, by_maker)}
    text = fix_files(write_files(tmp_path / "p", files))["text.py"]
    assert ".cuda()" not in text
    assert (".to(self.device)" in text) is asks


def test_what_a_method_of_a_base_calls_while_an_instance_is_made(tmp_path: Path) -> None:
    base = BASE + "\n    def populate(self):\n        self.densify()\n"
    files = {"base.py": base, "splats.py": OWN.format("densify")}
    text = fix_files(write_files(tmp_path / "p", files))["splats.py"]
    assert "torch.zeros(3).to(device)" in text
