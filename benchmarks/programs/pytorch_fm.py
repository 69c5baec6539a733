"""Two epochs of the prediction of made-up clicks, with their tests (rixwew/pytorch-fm at f74ad19)."""

import os
import sys

import numpy
import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("lmdb")
old_loaders()
sys.path.insert(0, ".")
import torchfm.dataset.criteo  # noqa: E402


class Clicks(MadeUp):
    """Numbers of fields, and whether there was a click."""

    size = 200
    field_dims = numpy.array([4, 5, 6])

    def __getitem__(self, index):
        return torch.randint(0, 4, (3,)).numpy(), numpy.int64(index % 2)


torchfm.dataset.criteo.CriteoDataset = Clicks
os.makedirs("chkpt", exist_ok=True)
for model in ("afi", "fm", "dfm"):
    script("examples/main.py", "--model_name", model, "--epoch", "2", "--batch_size", "20")
