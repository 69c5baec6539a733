"""Two epochs in which only the weights that matter learn, and their tests (xiaoboxia/CDR at 6665a8b)."""

import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("torchvision")
old_loaders()


class Digits(MadeUp):
    """Digits, what they are, and their numbers."""

    def __getitem__(self, index):
        return torch.rand(1, 28, 28), index, index


made = script("main.py", "--dataset", "mnist", "--batch_size", "2", "--n_epoch", "2", name="made")
made["main"].__globals__["load_data"] = lambda _: [Digits() for _ in range(3)]
made["main"](made["args"])
