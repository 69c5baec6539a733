"""Sheets of samples of a made-up generator."""

import os

import torch
from made_up import stand_in

stand_in("torchvision", "h5py", "PIL")
import utils  # noqa: E402


class Generator(torch.nn.Module):
    """Two layers in the place of the network."""

    dim_z = 4

    def __init__(self):
        super().__init__()
        self.shared = torch.nn.Embedding(4, 4)
        self.layer = torch.nn.Linear(8, 12)

    def forward(self, z, y):
        """An image of two by two."""
        return self.layer(torch.cat([z.view(-1, 4), y.view(-1, 4)], 1)).view(-1, 3, 2, 2)


os.mkdir("made")
utils.sample_sheet(Generator(), 2, 4, 2, False, "made", "up", 0)
utils.interp(torch.rand(2, 1, 4), torch.rand(2, 1, 4), 3)
