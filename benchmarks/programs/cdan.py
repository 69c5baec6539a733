"""Two epochs of adapting made-up digits (thuml/CDAN)."""

import os
import sys
from pathlib import Path

import numpy
import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("torchvision")
old_loaders()
numpy.float = float  # type: ignore[attr-defined]
os.chdir("pytorch")
lists = Path("../data/usps2mnist")
lists.mkdir(parents=True, exist_ok=True)
for name in ("usps_train", "mnist_train", "mnist_test"):
    (lists / f"{name}.txt").write_text("made 1\n")


class Digits(MadeUp):
    """Pictures of digits."""

    item = torch.rand(1, 28, 28), 1


sys.path.insert(0, ".")
import data_list  # noqa: E402

data_list.ImageList = Digits
script("train_uspsmnist.py", "CDAN-E", "--gpu_id", "0", "--epochs", "2", "--batch_size", "2")
