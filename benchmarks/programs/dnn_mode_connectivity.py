"""One epoch on a curve between networks (timgaripov/dnn-mode-connectivity)."""

import torch
from made_up import MadeUp, labels, script, stand_in

stand_in("torchvision", "tabulate")
import data  # noqa: E402
import tabulate  # noqa: E402


class Pictures(MadeUp):
    """Pictures of ten classes."""

    def __getitem__(self, index):
        return torch.rand(3, 32, 32), labels(4, 10)[index]


loader = torch.utils.data.DataLoader(Pictures(), batch_size=2)
data.loaders = lambda *_, **__: ({"train": loader, "test": loader}, 10)
tabulate.tabulate = lambda *_, **__: "a\nb\nc"
script("train.py", *"--dir made --model ConvFC --curve Bezier --epochs 1".split())
