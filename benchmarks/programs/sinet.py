"""Epochs on made-up images, and a test (DengPingFan/SINet at 6202fb1)."""

import contextlib
import sys
from unittest import mock

import numpy
import scipy
import torch
from made_up import MadeUp, old_loaders, script, stand_in
from torch import nn

stand_in("torchvision")
old_loaders()
amp = mock.MagicMock(initialize=lambda model, optimizer, **_: (model, optimizer))
amp.scale_loss = lambda loss, _: contextlib.nullcontext(loss)
sys.modules["apex"] = mock.MagicMock(amp=amp)
scipy.misc = mock.MagicMock()
import Src.SINet  # noqa: E402
from Src.utils import Dataloader  # noqa: E402


class Images(MadeUp):
    """Images, and what hides in them."""

    item = (torch.rand(3, 8, 8), torch.zeros(1, 8, 8))


class Network(nn.Module):
    """A small network in the place of the large one."""

    def __init__(self, channel=32):
        super().__init__()
        self.layer = nn.Conv2d(3, 2, 3, padding=1)

    def forward(self, x):
        return self.layer(x).split(1, 1)


Dataloader.get_loader = lambda *_, **__: torch.utils.data.DataLoader(Images(), 2)
one = torch.rand(1, 3, 8, 8), numpy.ones((8, 8)), "made.png"
Dataloader.test_dataset = lambda *_, **__: mock.MagicMock(size=2, load_data=lambda: one)
Src.SINet.SINet_ResNet50 = Network
script("MyTrain.py", "--epoch=4", "--save_epoch=2", "--gpu=0", "--save_model=./made/")
script("MyTest.py", "--model_path=./made/SINet_4.pth")
