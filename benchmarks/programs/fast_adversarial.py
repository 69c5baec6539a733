"""Adversarial training on made-up digits."""

import torch
from made_up import MadeUp, script, stand_in

stand_in("torchvision")
import torchvision.datasets  # noqa: E402

MadeUp.item = (torch.rand(1, 28, 28), 3)
torchvision.datasets.MNIST = MadeUp
for attack in ("fgsm", "none"):
    script("MNIST/train_mnist.py", "--epochs", "1", "--batch-size", "2", "--attack", attack)
