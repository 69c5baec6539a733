"""Two epochs of learning to draw made-up images, and two of them fused (hli1221/imagefusion-nestfuse at a8ac170)."""

import sys
import types
from unittest import mock

import numpy
import torch
from made_up import script

misc = types.ModuleType("scipy.misc")
misc.imread = lambda path, mode: (numpy.random.rand(40, 40) * 255).astype("uint8")
misc.imresize = lambda image, size, interp: image
misc.imsave = mock.MagicMock()
sys.modules["scipy.misc"] = misc
import os  # noqa: E402

import args_fusion  # noqa: E402

args_fusion.args.HEIGHT = args_fusion.args.WIDTH = 40
args_fusion.args.save_model_dir_autoencoder = args_fusion.args.save_loss_dir = "made/"
os.makedirs("made/1e2")
made = script("train_autoencoder.py", name="made")
settings = made["main"].__globals__
settings["NestFuse_autoencoder"] = lambda _, *rest: made["NestFuse_autoencoder"]([4, 6, 8, 10, 12], *rest)
settings["train"](2, [f"{one}.png" for one in range(8)])
made = script("test.py", name="made")
settings = made["main"].__globals__
nest = settings["NestFuse_autoencoder"]
settings["NestFuse_autoencoder"] = lambda _, *rest: nest([4, 6, 8, 10, 12], *rest)
torch.save(nest([4, 6, 8, 10, 12], 1, 1, False).state_dict(), "made/model")
model = settings["load_model"]("made/model", False)
with torch.no_grad():
    for kind in ("attention_avg", "attention_max", "attention_nuclear"):
        settings["run_demo"](model, "made.png", "up.png", "made/", 1, kind)
