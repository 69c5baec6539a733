"""All six stages on made-up images (LiheYoung/ST-PlusPlus at f4e7a57)."""

import os

import torch
from made_up import MadeUp, old_loaders, script, stand_in
from PIL import Image
from torch import nn

stand_in("torchvision")
old_loaders()
from dataset import semi  # noqa: E402
from model.semseg import deeplabv3plus  # noqa: E402


class Images(MadeUp):
    """Images with a mask each, and a name where they are not trained with."""

    size = 2

    def __init__(self, name, root, mode, *_):
        super().__init__()
        self.mode, self.ids = mode, ["a a.png", "b b.png"]

    def __len__(self):
        return len(self.ids) if self.mode == "train" else 2

    def __getitem__(self, index):
        made = torch.rand(3, 8, 8), torch.zeros(8, 8).long()
        return made if "train" in self.mode else (*made, self.ids[index])


class Network(nn.Module):
    """A small network in the place of the large one."""

    def __init__(self, _, classes):
        super().__init__()
        self.backbone, self.last = nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(4, classes, 1)
        nn.init.constant_(self.last.bias[0], 9)

    def forward(self, x, *_):
        return self.last(self.backbone(x))


semi.SemiDataset = Images
deeplabv3plus.DeepLabV3Plus = Network
palette = Image.Image.putpalette
Image.Image.putpalette = lambda self, colours: palette(self, colours.tobytes())  # a newer one takes no array
paths = [f"--{one}=made" for one in ("data-root", "labeled-id-path", "unlabeled-id-path", "save-path")]
paths += ["--pseudo-mask-path=masks", "--reliable-id-path=ids"]
os.makedirs("made")
for ways in ([], ["--plus"]):
    script("main.py", *paths, "--batch-size=2", "--epochs=3", *ways)
