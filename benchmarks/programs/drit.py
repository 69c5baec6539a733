"""An epoch of translating made-up pictures (HsinYingLee/DRIT)."""

import sys

import torch
from made_up import MadeUp, old_loaders, script, stand_in
from torch import nn

stand_in("torchvision", "tensorboardX")
old_loaders()
sys.path.insert(0, "src")
import dataset  # noqa: E402
import networks  # noqa: E402
import saver  # noqa: E402


class Pairs(MadeUp):
    """A picture of each kind."""

    item = torch.rand(3, 64, 64), torch.rand(3, 64, 64)
    size = 2


class Judge(nn.Module):
    """A smaller network than the program's to tell contents apart, which needs large pictures."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(256, 1, 3)

    def forward(self, contents):
        """One answer for each content."""
        return [self.layer(contents).mean((1, 2, 3))]


networks.Dis_content = Judge
step = torch.optim.Adam.step


def uncounted(self, closure=None):
    """A step after which older gradients still count, as in the torch that this was written for."""
    weights = tuple(one for group in self.param_groups for one in group["params"])
    with torch.autograd._unsafe_preserve_version_counter(weights):
        return step(self, closure)


torch.optim.Adam.step = uncounted  # type: ignore[method-assign,assignment]
dataset.dataset_unpair = Pairs
saver.save_imgs = lambda *_: None
folders = ["--display_dir", "made", "--result_dir", "made"]
sizes = ["--batch_size", "2", "--dis_scale", "1", "--n_ep", "1", "--no_display_img"]
script("src/train.py", "--dataroot", "none", "--name", "made", *folders, *sizes)
