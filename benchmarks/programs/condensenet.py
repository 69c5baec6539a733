"""Layers that become sparse as they learn pictures, two epochs (ShichenLiu/CondenseNet at 833a91d)."""

import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("torchvision")
old_loaders()
torch.Tensor.view = torch.Tensor.reshape  # type: ignore[method-assign,assignment]
import torchvision.datasets as datasets  # noqa: E402


class Pictures(MadeUp):
    """Pictures."""

    item = (torch.rand(3, 32, 32), 1)


datasets.CIFAR10 = Pictures
options = "--model condensenet --epochs 2 -b 2 --stages 2-2-2 --growth 8-8-8 --gpu 0 --group-lasso-lambda 0.1"
script("main.py", *options.split(), "cifar10")
