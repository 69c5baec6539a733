"""An epoch of making made-up pictures larger, and its test (yulunzhang/RCAN)."""

import os
import sys
import types
from types import SimpleNamespace

import torch
from made_up import script, stand_in

stand_in("matplotlib")
sys.modules["scipy.misc"] = types.ModuleType("scipy.misc")
os.chdir("RCAN_TrainCode/code")
small, large = torch.rand(2, 3, 8, 8), torch.rand(2, 3, 16, 16)


class Pictures:
    """As many as there are."""

    benchmark = False

    def __len__(self):
        return 2

    def set_scale(self, _):
        """How much larger they become."""


class Batches(list):
    """A loader of made-up pictures."""

    dataset = Pictures()


sys.modules["data"] = data = types.ModuleType("data")
loaders = {"loader_train": Batches([(small, large, ["a"], 0)] * 2), "loader_test": Batches([(small, large, ["a"], 0)])}
data.Data = lambda _: SimpleNamespace(**loaders)  # type: ignore[attr-defined]
sizes = ["--n_resgroups", "1", "--n_resblocks", "1", "--n_feats", "16", "--print_every", "1"]
script("main.py", "--model", "RCAN", "--scale", "2", "--epochs", "2", *sizes)
