"""Hashes of made-up pictures learnt and looked up, one epoch (swuxyj/DeepHash-pytorch at ab14068)."""

import torch
from made_up import MadeUp, script, stand_in
from torch import nn

stand_in("torchvision", "PIL")
torch.multiprocessing.set_sharing_strategy = print


class Pictures(MadeUp):
    """Pictures with a class of ten, and their number."""

    size = 8

    def __getitem__(self, index):
        return torch.rand(3, 16, 16), torch.eye(10)[index], index


def loaders(_):
    """What to learn from, to ask for and to find, and how much of each."""
    return *(torch.utils.data.DataLoader(Pictures(), batch_size=4) for _ in range(3)), 8, 8, 8


made = script("DSH.py", name="made")
made["train_val"].__globals__["get_data"] = loaders
settings = made["get_config"]()
settings.update(epoch=1, test_map=1, net=lambda bits: nn.Sequential(nn.Flatten(), nn.Linear(768, bits)))
made["train_val"](settings, 12)
