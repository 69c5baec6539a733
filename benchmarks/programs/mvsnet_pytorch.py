"""An epoch of depths of made-up views, and their test (xy-guo/MVSNet_pytorch at e0f2ae3)."""

import sys
import types

import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("torchvision", "tensorboardX")
old_loaders()
pose = torch.eye(4).expand(3, 4, 4).clone()
views = {
    "imgs": torch.rand(3, 3, 32, 32),
    "proj_matrices": pose,
    "depth": torch.rand(8, 8) + 1,
    "mask": torch.ones(8, 8),
    "depth_values": torch.linspace(1, 2, 8),
    "filename": "made/{}/up",
}


class Views(MadeUp):
    """Views of one scene."""

    def __getitem__(self, index):
        return views


made = types.ModuleType("datasets")
made.find_dataset_def = lambda name: Views
sys.modules["datasets"] = made
script("train.py", "--batch_size=2", "--epochs=1", "--numdepth=8", "--logdir=.")
script("train.py", "--batch_size=2", "--mode=test", "--loadckpt=model_000000.ckpt")
