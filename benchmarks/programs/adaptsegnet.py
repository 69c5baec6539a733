"""Two steps of segmentation adapted to made-up streets (wasidennis/AdaptSegNet at fca9ff0)."""

import functools
import sys

import numpy
import torch
from made_up import MadeUp, old_loaders, script, stand_in
from torch import nn

stand_in("scipy", "matplotlib", "tensorboardX", "torchvision")
old_loaders()
sys.path.insert(0, ".")
import dataset.cityscapes_dataset  # noqa: E402
import dataset.gta5_dataset  # noqa: E402
import model.deeplab_multi  # noqa: E402


class Network(nn.Module):
    """A small network of two outputs in the place of the large one."""

    def __init__(self, num_classes):
        super().__init__()
        self.one, self.other = nn.Conv2d(3, num_classes, 3), nn.Conv2d(3, num_classes, 3)

    def forward(self, x):
        return self.one(x), self.other(x)

    def optim_parameters(self, args):
        return [{"params": self.parameters(), "lr": args.learning_rate}]


class Streets(MadeUp):
    """Pictures and the classes of their points."""

    item = torch.rand(3, 64, 64), torch.zeros(64, 64), numpy.array([64, 64, 3]), "a"


class OtherStreets(MadeUp):
    """Pictures."""

    item = torch.rand(3, 64, 64), numpy.array([64, 64, 3]), "a"


model.deeplab_multi.DeeplabMulti = Network
dataset.gta5_dataset.GTA5DataSet, dataset.cityscapes_dataset.cityscapesDataSet = Streets, OtherStreets
torch.save({f"Scale.{name}": one for name, one in Network(19).state_dict().items()}, "made.pth")
sizes = ["--input-size=64,64", "--input-size-target=64,64", "--num-steps=4", "--num-steps-stop=2"]
run = functools.partial(script, "pytorch_0.4/train_gta2cityscapes_multi.py", *sizes)
run("--restore-from=made.pth", "--snapshot-dir=made")
