"""Steps of adapting to made-up streets (RoyalVane/CLAN at c40ab0b)."""

import os
import sys

import torch
from made_up import MadeUp, old_loaders, script, stand_in
from torch import nn

stand_in("torchvision", "imageio")
old_loaders()
for name in ("utils", "model", "dataset"):
    sys.modules.pop(name, None)
from dataset import cityscapes_dataset, gta5_dataset  # noqa: E402
from model import CLAN_G  # noqa: E402


class Streets(MadeUp):
    """Images of streets, with what is seen in them."""

    item = (torch.rand(3, 40, 40), torch.zeros(40, 40), 1, "a", 0)


class Towns(MadeUp):
    """Images of streets."""

    item = (torch.rand(3, 40, 40), 1, "a", 0)


class Network(nn.Module):
    """A small network in the place of the large one."""

    def __init__(self, num_classes):
        super().__init__()
        self.layer5, self.layer6 = nn.Conv2d(3, num_classes, 1), nn.Conv2d(3, num_classes, 1)

    def forward(self, x):
        return self.layer5(x), self.layer6(x)

    def optim_parameters(self, args):
        return [{"params": self.layer5.parameters()}, {"params": self.layer6.parameters()}]


gta5_dataset.GTA5DataSet = Streets
cityscapes_dataset.cityscapesDataSet = Towns
CLAN_G.Res_Deeplab = Network
os.makedirs("made")
torch.save({f"Scale.{name}": value for name, value in Network(19).state_dict().items()}, "model/start.pth")
sizes = ["--input-size-source=40,40", "--input-size-target=40,40", "--num-steps=3", "--num-steps-stop=3"]
script("CLAN_train.py", "--restore-from=./model/start.pth", "--save-pred-every=1", "--snapshot-dir=made", *sizes)
