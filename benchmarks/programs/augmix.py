"""Two epochs on made-up pictures, mixed three ways, then the test on damaged ones (google-research/augmix)."""

import sys

import numpy
import torch
from made_up import MadeUp, old_loaders, script, stand_in
from PIL import Image

sys.path.insert(0, ".")
stand_in("torchvision")
old_loaders()
import torchvision.datasets  # noqa: E402
import torchvision.transforms  # noqa: E402

picture = Image.fromarray(numpy.random.randint(0, 255, (32, 32, 3)).astype("uint8"))


def tensor(image):
    """The tensor of a picture."""
    return torch.from_numpy(numpy.array(image)).permute(2, 0, 1) / 255


class Pictures(MadeUp):
    """Pictures and their classes; those of the test are tensors."""

    def __init__(self, *_, train, **__):
        super().__init__()
        self.train = train

    def __getitem__(self, index):
        return picture if self.train else tensor(picture), index


torchvision.datasets.CIFAR10 = Pictures
torchvision.transforms.Compose = lambda _: tensor
read = numpy.load
numpy.load = lambda path: numpy.zeros(4, dtype="int64")
sizes = ["--epochs", "2", "--batch-size", "2", "--layers", "10", "--widen-factor", "1"]
script("cifar.py", *sizes, "--eval-batch-size", "2", "--num-workers", "0")
