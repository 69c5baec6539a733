"""One epoch of recommendation with a made-up graph of knowledge, with its tests (HKUDS/DiffKG at c924659)."""

import os
import pickle
import sys
import types

import numpy
import scipy.sparse
import torch
from made_up import script


def scatter_sum(values, index, dim=0, dim_size=None):
    """The sums of the rows with the same index."""
    return torch.zeros(dim_size, *values.shape[1:], device=values.device).index_add(0, index, values)


def scatter_softmax(values, index, dim=0, dim_size=None):
    """The softmax of the rows with the same index."""
    powers = values.exp()
    return powers / scatter_sum(powers, index, dim_size=dim_size)[index]


sys.modules["torch_scatter"] = types.ModuleType("torch_scatter")
sys.modules["torch_scatter"].scatter_sum = scatter_sum
sys.modules["torch_scatter"].scatter_softmax = scatter_softmax
os.makedirs("Datasets/lastfm", exist_ok=True)
numbers = numpy.random.default_rng(0)
made = (numbers.random((12, 30)) < 0.3).astype(numpy.float32)
for name in ("trn", "tst"):
    with open(f"Datasets/lastfm/{name}Mat.pkl", "wb") as file:
        pickle.dump(scipy.sparse.coo_matrix(made), file)
triples = [(n % 30, n % 3, (7 * n) % 40) for n in range(120)] + [(39, 0, 1)]
with open("Datasets/lastfm/kg.txt", "w", encoding="utf-8") as file:
    file.writelines(f"{head} {relation} {tail}\n" for head, relation, tail in triples)
if not hasattr(scipy.sparse.csr_matrix, "A"):
    scipy.sparse.csr_matrix.A = property(lambda self: self.toarray())
sizes = ["--batch", "16", "--tstBat", "8", "--latdim", "8", "--dims", "[16]"]
script("Main.py", "--data", "lastfm", "--epoch", "1", "--gpu", "0", "--rebuild_k", "8", *sizes)
