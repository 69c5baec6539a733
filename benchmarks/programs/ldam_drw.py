"""Two epochs on made-up pictures, of some classes few (kaidic/LDAM-DRW)."""

import sys

import numpy
import torch
from made_up import MadeUp, labels, old_loaders, script, stand_in

sys.path.insert(0, ".")
stand_in("torchvision", "tensorboardX")
old_loaders()
import torchvision.datasets  # noqa: E402


class Pictures(MadeUp):
    """Pictures and their classes."""

    size = 20

    def __init__(self, *_, **__):
        super().__init__()
        self.data = numpy.zeros((200, 32, 32, 3), dtype="uint8")
        self.targets = labels(200, 10).tolist()

    def __getitem__(self, index):
        return torch.rand(3, 32, 32), index % 10


torchvision.datasets.CIFAR10 = Pictures
torch.Tensor.view = lambda self, *shape: self.reshape(*shape)  # type: ignore[method-assign,assignment]
sizes = ["--epochs", "2", "--batch-size", "4", "--workers", "0", "--imb_factor", "0.1"]
script("cifar_train.py", "--loss_type", "LDAM", "--train_rule", "DRW", *sizes)
