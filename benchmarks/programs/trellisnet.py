"""A forward and a backward pass through a small TrellisNet (locuslab/trellisnet at ec1de0a)."""

import sys

sys.path.insert(0, "TrellisNet")

import torch
from trellisnet import TrellisNet

net = TrellisNet(ninp=4, nhid=6, nout=3, nlevels=4, aux_frequency=2, wnorm=False)
hidden = torch.zeros(2, 9, 1), torch.zeros(2, 9, 1)
out, hidden, others = net(torch.rand(2, 5, 4).transpose(1, 2), hidden)
(out.sum() + others.sum()).backward()
