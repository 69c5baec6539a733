"""Warming up on made-up pictures with wrong labels, then two epochs of two networks (LiJunnan1992/DivideMix)."""

import os
import sys

import torch
from made_up import MadeUp, old_loaders, script, stand_in

sys.path.insert(0, ".")
stand_in("torchvision", "torchnet")
old_loaders()
import dataloader_cifar  # noqa: E402

picture = torch.rand(3, 32, 32)


def made(count, *item):
    """A loader of the same item."""
    return torch.utils.data.DataLoader(type("Items", (MadeUp,), {"item": item, "size": count})(), batch_size=2)


class Loaders:
    """The loaders that each part of the training asks for."""

    def __init__(self, *_, **__):
        """There is nothing to read."""

    def run(self, mode, *_):
        """A loader, or two."""
        if mode == "train":
            return made(4, picture, picture, 1, 0.7), made(4, picture, picture)
        if mode == "eval_train":
            return [(torch.rand(2, 3, 32, 32), torch.tensor([0, 1]), torch.tensor([n, n + 1])) for n in (0, 2)]
        return made(4, picture, 1) if mode == "test" else made(4, picture, 1, 0)


dataloader_cifar.cifar_dataloader = Loaders
os.makedirs("checkpoint", exist_ok=True)
script("Train_cifar.py", "--batch_size", "2", "--num_epochs", "11", "--lr", "0.0001")
