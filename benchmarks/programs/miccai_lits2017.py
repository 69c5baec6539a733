"""The liver in made-up slices of bodies, an epoch (assassint2017/MICCAI-LITS2017 at 7419c94)."""

import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("visdom", "SimpleITK")
old_loaders()
import parameter  # noqa: E402
from dataset import dataset  # noqa: E402


class Bodies(MadeUp):
    """Slices of a body, and where its liver is."""

    size = 2
    item = (torch.rand(1, 48, 64, 64), torch.ones(48, 128, 128))


dataset.Dataset = Bodies
parameter.Epoch = 1
script("train_ds.py")
