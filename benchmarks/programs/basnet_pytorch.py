"""Two steps of finding actions in made-up films, with a test after each (Pilhyeon/BaSNet-pytorch)."""

import os
import sys

import torch
from made_up import MadeUp, old_loaders, script, stand_in

sys.path.insert(0, ".")
stand_in("tensorboard_logger")
old_loaders()
import thumos_features  # noqa: E402
from eval import eval_detection  # noqa: E402


class Films(MadeUp):
    """The features of a film, its actions, when they are, its name, and how long it is."""

    item = torch.rand(750, 2048), torch.eye(20)[3], torch.zeros(1), "made", 40
    size = 2


class Detection:
    """What the test says."""

    def __init__(self, *_, **__):
        """There is nothing to read."""

    def evaluate(self):
        """Nine numbers and their mean."""
        return [0.1] * 9, 0.1


thumos_features.ThumosFeature = Films
eval_detection.ANETdetection = Detection
os.makedirs("made", exist_ok=True)
folders = [f"--{one}_path={'made/' + one}" for one in ("data", "model", "output", "log")]
script("main.py", *folders, "--lr", "[0.0001]*2", "--batch_size", "2")
