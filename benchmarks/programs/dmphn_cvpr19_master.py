"""Blurred pictures made sharp, patch by patch, one epoch (HongguangZhang/DMPHN-cvpr19-master at 9fff261)."""

import os

import torch
from made_up import MadeUp, script, stand_in

stand_in("torchvision", "PIL", "skimage")
import datasets  # noqa: E402


class Pictures(MadeUp):
    """Pictures, blurred and sharp."""

    size = 2
    item = {name: torch.rand(3, 32, 32) for name in ("blur_image", "sharp_image")}  # type: ignore[assignment]


datasets.GoProDataset = Pictures
os.makedirs("checkpoints", exist_ok=True)
script("DMPHN_1_2_4.py", "--epochs", "1", name="made")["main"]()
