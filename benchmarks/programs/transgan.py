"""An epoch of drawing made-up images against a critic (VITA-Group/TransGAN at 6b85440)."""

import copy
import types
from unittest import mock

import torch
from made_up import batches, stand_in
from torch import nn

stand_in("imageio", "cv2", "utils")
import functions  # noqa: E402


class Drawing(nn.Module):
    """A small generator in the place of the large one."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 48)

    def forward(self, z, epoch):
        return self.layer(z).view(-1, 3, 4, 4)


numbers = {"latent_dim": 4, "phi": 1, "accumulated_times": 1, "g_accumulated_times": 1, "gen_batch_size": 4}
numbers |= {"dis_batch_size": 4, "world_size": 1, "ema_kimg": 1, "ema_warmup": 0, "ema": 0.9, "n_critic": 1}
args = types.SimpleNamespace(gpu=0, rank=0, print_freq=1, max_epoch=1, loss="wgangp-eps", **numbers)
drawing, critic = Drawing(), nn.Sequential(nn.Flatten(), nn.Linear(48, 1))
averages = copy.deepcopy([one.data for one in drawing.parameters()])
steps = [torch.optim.Adam(one.parameters()) for one in (drawing, critic)]
writer = {"writer": mock.MagicMock(), "train_global_steps": 0}
images = batches(2, torch.rand(4, 3, 4, 4), 0)
functions.train(args, drawing, critic, *steps, averages, images, 0, writer, None)
