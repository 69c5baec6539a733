"""New classes learnt without forgetting the old ones, on made-up pictures (ngailapdi/LWF at baa07ee)."""

import subprocess

import numpy
import torch
from made_up import MadeUp, old_loaders, script, stand_in
from torch import nn

stand_in("torchvision")
old_loaders()
import data_loader  # noqa: E402
import torchvision.models as models  # noqa: E402


class Pictures(MadeUp):
    """Pictures of two classes."""

    def __init__(self, classes, **_):
        self.train_labels = [int(classes[0]), int(classes[1])] * 2

    def __getitem__(self, index):
        return index, torch.rand(3, 8, 8), self.train_labels[index]


class Network(nn.Module):
    """A small network in the place of the large one."""

    def __init__(self, **_):
        super().__init__()
        self.layer = nn.Conv2d(3, 4, 3, padding=1)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(4, 9)


models.resnet34 = Network
data_loader.cifar100 = Pictures
subprocess.check_output = lambda _: b"made"
numpy.save("cifar_mean_image.npy", numpy.zeros((3, 8, 8)))
script("main.py", "--num_classes", "50", "--num_epochs", "2", "--batch_size", "2", "--matr", "made.npz")
