"""Two epochs of foreseeing where made-up people walk (abduallahmohamed/Social-STGCNN)."""

import torch
from made_up import MadeUp, old_loaders, script

old_loaders()
import utils  # noqa: E402


class Paths(MadeUp):
    """The paths of three people."""

    item = (
        torch.rand(3, 2, 8),
        torch.rand(3, 2, 12),
        torch.rand(3, 2, 8),
        torch.rand(3, 2, 12),
        torch.zeros(3),
        torch.ones(3, 20),
        torch.rand(8, 3, 2),
        torch.rand(8, 3, 3),
        torch.rand(12, 3, 2),
        torch.rand(12, 3, 3),
    )


utils.TrajectoryDataset = Paths
script("train.py", "--num_epochs", "2")
