"""Epochs of counting made-up crowds (leeyeehoo/CSRNet-pytorch at ed29d89)."""

import json
import sys
import types

import torch
from made_up import MadeUp, script, stand_in

stand_in("torchvision", "cv2", "h5py")


class Network(torch.nn.Module):
    """A small network in the place of the large one."""

    seen = 0

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Conv2d(3, 1, 3, padding=1)

    def forward(self, x):
        return self.layer(x)


class Crowds(MadeUp):
    """Crowds and where they stand."""

    item = torch.rand(3, 8, 8), torch.rand(8, 8).double()
    size = 1


made = types.ModuleType("model")
made.CSRNet = Network
sys.modules["model"] = made
import dataset  # noqa: E402

dataset.listDataset = Crowds
with open("made.json", "w") as file:
    json.dump(["made.jpg"], file)
script("train.py", "made.json", "made.json", "0", "made")
