"""What is seen and heard in made-up films, an epoch and its test (YapengTian/AVE-ECCV18 at 93f843f)."""

import os

import torch
from made_up import script

os.makedirs("model", exist_ok=True)
import dataloader  # noqa: E402


class Films:
    """Two films."""

    def __init__(self, **_):
        self.batch = torch.rand(2, 10, 128), torch.rand(2, 10, 7, 7, 512), torch.rand(2, 10, 29)

    def __len__(self):
        return 2

    def get_batch(self, _):
        """What is heard and seen in them, and what it is."""
        return self.batch


dataloader.AVEDataset = Films
script("supervised_main.py", "--train", "--nb_epoch", "1", "--batch_size", "2")
