"""One epoch of diffusion on made-up digits, and its samples (cloneofsimo/minDiffusion at 00a3c80)."""

import torch
from made_up import MadeUp, stand_in

stand_in("torchvision")
import superminddpm  # noqa: E402

MadeUp.item = (torch.rand(1, 28, 28), 3)
superminddpm.MNIST = MadeUp
# A thousand steps take long, so there are three.
superminddpm.DDPM.sample.__globals__["range"] = lambda first, *others: range(min(first, 3), *others)
superminddpm.train_mnist(1)
