"""A step of training on made-up speech, read as the program reads it (mravanelli/SincNet at d741648)."""

import types

import data_io
import numpy
import torch
from dnn_models import SincNet, sinc_conv

data_io.scipy = types.SimpleNamespace()  # the program has put its import of scipy into a comment
data_io.scipy.io = types.SimpleNamespace(wavfile=types.SimpleNamespace(read=lambda path: (8000, numpy.ones(900))))
sounds, speakers = data_io.create_batches_rnd(4, "", ["a.wav", "b.wav"], 2, 400, {"a.wav": 0, "b.wav": 1}, 0.2)
shape = {"cnn_N_filt": [4], "cnn_len_filt": [51], "cnn_max_pool_len": [5], "cnn_act": ["relu"], "cnn_drop": [0.0]}
uses = {"cnn_use_laynorm": [True], "cnn_use_batchnorm": [False]}
uses.update(cnn_use_laynorm_inp=True, cnn_use_batchnorm_inp=False)
model = SincNet({**shape, **uses, "input_dim": 400, "fs": 8000}).to(sounds.device)
filters = sinc_conv(4, 51, 8000).to(sounds.device)
head = torch.nn.Linear(model.out_dim, 2).to(sounds.device)
optimizer = torch.optim.RMSprop([*model.parameters(), *head.parameters(), *filters.parameters()], lr=0.001)
loss = torch.nn.functional.cross_entropy(head(model(sounds)), speakers.long())
(loss + filters(sounds[:, None]).pow(2).mean()).backward()
optimizer.step()
