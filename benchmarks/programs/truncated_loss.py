"""Ten epochs with labels some of which are wrong, and their tests (AlanChou/Truncated-Loss at fef5908)."""

import io
import os

import torch
from made_up import MadeUp, script, stand_in

stand_in("torchvision")
os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"
os.popen = lambda *_: io.StringIO("24 80")
loader = torch.utils.data.DataLoader
torch.utils.data.DataLoader = lambda dataset, **_: loader(dataset, 2)
from data import cifar  # noqa: E402
from models import resnet  # noqa: E402


class Pictures(MadeUp):
    """Pictures, what they show, and their numbers."""

    def __getitem__(self, index):
        return torch.rand(3, 32, 32), index, index


cifar.CIFAR10 = Pictures
resnet.ResNet34 = lambda classes: resnet.ResNet(resnet.BasicBlock, [1, 1, 1, 1], classes)
script("main.py", "--epochs", "10", "--start_prune", "10", "--schedule", "5")
