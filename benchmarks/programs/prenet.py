"""Two epochs of removing made-up rain, and a test (csdwren/PReNet)."""

import os
import sys

import numpy
import torch
from made_up import MadeUp, old_loaders, script, stand_in

sys.path.insert(0, ".")
stand_in("torchvision", "tensorboardX", "skimage")
old_loaders()
import cv2  # noqa: E402
import DerainDataset  # noqa: E402


class Rain(MadeUp):
    """A picture with rain, and without."""

    item = torch.rand(3, 32, 32), torch.rand(3, 32, 32)


DerainDataset.Dataset = Rain
for folder in ("made", "pictures"):
    os.makedirs(folder, exist_ok=True)
sizes = ["--epochs", "2", "--batch_size", "2", "--recurrent_iter", "2"]
script("train_PReNet.py", "--preprocess", "", "--save_path", "made", *sizes)
cv2.imwrite("pictures/a.png", numpy.random.randint(0, 255, (32, 32, 3)).astype("uint8"))
paths = ["--logdir", "made", "--data_path", "pictures", "--save_path", "results"]
script("test_PReNet.py", *paths, "--recurrent_iter", "2")
