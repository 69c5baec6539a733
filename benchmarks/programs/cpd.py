"""Epochs on made-up images, and a test (wuzhe71/CPD at e7373b4)."""

import os
import sys
from unittest import mock

import numpy
import scipy
import torch
from made_up import MadeUp, old_loaders, script, stand_in
from torch import nn

stand_in("torchvision")
old_loaders()
for name in ("data", "utils", "model"):
    sys.modules.pop(name, None)
scipy.misc = mock.MagicMock()
sys.path.append("model")
import data  # noqa: E402
from model import CPD_models  # noqa: E402


class Images(MadeUp):
    """Images, and what stands out in them."""

    item = (torch.rand(3, 8, 8), torch.zeros(1, 8, 8))


class Network(nn.Module):
    """A small network in the place of the large one."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 2, 3, padding=1)

    def forward(self, x):
        return self.layer(x).split(1, 1)


data.get_loader = lambda *_, **__: torch.utils.data.DataLoader(Images(), 2)
one = torch.rand(1, 3, 8, 8), numpy.ones((8, 8)), "made.png"
data.test_dataset = lambda *_: mock.MagicMock(size=2, load_data=lambda: one)
CPD_models.CPD_VGG = Network
script("train.py", "--epoch=6")
os.rename("models/CPD_VGG/CPD.pth.4", "CPD.pth")
script("test_CPD.py")
