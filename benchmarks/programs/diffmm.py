"""What made-up people like, with three kinds of features, an epoch and its test (HKUDS/DiffMM at fae20e6)."""

import os
import pickle

import numpy
import scipy.sparse
from made_up import script, stand_in

stand_in("setproctitle")
scipy.sparse.coo_matrix.A = property(lambda self: self.toarray())
os.makedirs("Datasets/tiktok", exist_ok=True)
likes = scipy.sparse.coo_matrix(numpy.eye(8, 6) + numpy.eye(8, 6, -2))
for name in ("trn", "tst"):
    with open(f"Datasets/tiktok/{name}Mat.pkl", "wb") as file:
        pickle.dump(likes, file)
for name in ("image", "text", "audio"):
    numpy.save(f"Datasets/tiktok/{name}_feat.npy", numpy.random.default_rng(0).random((6, 5)))
options = {"data": "tiktok", "batch": 4, "tstBat": 4, "epoch": 1, "latdim": 4, "topk": 2, "dims": "[8]"}
script("Main.py", *(str(part) for name, value in options.items() for part in (f"--{name}", value)))
