"""Two steps of a teacher and its student on made-up hearts, and their test (yulequan/UA-MT at 88ed29a)."""

import os
import sys

import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("torchvision", "tensorboardX", "skimage", "h5py", "nibabel", "medpy")
old_loaders()
os.makedirs("code/work", exist_ok=True)
os.chdir("code/work")
sys.path.insert(0, "..")
import dataloaders.la_heart  # noqa: E402
import networks.vnet  # noqa: E402


class Hearts(MadeUp):
    """Hearts of the size that the training insists on."""

    size = 80

    def __getitem__(self, index):
        return {"image": torch.rand(1, 112, 112, 80), "label": torch.ones(112, 112, 80).long()}


class Network(torch.nn.Module):
    """A small network in the place of the large one."""

    def __init__(self, *_, **__):
        super().__init__()
        self.layer = torch.nn.Conv3d(1, 2, 1)

    def forward(self, x):
        return self.layer(x)


torch.utils.data.Sampler.__init__ = lambda self, *_: None
dataloaders.la_heart.LAHeart = Hearts
networks.vnet.VNet = Network
script("../train_LA_meanteacher_certainty.py", "--max_iterations=2", "--batch_size=2", "--labeled_bs=1")
made = script("../train_LA.py", "--max_iterations=2", "--batch_size=1")
test = script("../test_util.py", name="made")["test_single_case"]
test(made["net"], torch.rand(20, 20, 8).numpy(), 4, 4, (16, 16, 8), 2)
