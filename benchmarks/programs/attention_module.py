"""Steps of classification of made-up images, with the evaluation (Jongchan/attention-module at 459efad)."""

import builtins

from made_up import MadeUp, old_scalars, script, stand_in

stand_in("torchvision")
import torch  # noqa: E402
import torchvision.datasets  # noqa: E402

old_scalars()
transposed = torch.Tensor.t
torch.Tensor.t = lambda self: transposed(self).contiguous()  # the program was written for an older torch
builtins.size0 = 224  # which the script does not define
MadeUp.item = (torch.rand(3, 224, 224), 1)
torchvision.datasets.ImageFolder = MadeUp
sizes = ["--depth", "18", "--epochs", "1", "--batch-size", "2", "--workers", "0", "--ngpu", "1"]
script("train_imagenet.py", "made", "--prefix", "made", "--att-type", "CBAM", *sizes)
