"""Two epochs on made-up pictures cut and mixed (clovaai/CutMix-PyTorch)."""

import numpy
import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("torchvision")
old_loaders()
numpy.int = int  # type: ignore[attr-defined]
import torchvision.datasets  # noqa: E402


class Pictures(MadeUp):
    """Pictures and their classes."""

    item = torch.rand(3, 32, 32), 1


torchvision.datasets.CIFAR10 = Pictures
torch.Tensor.view = lambda self, *shape: self.reshape(*shape)  # type: ignore[method-assign,assignment]
sizes = ["--net_type", "pyramidnet", "--depth", "20", "--alpha", "12", "-b", "2", "--epochs", "2"]
script("train.py", "--dataset", "cifar10", "--beta", "1.0", "--cutmix_prob", "1.0", *sizes)
