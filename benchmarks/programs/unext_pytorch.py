"""An epoch of finding made-up lesions, and its validation (jeya-maria-jose/UNeXt-pytorch at 6ad0855)."""

import sys
import types

import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("torchvision", "timm", "mmcv", "albumentations", "cv2")
old_loaders()


class Network(torch.nn.Module):
    """A small network in the place of the large one."""

    def __init__(self, classes, channels, deep):
        super().__init__()
        self.layer = torch.nn.Conv2d(channels, classes, 3, padding=1)

    def forward(self, x):
        return self.layer(x)


class Lesions(MadeUp):
    """Images and masks."""

    def __getitem__(self, index):
        return torch.rand(3, 32, 32), torch.ones(1, 32, 32), {"img_id": str(index)}


archs = types.ModuleType("archs")
archs.__all__ = ["UNext"]
archs.UNext = Network
sys.modules["archs"] = archs
import dataset  # noqa: E402

dataset.Dataset = Lesions
made = script("train.py", name="made")
made["main"].__globals__["glob"] = lambda _: [f"{one}.png" for one in range(10)]
sys.argv = ["train.py", "--epochs=2", "--batch_size=2", "--name=made"]
made["main"]()
