"""Pictures made of made-up pictures, an epoch, and how it went (znxlwm/pytorch-pix2pix at 3059f2a)."""

import sys
from unittest import mock

import numpy
import torch
from made_up import script, stand_in

stand_in("torchvision", "imageio", "matplotlib")
read = torch.Tensor.__getitem__  # a loss was read as data[0], which gave a number
torch.Tensor.__getitem__ = lambda self, index: read(self, index) if self.dim() else self.item()  # type: ignore[method-assign,assignment]
sys.modules["scipy.misc"] = mock.MagicMock(imresize=lambda image, size: numpy.ones((*size, 3)))
import util  # noqa: E402

util.data_load = lambda *_, **__: [(torch.rand(1, 3, 256, 512), torch.zeros(1))]
util.show_result = lambda network, pictures, *_, **__: print(network(pictures).mean())
script("pytorch_pix2pix.py", "--train_epoch", "1", "--ngf", "2", "--ndf", "2")
