"""One epoch of recommendation on made-up sequences, with its tests (HKUDS/MAERec at bd92f2c)."""

import os
import pickle

import numpy
import scipy.sparse
from made_up import script

numbers = numpy.random.default_rng(0)
sequences = [numbers.integers(1, 59, long).tolist() for long in (4, 8, 15, 25, 4, 8, 15, 25)]
made = {
    "trn": scipy.sparse.coo_matrix((numbers.random((60, 60)) < 0.2).astype(numpy.float32)),
    "seq": sequences,
    "tst": sequences,
    "neg": [numbers.integers(1, 59, 99).tolist() for _ in sequences],
}
for folder in ("datasets/made", "Models"):
    os.makedirs(folder, exist_ok=True)
for name, content in made.items():
    with open(f"datasets/made/{name}", "wb") as file:
        pickle.dump(content, file)
sizes = ["--trn_batch", "4", "--tst_batch", "4", "--con_batch", "8", "--num_mask_cand", "4", "--mask_steps", "1"]
script("main.py", "--data", "made", "--epoch", "1", *sizes)
