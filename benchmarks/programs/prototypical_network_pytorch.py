"""An epoch of learning from few made-up pictures (cyvius96/prototypical-network-pytorch)."""

import sys
import types

import torch
from made_up import MadeUp, old_loaders, script

old_loaders()


class Pictures(MadeUp):
    """Eight pictures of two classes."""

    item = torch.rand(3, 16, 16), 1
    label = [0, 1] * 4


sys.modules["mini_imagenet"] = types.ModuleType("mini_imagenet")
sys.modules["mini_imagenet"].MiniImageNet = Pictures  # type: ignore[attr-defined]
sizes = ["--query", "2", "--train-way", "2", "--test-way", "2"]
script("train.py", "--max-epoch", "1", *sizes, "--save-path", "made")
