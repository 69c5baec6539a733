"""Distances of made-up pictures from a made-up network's classes (pokaxpoka/deep_Mahalanobis_detector)."""

import os

import lib_generation
import torch
from made_up import batches, labels
from torch import nn


class Network(nn.Module):
    """Two layers that can be looked at."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Conv2d(3, 4, 3), nn.Linear(4, 3)

    def forward(self, x):
        """Guess the class."""
        return self.two(self.one(x).mean((2, 3)))

    def feature_list(self, x):
        """The answer, and what the first layer gives."""
        return self(x), [self.one(x)]

    def intermediate_forward(self, x, _):
        """What the first layer gives."""
        return self.one(x)


os.mkdir("made")
network = Network()
network.cuda() if torch.cuda.is_available() else None
loader = batches(2, torch.rand(6, 3, 8, 8), labels(6, 3))
mean, precision = lib_generation.sample_estimator(network, 3, [4], loader)
lib_generation.get_Mahalanobis_score(network, loader, 3, "made", True, "resnet", mean, precision, 0, 0.01)
