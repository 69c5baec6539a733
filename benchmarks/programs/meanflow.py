"""A loss of a small network on made-up images, and images of each class (haidog-yaqub/MeanFlow at 97cc518)."""

import sys

import torch
from torch import nn

sys.modules.pop("meanflow", None)
from meanflow import MeanFlow  # noqa: E402


class Network(nn.Module):
    """A small network in the place of the large one."""

    def __init__(self):
        super().__init__()
        self.layer, self.classes = nn.Conv2d(1, 1, 3, padding=1), nn.Embedding(4, 1)

    def forward(self, z, t, r, y, w, return_v=True, **_):
        made = self.layer(z) + self.classes(y)[..., None, None] * (t - r)[:, None, None, None]
        return (made, made) if return_v else made


flow = MeanFlow(image_size=8, num_classes=3)
network = Network()
if torch.cuda.is_available():
    network.cuda()
device = next(network.parameters()).device
loss, _ = flow.loss(network, torch.rand(4, 1, 8, 8, device=device), torch.arange(4, device=device) % 3)
loss.backward()
flow.sample_each_class(network, 2)
flow.sample_each_class(network, 1, classes=[0, 2], sample_steps=2)
