"""One epoch of classification of made-up images, and its fine-tuning (hendrycks/outlier-exposure at e6ede98)."""

import torch
from made_up import MadeUp, script, stand_in

stand_in("torchvision", "skimage")
import torchvision.datasets  # noqa: E402

MadeUp.item = (torch.rand(3, 32, 32), 3)
torchvision.datasets.CIFAR10 = MadeUp
script("CIFAR/baseline.py", "cifar10", "--epochs", "1", "--batch_size", "2")
