"""Twenty epochs of one step: telling made-up faces apart (clcarwin/sphereface_pytorch)."""

import sys

import numpy
from made_up import old_scalars, script, stand_in

old_scalars()
stand_in("matlab_cp2tform")  # no Python of today can read it
sys.path.insert(0, ".")
import dataset  # noqa: E402
import net_sphere  # noqa: E402


class Faces:
    """Two faces, once."""

    def __init__(self, *_, **__):
        self.batches = [(numpy.random.rand(2, 3, 112, 96), numpy.ones((2, 1))), (None, None)]

    def get(self):
        """The next batch, or None where there is no other."""
        return self.batches.pop(0)


dataset.ImageDataset = Faces
net_sphere.sphere20a.__init__.__defaults__ = 10, False  # few classes
script("train.py")
