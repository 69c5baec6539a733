"""The standard attacks on a small made-up classifier (fra31/auto-attack at a392200)."""

import functools
import os
import sys

import torch
from made_up import MadeUp, script, stand_in

stand_in("torchvision")
sys.path[:0] = [os.getcwd(), "autoattack/examples"]
import autoattack  # noqa: E402
import resnet  # noqa: E402
import torchvision.datasets  # noqa: E402


def small():
    """A small classifier in the place of the large one."""
    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(192, 10))


resnet.ResNet18 = small
MadeUp.item = (torch.rand(3, 8, 8), 3)
torchvision.datasets.CIFAR10 = MadeUp
torch.save(small().state_dict(), "made.pt")
make = autoattack.AutoAttack.__init__
steps = {"apgd": 2, "apgd_targeted": 2, "fab": 2}


@functools.wraps(make)
def quick(self, *given, **named):
    """An attack of few steps."""
    make(self, *given, **named)
    for name, count in steps.items():
        getattr(self, name).n_iter = count
    self.square.n_queries = 2


autoattack.AutoAttack.__init__ = quick
script("autoattack/examples/eval.py", "--model", "made.pt", "--n_ex", "4", "--batch_size", "2")
