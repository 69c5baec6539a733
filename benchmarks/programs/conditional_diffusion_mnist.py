"""Two epochs of removing noise from made-up digits, and drawing some (TeaPearce/Conditional_Diffusion_MNIST)."""

import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("torchvision", "matplotlib")
old_loaders()
import torchvision.datasets  # noqa: E402
import torchvision.utils  # noqa: E402

from unittest import mock  # noqa: E402  isort: skip
import matplotlib.pyplot  # noqa: E402


class Digits(MadeUp):
    """Digits and which they are."""

    item = torch.rand(1, 28, 28), 1


torchvision.datasets.MNIST = Digits
matplotlib.pyplot.subplots = lambda **_: (mock.MagicMock(), mock.MagicMock())
made = script("script.py", name="made")
settings = made["train_mnist"].__globals__
network, process = made["ContextUnet"].__init__, made["DDPM"].__init__
made["ContextUnet"].__init__ = lambda self, n_feat, **rest: network(self, n_feat=8, **rest)
made["DDPM"].__init__ = lambda self, n_T, **rest: process(self, n_T=2, **rest)
settings["range"] = lambda *limits: range(min(limits[0], 2)) if len(limits) == 1 else range(*limits)
made["train_mnist"]()
