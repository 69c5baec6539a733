"""Ten epochs of recommendation on made-up ratings, with a test (huangtinglin/NGCF-PyTorch at f4e7f69)."""

import os

import numpy
from made_up import script

numpy.float, numpy.asfarray = float, numpy.asarray  # the program was written for an older numpy

os.makedirs("Data/made")
os.chdir("NGCF")
for part, first in (("train", 0), ("test", 4)):
    with open(f"../Data/made/{part}.txt", "w") as file:
        file.writelines(f"{user} {' '.join(str((user + first + i) % 20) for i in range(4))}\n" for user in range(8))
sizes = ["--embed_size", "4", "--layer_size", "[4,4,4]", "--batch_size", "8", "--Ks", "[2, 4]"]
script("main.py", "--dataset", "made", "--epoch", "10", *sizes)
