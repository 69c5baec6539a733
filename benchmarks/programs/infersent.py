"""Made-up sentences encoded, with the mean of the words and with the greatest."""

import numpy
import torch
from models import InferSent

for pool in ("mean", "max"):
    sizes = {"bsize": 2, "word_emb_dim": 6, "enc_lstm_dim": 4, "dpout_model": 0.0, "pool_type": pool}
    InferSent(sizes)((torch.rand(5, 2, 6), numpy.array([5, 3])))
