"""One epoch of training and one of pruning, of a made-up network (arunmallya/packnet)."""

import os
import sys
import types

import torch
from made_up import batches, labels, old_scalars, stand_in
from torch import nn

sys.argv = ["main.py", "--lr", "0.1", "--lr_decay_every", "1", "--lr_decay_factor", "0.1", "--dataset", "made"]
old_scalars()
stand_in("torchvision", "torchnet")
os.chdir("src")
sys.path.insert(0, os.getcwd())
import main  # noqa: E402


class Errors:
    """How often the network was wrong."""

    def __init__(self, **_):
        pass

    def add(self, *_):
        """Nothing is counted."""

    def value(self):
        """A made-up number."""
        return [50.0]


class Network(nn.Module):
    """One layer that is shared, and one that is not."""

    def __init__(self):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.classifier = nn.Linear(8, 3)

    def forward(self, x):
        """Guess the class."""
        return self.classifier(self.shared(x))

    def train_nobn(self):
        """There are no normalizing layers."""
        self.train()


loader = batches(2, torch.rand(4, 4), labels(4, 3))
main.dataset = types.SimpleNamespace(train_loader=lambda *_, **__: loader, test_loader=lambda *_, **__: loader)  # type: ignore[assignment]
main.tnt.meter.ClassErrorMeter = Errors
network = Network()
masks = {1: torch.ones(8, 4, dtype=torch.uint8)}
manager = main.Manager(main.FLAGS.parse_args(), network, masks, {}, {})
manager.pruner.make_finetuning_mask()
manager.train(1, torch.optim.SGD(network.parameters(), lr=0.1), save=False, savename="made")
manager.pruner.current_masks = None
manager.pruner.current_dataset_idx = 1
manager.pruner.prune()
