"""An epoch of made-up images, resumed, a test and a temperature (hendrycks/pre-training at 10cd02a)."""

import os
import sys

import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("torchvision")
old_loaders()
os.chdir("uncertainty/CIFAR")
for name in ("models", "utils"):
    sys.modules.pop(name, None)
sys.path[:0] = [".", ".."]
import torchvision.datasets  # noqa: E402


class Images(MadeUp):
    """Images of ten classes."""

    item = (torch.rand(3, 32, 32), 1)


torchvision.datasets.CIFAR10 = Images
sizes = ["--batch_size=2", "--test_bs=2", "--layers=10", "--widen-factor=1", "--save=made"]
try:
    script("baseline.py", *sizes, "--epochs=1")
    script("baseline.py", *sizes, "--epochs=2", "--load=made")
    script("baseline.py", *sizes, "--epochs=2", "--load=made", "--test")
except SystemExit as done:
    if done.code:
        raise
