"""Two steps of adapting a made-up network, and its test (valeoai/ADVENT)."""

import torch
from made_up import stand_in
from torch import nn

stand_in("torchvision", "tensorboardX", "PIL", "easydict")
import easydict  # noqa: E402


class Names(dict):
    """A dictionary whose entries are attributes as well."""

    __getattr__, __setattr__ = dict.__getitem__, dict.__setitem__


easydict.EasyDict = Names
from advent.domain_adaptation import train_UDA  # noqa: E402
from advent.domain_adaptation.config import cfg  # noqa: E402


class Network(nn.Module):
    """One layer in the place of the network."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, cfg.NUM_CLASSES, 1)

    def forward(self, x):
        """The classes of all points, twice."""
        return self.layer(x), self.layer(x)

    def optim_parameters(self, _):
        """All that is learnt."""
        return self.parameters()


cfg.TRAIN.INPUT_SIZE_SOURCE = cfg.TRAIN.INPUT_SIZE_TARGET = (64, 64)
cfg.TRAIN.EARLY_STOP, cfg.TRAIN.SAVE_PRED_EVERY = 1, 5
cfg.TRAIN.TENSORBOARD_LOGDIR = "made"
picture = torch.rand(1, 3, 64, 64), torch.zeros(1, 64, 64), torch.ones(1), ["made"]
train_UDA.train_advent(Network(), [picture] * 2, [picture] * 2, cfg)
