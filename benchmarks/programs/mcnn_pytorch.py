"""Crowds of made-up pictures counted, one epoch (CommissarMa/MCNN-pytorch at 00a4a5c)."""

import torch
from made_up import MadeUp, script, stand_in

stand_in("visdom", "cv2", "matplotlib")
import my_dataloader  # noqa: E402


class Crowds(MadeUp):
    """Pictures and how dense the crowd is."""

    item = (torch.rand(3, 32, 32), torch.rand(1, 8, 8))


def second(*_):
    """Nothing is saved, and the second time is enough."""
    saved.append(1)
    if len(saved) > 1:
        raise StopIteration


saved: list[int] = []
my_dataloader.CrowdDataset = Crowds
torch.save = second
try:
    script("train.py")
except StopIteration:
    print("an epoch, and its test")
