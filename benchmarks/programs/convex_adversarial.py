"""An epoch of robust training of each kind on made-up digits (locuslab/convex_adversarial at 2cd8149)."""

import os
import sys

import torch
from made_up import MadeUp, old_scalars, stand_in

old_scalars()
stand_in("torchvision", "setproctitle")
sys.path[:0] = [os.getcwd(), os.path.abspath("examples")]
sys.argv = ["mnist.py"]
import problems  # noqa: E402

item = (torch.rand(1, 28, 28), 3)
loader = torch.utils.data.DataLoader(type("Digits", (MadeUp,), {"item": item, "size": 2})(), batch_size=2)
problems.mnist_loaders = lambda *_, **__: (loader, loader)
from made_up import script  # noqa: E402

step = torch.optim.lr_scheduler.StepLR.step
torch.optim.lr_scheduler.StepLR.step = lambda self, epoch=None: step(self)
os.makedirs("made", exist_ok=True)
sizes = ["--epochs", "1", "--schedule_length", "1", "--proj", "4", "--prefix", "made/one"]
sizes += ["--norm_train", "l1_median", "--norm_test", "l1_median"]
for method in ("robust", "baseline", "madry"):
    script("examples/mnist.py", "--method", method, *sizes)
