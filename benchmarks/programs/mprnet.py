"""Two epochs of sharpening made-up images, their validation, and the mixing of images (swz30/MPRNet at 43feb2a)."""

import os
import sys
import types
from unittest import mock

import torch
from made_up import MadeUp, old_loaders, script, stand_in
from torch import nn

stand_in("torchvision", "natsort", "warmup_scheduler")
old_loaders()
total = torch.sum
torch.sum = lambda made, *rest, **named: sum(made) if isinstance(made, list) else total(made, *rest, **named)


class Network(nn.Module):
    """A small network in the place of the large one."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 3, 3, padding=1)

    def forward(self, x):
        return [self.layer(x)] * 3


class Images(MadeUp):
    """Sharp and blurred images."""

    item = torch.rand(3, 16, 16), torch.rand(3, 16, 16), "made"


os.chdir("Deblurring")
sys.path.insert(0, ".")
made = types.ModuleType("MPRNet")
made.MPRNet = Network
sys.modules["MPRNet"] = made
scheduler = types.ModuleType("warmup_scheduler")
scheduler.GradualWarmupScheduler = mock.MagicMock()
scheduler.GradualWarmupScheduler.return_value.get_lr.return_value = [0.1]
sys.modules["warmup_scheduler"] = scheduler
import data_RGB  # noqa: E402

data_RGB.get_training_data = data_RGB.get_validation_data = Images
with open("training.yml", "w") as file:
    file.write("OPTIM: {NUM_EPOCHS: 2, BATCH_SIZE: 2}\nTRAINING: {VAL_AFTER_EVERY: 1}\n")
import utils  # noqa: E402

utils.mkdir = lambda path: os.makedirs(path, exist_ok=True)
ran = script("train.py")
utils.MixUp_AUG().aug(ran["target"], ran["input_"])
