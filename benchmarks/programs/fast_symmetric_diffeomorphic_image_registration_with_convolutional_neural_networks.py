"""Made-up brains laid over each other, two steps (cwmok/Fast-Symmetric-… at e59968b)."""

import os
import sys

import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("nibabel")
old_loaders()
os.chdir("Code")
sys.path.insert(0, ".")
import Functions  # noqa: E402


class Brains(MadeUp):
    """Two brains."""

    item = (torch.rand(1, 32, 32, 32), torch.rand(1, 32, 32, 32))


grid = Functions.generate_grid
Functions.generate_grid = lambda _: grid((32, 32, 32))
Functions.Dataset_epoch = Brains
script("Train_sym_onepass.py", "--iteration", "1", "--start_channel", "1")
