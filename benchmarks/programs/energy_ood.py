"""An epoch with made-up pictures that are none of the classes (wetliu/energy_ood)."""

import os
import sys
import types
from pathlib import Path

import torch
from made_up import MadeUp, old_loaders, stand_in

stand_in("torchvision")
old_loaders()
os.chdir("CIFAR")
sys.path.insert(0, ".")
import torchvision.datasets  # noqa: E402
from models.wrn import WideResNet  # noqa: E402


class Pictures(MadeUp):
    """Pictures and their classes."""

    item = torch.rand(3, 32, 32), 1
    offset = 0


torchvision.datasets.CIFAR10 = Pictures
sys.modules["utils.tinyimages_80mn_loader"] = others = types.ModuleType("others")
others.TinyImages = Pictures  # type: ignore[attr-defined]
os.makedirs("snapshots/pretrained", exist_ok=True)
torch.save(WideResNet(10, 10, 1, dropRate=0.3).state_dict(), "snapshots/pretrained/cifar10_wrn_pretrained_epoch_0.pt")
program, main = Path("train.py"), {"__name__": "__main__", "__package__": None, "__file__": os.path.abspath("train.py")}
sys.argv = ["train.py", "cifar10", "--model", "wrn", "--layers", "10", "--widen-factor", "1", "--epochs", "1"]
sys.argv += ["--score", "energy"]
exec(compile(program.read_text(), "train.py", "exec"), main)
