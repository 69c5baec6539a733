"""One epoch of recommendation on made-up ratings, with its tests (HKUDS/LightGCL at 5590453)."""

import os
import pickle

import numpy
import scipy.sparse
from made_up import script

for folder in ("data/made", "log", "saved_model"):
    os.makedirs(folder, exist_ok=True)
made = numpy.random.default_rng(0).random((12, 16)) < 0.4
for name in ("trn", "tst"):
    with open(f"data/made/{name}Mat.pkl", "wb") as file:
        pickle.dump(scipy.sparse.coo_matrix(made.astype(numpy.float32)), file)
script("main.py", "--data", "made", "--epoch", "1", "--d", "8", "--batch", "8", "--inter_batch", "32")
