"""How labels go wrong is estimated and then revised, on made-up digits (xiaoboxia/T-Revision at b598cf2)."""

import numpy
import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("torchvision")
old_loaders()
import data_load  # noqa: E402


class Digits(MadeUp):
    """Digits."""

    item = (torch.rand(1, 28, 28), 1)


percentile = numpy.percentile
numpy.percentile = lambda *given, interpolation: percentile(*given, method=interpolation)
data_load.mnist_dataset = data_load.mnist_test_dataset = Digits
made = script("main.py", "--batch_size", "2", "--n_epoch_revision", "1", name="made")
made["args"].n_epoch, made["args"].n_epoch_estimate = 1, 2
made["main"]()
