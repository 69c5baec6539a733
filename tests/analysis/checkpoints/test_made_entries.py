"""Dictionaries of modules, and whether all of their entries copy a state as torch's modules do."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

from devlint.analysis.checkpoints.checkpoint_loads import copies_state
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext
from tests.support.projects import write_files

TRAINER = """import ignite
import nets
from torch import nn


class Trainer:
    def __init__(self, d, other):
        self.models = {made}
        {put}

    def load(self, name):
        ask(self.models[name])
"""
CASES = [
    ("{}", "self.models['a'] = nn.Linear(1, 2)", True),
    ("dict()", "self.models['a'] = nn.Linear(1, 2).to(d)", True),
    ("{}", "self.models['a'] = nets.Net()", True),
    ("{}", "self.models['a'] = nets.Net()\n        self.models['a'].to(d)", True),
    ("{}", "self.models['a'] = nets.Net()\n        self.models['b'] = self.models['a']", True),
    ("{}", "self.models['a'] = nets.Net()\n        self.models['a'] = self.models['a'].to(d)", True),
    ("{}", "self.models['a'] = nets.Net()\n        for m in self.models.values():\n            m.eval()", True),
    ("{}", "self.models['a'] = nets.Own()", False),
    ("{}", "self.models['a'] = ignite.Net()", False),
    ("{}", "self.models['a'] = other", False),
    ("{}", "self.models['a'] = nn.Linear(1, 2)\n        self.models['b'] = other", False),
    ("{}", "self.models['a'] = nn.Linear(1, 2)\n        self.models.update(other)", False),
    ("{}", "self.models['a'] = nn.Linear(1, 2)\n        fill(self.models)", False),
    ("{}", "self.models['a'] = nn.Linear(1, 2)\n        self.models = other", False),
    ("other", "self.models['a'] = nn.Linear(1, 2)", False),
    ("{'b': other}", "self.models['a'] = nn.Linear(1, 2)", False),
    ("{}", "pass", False),
]
NETS = """import torch


class Net(torch.nn.Module):
    pass


class Own(torch.nn.Module):
    def load_state_dict(self, state):
        self.state = state
"""


@pytest.mark.parametrize(("made", "put", "expected"), CASES)
def test_entries(tmp_path: Path, made: str, put: str, expected: bool) -> None:
    folder = write_files(tmp_path / "p", {"nets.py": NETS})
    text = TRAINER.replace("{made}", made).replace("{put}", put)
    ctx = FileContext(Source.from_text(str(folder / "train.py"), text))
    call = next(one for one in ctx.tree.of_type(cst.Call) if isinstance(one.func, cst.Name) and one.func.value == "ask")
    assert copies_state(ctx, call.args[0].value) is expected
