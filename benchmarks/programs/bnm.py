"""Three steps of adapting to made-up images, with tests, and a loss (cuishuhao/BNM at 2d23c61)."""

import os
import sys

import torch
from made_up import MadeUp, old_loaders, script, stand_in
from torch import nn

stand_in("torchvision")
old_loaders()
os.chdir("DA/BNM")
sys.path.insert(0, ".")
import data_list  # noqa: E402
import network  # noqa: E402
import pre_process  # noqa: E402


class Images(MadeUp):
    """Images of 65 classes."""

    def __getitem__(self, index):
        return torch.rand(3, 8, 8), index


class Network(nn.Module):
    """A small network in the place of the large one."""

    def __init__(self, class_num, **_):
        super().__init__()
        self.layer = nn.Sequential(nn.Conv2d(3, 4, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.last = nn.Linear(4, class_num)
        self.last.bias.data[0] = 9

    def forward(self, x):
        x = self.layer(x)
        return x, self.last(x)

    def get_parameters(self):
        return [{"params": self.parameters(), "lr_mult": 1, "decay_mult": 2}]


data_list.ImageList = Images
network.ResNetFc = Network
pre_process.image_target = pre_process.image_train = pre_process.image_test = lambda **_: None
with open("made.txt", "w") as file:
    file.write("made 0\n")
paths = ["--s_dset_path=made.txt", "--t_dset_path=made.txt", "--output_dir=made"]
script("train_image.py", *paths, "--batch_size=2", "--num_iterations=3", "--test_interval=2")
os.chdir("../CDAN-BNM")
loss = script("loss.py", name="made")
loss["CDAN"]([torch.rand(4, 3, requires_grad=True), torch.rand(4, 2)], nn.Linear(6, 1)).backward()
