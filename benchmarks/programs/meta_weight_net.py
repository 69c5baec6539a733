"""How much made-up pictures with wrong labels count, an epoch and its test (xjtushujun/meta-weight-net at 3f1800f)."""

import torch
from made_up import MadeUp, script, stand_in

stand_in("torchvision")
import load_corrupted_data  # noqa: E402


class Pictures(MadeUp):
    """Pictures, and what they show."""

    size = 2
    item = (torch.rand(3, 32, 32), 1)


load_corrupted_data.CIFAR10 = Pictures
script("MW-Net.py", "--epochs", "1", "--batch_size", "2")
