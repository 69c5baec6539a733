"""Classes of made-up images learned by and by, with the correction of their bias (sairin1202/BIC at 56a34c4)."""

from types import SimpleNamespace

import numpy
import torch
from made_up import stand_in
from torch import nn

stand_in("torchvision", "skimage", "matplotlib")
import trainer  # noqa: E402

images = lambda count, *labels: [(numpy.zeros((32, 32, 3)), one) for one in labels for _ in range(count)]  # noqa: E731
groups = range(50), range(50, 100)
parts = lambda i: (images(18, *groups[i]), images(2, *groups[i]), images(1, *groups[i]))  # noqa: E731
trainer.Cifar100 = lambda: SimpleNamespace(batch_num=2, getNextClasses=parts)
picture = lambda _: torch.rand(3, 32, 32)  # noqa: E731
trainer.Compose = lambda _: picture
trainer.PreResNet = lambda *_: nn.Sequential(
    nn.Conv2d(3, 4, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 100)
)
made = trainer.Trainer(100)
made.train(100, 1, 0.1, 1000)
