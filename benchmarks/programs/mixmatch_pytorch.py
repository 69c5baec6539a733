"""Two epochs on made-up pictures, of which few have a class (YU1ut/MixMatch-pytorch)."""

import sys

import torch
from made_up import MadeUp, old_loaders, script, stand_in

sys.path.insert(0, ".")
stand_in("torchvision", "progress", "matplotlib")
old_loaders()
import utils  # noqa: E402

from unittest import mock  # noqa: E402  isort: skip
from dataset import cifar10  # noqa: E402

torch.Tensor.view = lambda self, *shape: self.reshape(*shape)  # type: ignore[method-assign,assignment]
utils.Bar = mock.MagicMock()
picture = torch.rand(3, 32, 32)


class Labelled(MadeUp):
    """Pictures and their classes."""

    item = picture, 1


class Unlabelled(MadeUp):
    """Pictures, twice."""

    item = (picture, picture), -1


cifar10.get_cifar10 = lambda *_, **__: (Labelled(), Unlabelled(), Labelled(), Labelled())
script("train.py", "--epochs", "2", "--batch-size", "2", "--train-iteration", "2", "--gpu", "0")
