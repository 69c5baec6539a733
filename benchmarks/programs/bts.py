"""Epochs on made-up rooms, resumed, with tests, and a test alone (cleinc/bts at 5e3406b)."""

import os
import sys
import types

import numpy
import torch
from made_up import MadeUp, old_loaders, script, stand_in
from torch import nn

stand_in("tensorboardX", "torchvision")
old_loaders()
os.chdir("pytorch")
sys.path.insert(0, ".")
sys.modules.pop("bts", None)
numpy.sum = lambda values, **named: sum(values) if isinstance(values, list) else numpy.add.reduce(values, axis=None)
import bts  # noqa: E402
import bts_dataloader  # noqa: E402


class Encoder(nn.Module):
    """A small network in the place of the large one."""

    def __init__(self, _):
        super().__init__()
        self.base_model = nn.ModuleDict({"conv0": nn.Conv2d(3, 4, 3, padding=1)})
        self.feat_out_channels = [4, 4, 4, 4, 4]

    def forward(self, x):
        made = self.base_model["conv0"](x)
        return [nn.functional.avg_pool2d(made, 2**size) for size in range(1, 6)]


class Rooms(MadeUp):
    """Images of rooms, and how deep they are."""

    def __init__(self, mode):
        super().__init__()
        self.mode = mode

    def __getitem__(self, _):
        made = {"image": torch.rand(3, 64, 64), "focal": 500.0, "has_valid_depth": True}
        return {**made, "depth": torch.rand(1, 64, 64) + 1}


def loader(_, mode):
    """Made-up rooms."""
    return types.SimpleNamespace(data=torch.utils.data.DataLoader(Rooms(mode), 2 if mode == "train" else 1))


bts.encoder = Encoder
bts_dataloader.BtsDataLoader = loader
os.makedirs("logs/made")
paths = ["--data_path=a", "--gt_path=a", "--filenames_file=a", "--log_directory=logs", "--bts_size=128"]
steps = ["--batch_size=2", "--log_freq=1", "--save_freq=2", "--num_epochs=2", "--max_depth=10"]
script("bts_main.py", *paths, *steps, "--model_name=made")
script("bts_main.py", *paths, *steps, "--model_name=made", "--do_online_eval", "--eval_freq=2")
