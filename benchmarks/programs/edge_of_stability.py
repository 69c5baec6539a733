"""Two steps of plain descent, and how sharp the loss is there (locuslab/edge-of-stability at 5fa3ece)."""

import os
import sys

import torch
from made_up import labels, script, stand_in

stand_in("torchvision", "torchdiffeq")
os.environ |= {"RESULTS": "made", "DATASETS": "made"}
sys.path.insert(0, "src")
import data  # noqa: E402

pictures = torch.utils.data.TensorDataset(torch.rand(6, 3, 32, 32), labels(6, 10))
data.load_dataset = lambda *_: (pictures, pictures)
sizes = "--neigs 2 --eig_freq 1 --nproj 2 --iterate_freq 1 --save_freq 1 --physical_batch_size 3 --abridged_size 4"
script("src/gd.py", "cifar10-5k", "fc-tanh", "ce", "0.01", "2", *sizes.split())
