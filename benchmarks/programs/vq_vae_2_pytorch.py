"""One epoch of compression of made-up images, and of a model of the codes (rosinality/vq-vae-2-pytorch at ef5f67c)."""

import os

import torch
from made_up import MadeUp, script, stand_in

stand_in("torchvision", "lmdb")
import torchvision.datasets  # noqa: E402

MadeUp.item = (torch.rand(3, 32, 32), 3)
torchvision.datasets.ImageFolder = torchvision.datasets.MNIST = MadeUp
os.makedirs("checkpoint", exist_ok=True)
script("train_vqvae.py", "--size", "32", "--epoch", "1", "made")
