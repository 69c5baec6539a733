"""Made-up traffic foretold, one epoch and a test (LeiBAI/AGCRN at 7fbbf2a)."""

import os

import numpy
from made_up import script

os.makedirs("data/PeMSD4", exist_ok=True)
numpy.savez("data/PeMSD4/pems04.npz", data=numpy.random.default_rng(0).random((150, 5, 3)))
os.chdir("model")
options = {"num_nodes": 5, "batch_size": 4, "epochs": 1, "rnn_units": 4, "embed_dim": 2, "mode": "train"}
script("Run.py", *(str(part) for name, value in options.items() for part in (f"--{name}", value)))
