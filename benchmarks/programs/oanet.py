"""Which points of two made-up pictures are the same, two steps (zjhthu/OANet at 5d509bd)."""

import os
import sys

import torch
from made_up import stand_in

os.chdir("core")
sys.path.insert(0, ".")
stand_in("transformations", "six")
torch.symeig = lambda matrix, _: torch.linalg.eigh(matrix)  # type: ignore[attr-defined]
import config  # noqa: E402
import oan  # noqa: E402
import train  # noqa: E402

sizes = "--net_depth 4 --clusters 5 --net_channels 8 --train_iter 2"
steps = "--val_intv 10 --save_intv 2 --loss_essential_init_iter 1"
sys.argv = ["main.py", *sizes.split(), *steps.split()]
options, _ = config.get_config()
options.log_path = "."
seen = {"xs": torch.rand(2, 1, 20, 4), "ys": torch.rand(2, 20, 2) / 1000, "virtPts": torch.rand(2, 6, 4)}
torch.manual_seed(0)
train.train(oan.OANet(options), [{**seen, "Rs": torch.rand(2, 3, 3), "ts": torch.rand(2, 3)}], [], options)
