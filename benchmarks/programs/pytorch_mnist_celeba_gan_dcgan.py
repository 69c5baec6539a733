"""All epochs on four made-up digits (znxlwm/pytorch-MNIST-CelebA-GAN-DCGAN)."""

import torch
from made_up import MadeUp, script, stand_in

stand_in("torchvision", "matplotlib", "imageio")
read = torch.Tensor.__getitem__
torch.Tensor.__getitem__ = lambda self, index: read(self, index) if self.dim() else self.item()  # type: ignore[method-assign,assignment]
import matplotlib.pyplot  # noqa: E402
import torchvision.datasets  # noqa: E402

from unittest import mock  # noqa: E402  isort: skip


class Digits(MadeUp):
    """Digits and which they are."""

    item = torch.rand(1, 28, 28), 1


torchvision.datasets.MNIST = Digits
loss = torch.nn.functional.binary_cross_entropy
torch.nn.BCELoss.forward = lambda _, found, real: loss(found, real.view_as(found))  # type: ignore[method-assign]
matplotlib.pyplot.subplots = lambda *_, **__: (mock.MagicMock(), mock.MagicMock())
script("pytorch_MNIST_GAN.py")
