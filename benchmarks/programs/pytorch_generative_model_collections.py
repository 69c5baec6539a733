"""One epoch of five GANs on made-up digits (znxlwm/pytorch-generative-model-collections at 0d183bb)."""

import torch
from made_up import MadeUp, script, stand_in

stand_in("torchvision", "imageio", "scipy", "matplotlib")
import dataloader  # noqa: E402
import utils  # noqa: E402

MadeUp.item = (torch.rand(1, 28, 28), 3)
dataloader.dataloader = lambda *_: torch.utils.data.DataLoader(MadeUp(), batch_size=2)
utils.save_images = utils.generate_animation = utils.loss_plot = lambda *_: None
for kind in ("GAN", "CGAN", "ACGAN", "WGAN", "LSGAN"):
    script("main.py", "--gan_type", kind, "--epoch", "1", "--batch_size", "2")
