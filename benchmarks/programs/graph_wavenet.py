"""One epoch of traffic forecasts on a made-up network, with their test (nnzhan/Graph-WaveNet at 6b162e8)."""

import os
import pickle

import numpy
import torch
from made_up import script

torch.nn.Conv1d = torch.nn.Conv2d  # an older torch let Conv1d be given images

os.mkdir("made")
with open("made/adj.pkl", "wb") as file:
    pickle.dump(([], {}, numpy.ones((4, 4), dtype="float32")), file)
for part in ("train", "val", "test"):
    series = numpy.random.rand(4, 12, 4, 2) + 1
    numpy.savez(f"made/{part}.npz", x=series, y=series)
sizes = ["--num_nodes", "4", "--batch_size", "2", "--nhid", "4"]
options = ["--gcn_bool", "--addaptadj", "--randomadj", "--save", "made/model"]
script("train.py", "--data", "made", "--adjdata", "made/adj.pkl", "--epochs", "1", *options, *sizes)
