"""Two epochs of recommendation on made-up knowledge, with their tests (qibinc/RippleNet-PyTorch at 2a3ea9b)."""

import sys

import numpy
from made_up import script

sys.path.insert(0, "src")
import data_loader

rated = numpy.array([[user, item, (user + item) % 2] for user in range(3) for item in range(4)])
memory = [([0, 1], [0, 1], [2, 3])] * 2
made = (rated, rated, rated, 6, 2, dict.fromkeys(range(3), memory))
data_loader.load_data = lambda _: made
script("src/main.py", "--n_epoch=2", "--n_memory=2", "--batch_size=6")
