"""One step of training on made-up clouds of points."""

import sys
from types import SimpleNamespace

import torch
from made_up import labels

sys.path.insert(0, "pytorch")
import model

net = model.DGCNN(SimpleNamespace(k=4, emb_dims=32, dropout=0.5))
loss = torch.nn.functional.cross_entropy(net(torch.rand(2, 3, 16)), labels(2, 40))
loss.backward()
