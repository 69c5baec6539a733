"""One epoch of contrast between made-up pictures, by a queue and by a memory (HobbitLong/CMC at 7b227be)."""

import argparse
import os
import sys
import types

import torch
from made_up import MadeUp, old_loaders, stand_in

stand_in("torchvision", "tensorboard_logger", "apex", "skimage")
old_loaders()
sys.path.insert(0, ".")


class Small(torch.nn.Module):
    """A model of one layer."""

    def __init__(self, *_, **__):
        """Make the layer."""
        super().__init__()
        self.layer = torch.nn.Linear(3 * 8 * 8, 128)

    def forward(self, pictures, *_):
        """The features of the pictures."""
        return torch.nn.functional.normalize(self.layer(pictures.flatten(1)))


sys.modules["models.resnet"] = types.ModuleType("models.resnet")
sys.modules["models.resnet"].InsResNet50 = Small
sys.argv = ["train_moco_ins.py"]
import train_moco_ins  # noqa: E402

options = {
    "dataset": "imagenet",
    "model_folder": "made",
    "tb_folder": "made",
    "model_name": "made",
    "data_folder": "made",
}
options |= {"learning_rate": 0.03, "lr_decay_epochs": [2], "lr_decay_rate": 0.1, "momentum": 0.9, "weight_decay": 0.0}
options |= {"model": "resnet50", "aug": "NULL", "crop": 0.2, "nce_k": 4, "nce_t": 0.07, "nce_m": 0.5, "alpha": 0.999}
options |= {"batch_size": 2, "num_workers": 0, "epochs": 1, "warm": False, "amp": False, "opt_level": "O1", "gpu": None}
options |= {"print_freq": 1, "save_freq": 1, "resume": ""}
os.makedirs("made", exist_ok=True)
for moco in (True, False):
    item = (torch.rand(6 if moco else 3, 8, 8), 1, 1)
    train_moco_ins.ImageFolderInstance = type("Pictures", (MadeUp,), {"item": item, "size": 4})
    train_moco_ins.parse_option = lambda moco=moco: argparse.Namespace(**options, moco=moco, softmax=moco)
    train_moco_ins.main()
