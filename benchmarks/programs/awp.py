"""An epoch of training against attacks on made-up images (csdongxian/AWP at a7acf5d)."""

import os
import sys

import torch
from made_up import MadeUp, old_loaders, script, stand_in
from torch import nn

stand_in("torchvision")
old_loaders()
os.chdir("AT_AWP")
sys.path.insert(0, ".")
import preactresnet  # noqa: E402
from torchvision import datasets  # noqa: E402


class Images(MadeUp):
    """Images of 100 classes."""

    item = (torch.rand(3, 8, 8), 1)


datasets.CIFAR100 = Images
preactresnet.PreActResNet18 = lambda num_classes: nn.Sequential(nn.Flatten(), nn.Linear(192, num_classes))
steps = ["--batch-size=2", "--epochs=1", "--attack-iters=2", "--attack-iters-test=1"]
for norm in ("l_inf", "l_2"):
    script("train_cifar100.py", *steps, f"--norm={norm}", f"--fname=made_{norm}")
script("train_cifar100.py", *steps[:1], "--epochs=2", "--attack-iters=2", "--resume=1", "--fname=made_l_2")
