"""Two epochs of a network of binary weights on made-up images (itayhubara/BinaryNet.pytorch at 80f6d46)."""

import pandas
import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("torchvision", "bokeh")
old_loaders()
pandas.DataFrame.append = lambda self, other, **_: pandas.concat([self, other])  # type: ignore[attr-defined]
torch.autograd.Variable = lambda data, **_: data  # type: ignore[assignment,misc]
import data  # noqa: E402

MadeUp.item = (torch.rand(3, 32, 32), 3)
MadeUp.size = 8
data.get_dataset = lambda *_: MadeUp()
flags = ["--dataset=cifar10", "--epochs=2", "--batch-size=4", "--save=made"]
script("main_binary.py", "--model=vgg_cifar10_binary", *flags)
