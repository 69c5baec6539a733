"""Training on made-up digits, a test, and adapting to others, also made up (tim-learn/SHOT)."""

import os
import sys
import types
from types import SimpleNamespace

import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("torchvision")
old_loaders()
os.chdir("digit")


class Digits(MadeUp):
    """Pictures of digits."""

    item = torch.rand(3, 32, 32), 1


class Numbered(Digits):
    """The same with the number of each."""

    def __getitem__(self, index):
        return *self.item, index


made = SimpleNamespace(MNIST=Digits, MNIST_idx=Numbered, SVHN=Digits, SVHN_idx=Numbered, USPS=Digits, USPS_idx=Numbered)
sys.modules["data_load"] = data = types.ModuleType("data_load")
data.mnist = data.svhn = data.usps = made  # type: ignore[attr-defined]
script("uda_digit.py", "--max_epoch", "10", "--batch_size", "2", "--output", "made")
