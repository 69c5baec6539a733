"""A made-up model pruned to half its channels (foolwood/pytorch-slimming)."""

import torch
from made_up import MadeUp, script, stand_in
from vgg import vgg

stand_in("torchvision")
import torchvision.datasets  # noqa: E402

MadeUp.item = (torch.rand(3, 32, 32), 3)
torchvision.datasets.CIFAR10 = MadeUp
state = {name: torch.rand_like(one) if one.dim() == 1 else one for name, one in vgg().state_dict().items()}
torch.save({"epoch": 1, "best_prec1": 0.5, "state_dict": state}, "trained.pt")
script("prune.py", "--test-batch-size", "2", "--model", "trained.pt", "--save", "pruned.pt")
