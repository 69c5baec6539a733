"""Meta-training on made-up images, with tests (icoz69/DeepEMD at 5f96d86)."""

import os
import sys
from unittest import mock

import torch
from made_up import MadeUp, old_loaders, script, stand_in
from torch import nn

stand_in("torchvision", "qpth")
sys.modules["torch.utils.tensorboard"] = mock.MagicMock()
old_loaders()
for name in ("Models", "Models.utils"):
    sys.modules.pop(name, None)
from Models.dataloader import data_utils  # noqa: E402
from Models.models import Network  # noqa: E402


class Images(MadeUp):
    """Images of two classes."""

    size = 16

    def __init__(self, *_):
        super().__init__()
        self.label, self.num_class = [0, 1] * 8, 2

    def __getitem__(self, index):
        return torch.rand(3, 8, 8), index % 2


class Encoder(nn.Module):
    """A small network in the place of the large one."""

    def __init__(self, **_):
        super().__init__()
        self.layer = nn.Conv2d(3, 640, 3, stride=4, padding=1)

    def forward(self, x):
        return self.layer(x)


data_utils.set_up_datasets = lambda args: setattr(args, "num_class", 2) or Images
Network.ResNet = Encoder
os.makedirs("miniimagenet/resnet12")
sizes = ["-max_epoch=2", "-way=2", "-query=2", "-val_frequency=2", "-val_episode=2", "-test_episode=2", "-gpu=0"]
script("train_pretrain.py", "-max_epoch=2", "-way=2", "-query=2", "-num_episode=2", "-gpu=0", "-bs=8")
weights = {f"encoder.{name}": value for name, value in Encoder().state_dict().items()}
torch.save({"params": weights}, "miniimagenet/resnet12/max_acc.pth")
script("train_meta.py", "-pretrain_dir=.", *sizes)
