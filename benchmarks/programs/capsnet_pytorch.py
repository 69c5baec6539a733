"""One epoch of a capsule network on made-up digits, with its test (XifengGuo/CapsNet-Pytorch at 8a5a357)."""

import torch
from made_up import MadeUp, old_scalars, script, stand_in

old_scalars()
stand_in("torchvision")
import torchvision.datasets  # noqa: E402

MadeUp.item = (torch.rand(1, 28, 28), 3)
torchvision.datasets.MNIST = MadeUp
script("capsulenet.py", "--epochs", "1", "--batch_size", "2")
