"""A step of generator and discriminator on made-up images (heykeetae/Self-Attention-GAN at 8714a54)."""

import types

import torch
from made_up import batches, labels, old_scalars, script, stand_in

stand_in("torchvision")
old_scalars()
import data_loader  # noqa: E402

images = batches(2, torch.rand(2, 3, 64, 64), labels(2, 2))
data_loader.Data_Loader = lambda *_, **__: types.SimpleNamespace(loader=lambda: images)
script("main.py", "--imsize", "64", "--batch_size", "2", "--total_step", "2", "--log_step", "1")
