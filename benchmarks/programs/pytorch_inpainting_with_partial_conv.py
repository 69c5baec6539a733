"""Two steps of filling holes in made-up pictures, and a test (naoto0804/pytorch-inpainting-with-partial-conv)."""

import sys
from types import SimpleNamespace

import torch
from made_up import MadeUp, old_loaders, script, stand_in
from torch import nn

sys.path.insert(0, ".")
stand_in("torchvision", "tensorboardX")
old_loaders()
import torchvision.models  # noqa: E402
import torchvision.utils  # noqa: E402

channels = [(3, 4)] + [(4, 4)] * 7
layers = [one for pair in channels for one in (nn.Conv2d(*pair, 3, padding=1), nn.ReLU())] + [nn.MaxPool2d(2)]
torchvision.models.vgg16 = lambda **_: SimpleNamespace(features=nn.Sequential(*layers))
torchvision.utils.make_grid = lambda pictures: pictures
import places2  # noqa: E402


class Pictures(MadeUp):
    """A picture with holes, where they are, and the whole."""

    item = torch.rand(3, 256, 256), (torch.rand(3, 256, 256) > 0.5).float(), torch.rand(3, 256, 256)
    size = 8


places2.Places2 = Pictures
folders = ["--save_dir", "made", "--log_dir", "made"]
script("train.py", *folders, "--max_iter", "2", "--batch_size", "1", "--log_interval", "1", "--vis_interval", "2")
