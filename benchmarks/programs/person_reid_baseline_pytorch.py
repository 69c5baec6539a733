"""The features of made-up people (layumi/Person_reID_baseline_pytorch)."""

import os
import sys
import types
from pathlib import Path

import torch
from made_up import MadeUp, old_loaders, script, stand_in
from torch import nn

stand_in("torchvision")
old_loaders()
import torchvision.datasets  # noqa: E402


class People(MadeUp):
    """Pictures of people, and where they are."""

    item = torch.rand(3, 16, 8), 1
    imgs = [("0001_c1.jpg", 0), ("0002_c2.jpg", 1)] * 5
    size = 10


class Network(nn.Module):
    """A network with a classifier that the program takes off."""

    def __init__(self, *_, **__):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 512, 3), nn.BatchNorm2d(512), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.classifier = nn.Sequential()
        self.classifier.classifier = nn.Linear(512, 3)

    def forward(self, x):
        """The features, or the classes."""
        return self.classifier(self.stem(x))


sys.modules["model"] = model = types.ModuleType("model")
kinds = ["dense", "hr", "swin", "swinv2", "dino", "efficient", "NAS", "convnext"]
for name in ["ft_net", "PCB", "PCB_test", *(f"ft_net_{one}" for one in kinds)]:
    setattr(model, name, Network)
torchvision.datasets.ImageFolder = People
made = Path("model/ft_ResNet50")
made.mkdir(parents=True, exist_ok=True)
options = ["fp16", "PCB", *(f"use_{one}" for one in kinds)]
(made / "opts.yaml").write_text("stride: 2\n" + "".join(f"{one}: false\n" for one in options))
torch.save(Network().state_dict(), made / "net_last.pth")
os.system = lambda _: 0  # the program starts its other script with the Python it finds
script("test.py")
script("evaluate_gpu.py")
