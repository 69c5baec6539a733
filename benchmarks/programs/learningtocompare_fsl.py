"""Two episodes of few-shot learning on made-up characters (floodsung/LearningToCompare_FSL at b74e636)."""

import sys

import torch
from made_up import old_scalars, script, stand_in

old_scalars()
stand_in("torchvision", "cv2", "PIL", "skimage")
sys.path.insert(0, "omniglot")
import task_generator  # noqa: E402


class Loader:
    """A loader as an older torch had it."""

    def __init__(self, _, num_per_class=1, **__):
        self.size = 5 * num_per_class

    def __iter__(self):
        return self

    def next(self):
        """Made-up images and their labels."""
        return torch.rand(self.size, 1, 28, 28), torch.arange(self.size) % 5


torch.nn.utils.clip_grad_norm = torch.nn.utils.clip_grad_norm_  # the program was written for an older torch
task_generator.omniglot_character_folders = lambda: ([], [])
task_generator.OmniglotTask = lambda *_: None
task_generator.get_data_loader = Loader
script("omniglot/omniglot_train_one_shot.py", "--episode", "2", "--batch_num_per_class", "2")
