"""One epoch of training with noise, and a certified class (locuslab/smoothing)."""

import sys

import scipy.stats
import torch
from made_up import MadeUp, stand_in

stand_in("torchvision", "setGPU", "statsmodels")
scipy.stats.binom_test = lambda *_, **__: 0.0
sys.modules.pop("code", None)
sys.path.insert(0, "code")
words = "train.py cifar10 cifar_resnet20 made --workers 0 --epochs 1 --batch 2 --noise_sd 0.1"
sys.argv = words.split()
import core  # noqa: E402
import train  # noqa: E402


class Pictures(MadeUp):
    """Pictures of ten classes."""

    def __getitem__(self, index):
        return torch.rand(3, 32, 32), index


train.get_dataset = lambda *_: Pictures()
train.accuracy = lambda *_, **__: (torch.tensor(1.0), torch.tensor(1.0))  # the program's own is for an older torch
core.proportion_confint = lambda *_, **__: (0.9, 1.0)
train.main()
network = train.get_architecture("cifar_resnet20", "cifar10")
smooth = core.Smooth(network, 10, 0.1)
picture = torch.rand(3, 32, 32).to(next(network.parameters()).device)
smooth.certify(picture, 4, 8, 0.1, 4)
smooth.predict(picture, 8, 0.1, 4)
