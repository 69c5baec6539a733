"""One step of diffusion over the values of made-up digits, and its samples (cloneofsimo/d3pm at 3ceb637)."""

import os
import sys

import torch
from made_up import MadeUp, old_loaders, stand_in

stand_in("torchvision")
old_loaders()
import torchvision.datasets  # noqa: E402
import torchvision.utils  # noqa: E402

item = (torch.rand(1, 32, 32), 3)
torchvision.datasets.MNIST = type("MNIST", (MadeUp,), {"item": item, "size": 2})
torchvision.utils.make_grid = lambda images, **_: images[0].expand(3, -1, -1)
os.makedirs("contents", exist_ok=True)
with open("d3pm_runner.py", encoding="utf-8") as file:
    text = file.read()
text = text.replace("N), 1000,", "N), 4,").replace("n_epoch = 400", "n_epoch = 1").replace("stride=40", "stride=1")
sys.argv = ["d3pm_runner.py"]
exec(compile(text, "d3pm_runner.py", "exec"), {"__name__": "__main__"})
