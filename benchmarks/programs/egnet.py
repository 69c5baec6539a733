"""What stands out in made-up pictures, and its edges, an epoch and its test (JXingZhao/EGNet at 5e1b933)."""

import os
import sys
from types import SimpleNamespace
from unittest import mock

import torch
from made_up import script, stand_in

stand_in("torchvision")
sys.modules["scipy.misc"] = mock.MagicMock()
import dataset  # noqa: E402
import resnet  # noqa: E402

picture, mask = torch.rand(1, 3, 64, 64), torch.ones(1, 1, 64, 64)
mask[..., 32:] = 0
seen = {"sal_image": picture, "sal_label": mask, "sal_edge": mask}
asked = {"image": picture, "name": ["made.png"], "size": [64, 64]}


class Loader(list):
    """A loader of one batch."""

    dataset = [0]


def loaders(*_, mode="train", **__):
    """The loader of a mode, and where it saves to."""
    return Loader([seen if mode == "train" else asked]), SimpleNamespace(save_folder=lambda: "made")


dataset.get_loader = loaders
os.makedirs("made", exist_ok=True)
torch.save(resnet.resnet50().state_dict(), "made.pth")
script("run.py", "--epoch", "1", "--resnet", "made.pth")
script("run.py", "--mode", "test", "--model", "EGNet/run-nnet/models/final_bone.pth")
