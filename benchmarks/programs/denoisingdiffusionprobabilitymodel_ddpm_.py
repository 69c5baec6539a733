"""Ten epochs of diffusion, and samples (zoubohao/DenoisingDiffusionProbabilityModel-ddpm- at 54532d6)."""

import os

import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("torchvision")
old_loaders()
import torchvision.datasets  # noqa: E402

MadeUp.item = (torch.rand(3, 32, 32), 3)
torchvision.datasets.CIFAR10 = MadeUp
for folder in ("Checkpoints", "SampledImgs"):
    os.makedirs(folder, exist_ok=True)
made = script("Main.py", name="made")
settings = made["main"].__globals__
whole = {"train": settings["train"], "eval": settings["eval"]}
small = {"epoch": 10, "batch_size": 2, "T": 4, "channel": 32, "channel_mult": [1, 2], "attn": [1], "num_res_blocks": 1}
settings["train"] = lambda config: whole["train"]({**config, **small})
made["main"]()
settings["train"] = lambda config: whole["eval"]({**config, **small, "test_load_weight": "ckpt_0_.pt"})
made["main"]()
