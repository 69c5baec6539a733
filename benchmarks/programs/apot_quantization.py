"""Weights in a few bits that learn made-up digits, two epochs and their tests (yhhhli/APoT_Quantization at 13204f1)."""

import os
import sys

import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("torchvision")
old_loaders()
os.chdir("MNIST")
sys.path.insert(0, ".")
import torchvision.datasets as datasets  # noqa: E402


class Digits(MadeUp):
    """Digits."""

    item = (torch.rand(1, 28, 28), 1)


datasets.MNIST = Digits
script("main.py", "--epochs", "2", "-b", "2")
