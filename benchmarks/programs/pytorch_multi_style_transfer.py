"""Two epochs of painting made-up pictures in made-up styles (zhanghang1989/PyTorch-Multi-Style-Transfer)."""

import os
import sys

import numpy
import torch
from made_up import MadeUp, old_loaders, old_scalars, script, stand_in
from PIL import Image

os.chdir("experiments")
sys.path.insert(0, ".")
stand_in("torchvision", "torchfile")
old_loaders()
old_scalars()
import net  # noqa: E402
import torchvision.datasets  # noqa: E402


class Pictures(MadeUp):
    """Pictures and their classes."""

    item = torch.rand(3, 32, 32) * 255, 1


torchvision.datasets.ImageFolder = Pictures
Image.ANTIALIAS = Image.LANCZOS  # type: ignore[attr-defined]
os.makedirs("styles", exist_ok=True)
Image.fromarray(numpy.random.randint(0, 255, (32, 32, 3)).astype("uint8")).save("styles/a.png")
os.makedirs("models", exist_ok=True)
torch.save(net.Vgg16().state_dict(), "models/vgg16.weight")
sizes = ["--ngf", "8", "--epochs", "2", "--batch-size", "2", "--style-size", "32", "--image-size", "32"]
script("main.py", "train", "--style-folder", "styles", *sizes)
