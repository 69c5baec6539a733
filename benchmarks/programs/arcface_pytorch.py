"""Two epochs on made-up faces, and a test with pairs of them (ronghuaiyang/arcface-pytorch)."""

import os
import sys
from pathlib import Path

import numpy
import torch
from made_up import MadeUp, old_loaders, script, stand_in

sys.path[:0] = ["config", ".", "data", "models", "utils"]
stand_in("torchvision", "visdom", "torchsummary", "graphviz")
old_loaders()
import cv2  # noqa: E402
import data  # noqa: E402
from config import Config  # noqa: E402


class Faces(MadeUp):
    """Faces and whose they are."""

    item = torch.rand(1, 128, 128), 1


data.Dataset = Faces
cv2.imread = lambda *_: numpy.random.randint(0, 255, (128, 128)).astype("uint8")
Path("pairs.txt").write_text("a.jpg b.jpg 1\na.jpg c.jpg 0\n")
os.makedirs("checkpoints", exist_ok=True)
Config.lfw_root, Config.lfw_test_list, Config.num_classes = "", "pairs.txt", 5
Config.train_batch_size, Config.test_batch_size, Config.max_epoch, Config.print_freq = 2, 2, 2, 1
script("train.py")
