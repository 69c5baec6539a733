"""Six epochs of removing noise from made-up pictures (swz30/MIRNet)."""

import builtins
import sys
import types
from pathlib import Path

import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("natsort", "tqdm")
old_loaders()
sys.path.insert(0, ".")
import tqdm  # noqa: E402

tqdm.tqdm = lambda items: items
settings = Path("training.yml").read_text().replace("NUM_EPOCHS: 60", "NUM_EPOCHS: 6")
Path("training.yml").write_text(settings.replace("BATCH_SIZE: 16", "BATCH_SIZE: 1"))
sys.modules["warmup_scheduler"] = warm = types.ModuleType("warmup_scheduler")


class Warming(torch.optim.lr_scheduler.LambdaLR):
    """A rate that stays as it is."""

    def __init__(self, optimizer, **_):
        super().__init__(optimizer, lambda _: 1.0)


warm.GradualWarmupScheduler = Warming  # type: ignore[attr-defined]
from dataloaders import data_rgb  # noqa: E402
from networks import MIRNet_model  # noqa: E402


class Pictures(MadeUp):
    """Pictures without noise and with it."""

    size = 8
    item = torch.rand(3, 16, 16), torch.rand(3, 16, 16), "a", "b"


data_rgb.get_training_data = data_rgb.get_validation_data = Pictures
MIRNet_model.MIRNet.__init__.__defaults__ = 3, 3, 16, 3, 2, 1, 1, 3, 2, False  # a small one
builtins.warmup = True  # type: ignore[attr-defined]  # which the program reads, and nobody sets
script("train_denoising.py")
