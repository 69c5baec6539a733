"""A made-up classifier tested on two made-up hard pictures (hendrycks/natural-adv-examples at 0777070)."""

import sys

import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("torchvision")
old_loaders()
sys.path.insert(0, ".")
import torchvision.datasets  # noqa: E402
import torchvision.models  # noqa: E402

torchvision.datasets.ImageFolder = type("ImageFolder", (MadeUp,), {"item": (torch.rand(3, 8, 8), 1), "size": 400})
torchvision.models.densenet121 = lambda **_: torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(192, 1000))
script("eval.py")
