"""Two steps of two networks that teach each other (bhanML/Co-teaching at 7c7fbe2); its script wants Python 2."""

import numpy
import torch
from loss import loss_coteaching
from made_up import labels
from model import CNN

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
networks = [CNN(input_channel=1, n_outputs=10).to(device) for _ in range(2)]
optimizers = [torch.optim.Adam(one.parameters()) for one in networks]
for _ in range(2):
    answers = [one(torch.rand(4, 1, 32, 32, device=device)) for one in networks]
    *losses, _, _ = loss_coteaching(*answers, labels(4, 10).to(device), 0.2, numpy.arange(4), numpy.ones(4))
    for loss, optimizer in zip(losses, optimizers):
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
