"""Two steps of removing noise from made-up pictures, and drawing some (w86763777/pytorch-ddpm)."""

import sys

import torch
from made_up import MadeUp, old_loaders, script, stand_in

sys.path.insert(0, ".")
stand_in("torchvision", "tensorboardX")
old_loaders()
import torchvision.datasets  # noqa: E402
import torchvision.utils  # noqa: E402


class Pictures(MadeUp):
    """Pictures and their classes."""

    item = torch.rand(3, 16, 16), 1


torchvision.datasets.CIFAR10 = Pictures
torchvision.utils.make_grid = lambda pictures: pictures
sys.modules["score.both"] = type(sys)("score.both")
sys.modules["score.both"].get_inception_and_fid_score = lambda *_, **__: ((1.0, 0.1), 2.0)  # type: ignore[attr-defined]
sizes = ["--ch=32", "--ch_mult=1", "--ch_mult=2", "--attn=1", "--num_res_blocks=1", "--T=3", "--img_size=16"]
counts = ["--total_steps=2", "--batch_size=2", "--sample_size=2", "--sample_step=1", "--num_images=2"]
try:
    script("main.py", "--train", "--eval", "--logdir=made", *sizes, *counts)
except SystemExit as done:
    if done.code:
        raise
