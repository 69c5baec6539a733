"""An epoch of drawing made-up pictures again, then one of foreseeing their parts (dome272/VQGAN-pytorch)."""

import os
import shutil
import sys
from types import SimpleNamespace

import torch
from made_up import batches, script, stand_in
from torch import nn

sys.path.insert(0, ".")
stand_in("torchvision", "albumentations", "matplotlib")
import torchvision.models  # noqa: E402

sizes = [3, 64, 64, 128, 128, 256, 256, 256, 512, 512, 512, 512, 512, 512]
after = {2, 4, 7, 10}
layers: list[nn.Module] = []
for number in range(1, len(sizes)):
    layers += [nn.Conv2d(sizes[number - 1], sizes[number], 3, padding=1), nn.ReLU()]
    layers += [nn.MaxPool2d(2)] if number in after else []
torchvision.models.vgg16 = lambda **_: SimpleNamespace(features=nn.Sequential(*layers))
import lpips  # noqa: E402
import mingpt  # noqa: E402
import utils  # noqa: E402

lpips.LPIPS.load_from_pretrained = lambda *_: None
whole = mingpt.GPT
mingpt.GPT = lambda vocab_size, block_size, **_: whole(vocab_size, block_size, n_layer=1, n_head=1, n_embd=8)
pictures = torch.rand(1, 3, 32, 32)
utils.load_data = lambda _: [made[0] for made in batches(2, pictures)]
utils.plot_images = lambda _: None
os.makedirs("results", exist_ok=True)
script("training_vqgan.py", "--epochs", "1", "--num-codebook-vectors", "128")
pictures.resize_(1, 3, 256, 256).uniform_()
shutil.copy("checkpoints/vqgan_epoch_0.pt", r".\checkpoints\vqgan_last_ckpt.pt")
script("training_transformer.py", "--epochs", "1", "--num-codebook-vectors", "128")
