"""One epoch of recommendation on made-up ratings, with its tests (HKUDS/AdaGCL at bfb4cdf)."""

import os
import pickle
import sys
import types

import numpy
import scipy.sparse
import torch
from made_up import script

sys.modules["torch_sparse"] = types.ModuleType("torch_sparse")
sys.modules["torch_sparse"].spmm = lambda index, values, rows, columns, dense: (
    torch.sparse_coo_tensor(index, values, (rows, columns)) @ dense
)
os.makedirs("Datasets/lastFM", exist_ok=True)
made = (numpy.random.default_rng(0).random((12, 30)) < 0.3).astype(numpy.float32)
for name in ("trn", "tst"):
    with open(f"Datasets/lastFM/{name}Mat.pkl", "wb") as file:
        pickle.dump(scipy.sparse.coo_matrix(made), file)
sizes = ["--batch", "32", "--tstBat", "8", "--latdim", "8"]
script("Main.py", "--data", "lastfm", "--epoch", "1", "--gpu", "0", *sizes)
