"""Noise as a camera makes it, put on made-up pictures (swz30/CycleISP at dc64f64)."""

import sys
from unittest import mock

import skimage
import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("lycon", "torchvision", "natsort")
old_loaders()
sys.modules["skimage.measure.simple_metrics"] = mock.MagicMock()
skimage.measure.compare_ssim = print
import utils  # noqa: E402
from dataloaders import data_rgb  # noqa: E402


class Pictures(MadeUp):
    """Pictures, their names, and what was put around them."""

    item = (torch.rand(3, 32, 32), "made.png", 2, 2)
    size = 2


utils.load_checkpoint = print
data_rgb.get_rgb_data = Pictures
script("generate_rgb_data.py", "--result_dir", "made/")
