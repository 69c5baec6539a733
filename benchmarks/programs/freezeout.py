"""Two epochs of a network whose first layers freeze, on made-up pictures, with tests (ajbrock/FreezeOut at 73beea1)."""

import os
import pathlib
import sys
import types

import torch
from made_up import MadeUp, labels, old_scalars, script, stand_in

old_scalars()
stand_in("torchvision")
sys.modules["path"] = types.ModuleType("path")
sys.modules["path"].Path = pathlib.Path
sys.path.insert(0, ".")
os.makedirs("logs", exist_ok=True)
import utils  # noqa: E402

item = (torch.rand(3, 32, 32), labels(1, 10)[0])
loader = torch.utils.data.DataLoader(type("Pictures", (MadeUp,), {"item": item, "size": 4})(), batch_size=2)
utils.get_data_loader = lambda *_, **__: (loader, loader)
script(
    "train.py", "--depth", "10", "--which_dataset", "10", "--epochs", "2", "--batch_size", "2", "--model", "densenet"
)
